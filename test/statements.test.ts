import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../src/database/connection.ts';
import { definedStatements, snakeCase } from '../src/database/statement.ts';
import { createTestDatabase } from './support/database.ts';
import { describeStatement } from './support/describe-statement.ts';
import { walk } from './support/syntax-tree.ts';

const root = join(import.meta.dirname, '..');
// Programs do something when they are imported.
const programs = ['src/main.ts', 'src/modules/publishing/assets/inspection-process.ts'];
const files = globSync('src/**/*.ts', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts') && !programs.includes(file),
);

let database: Database;
let client: pg.Client;
beforeAll(async () => {
  for (const file of files) await import(join(root, file));
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
});

test('every plain statement fits the schema and returns the declared columns', async () => {
  const declared: Record<string, unknown> = {};
  const returned: Record<string, unknown> = {};
  for (const { name, text, columns } of definedStatements.values()) {
    declared[name] = Object.entries(columns);
    returned[name] = await describeStatement(client, text).catch((error: Error) => error.message);
  }
  expect(returned).toEqual(declared);
});

/** Columns that fragments of SQL name without a `ref` of their table, whose names the types check. */
const columnsInFragments: Record<string, string[]> = {
  'database/query-builder.ts': ['locations.partner_id'],
  'events/log/delivery-sources.ts': ['webhooks.deleted_at', 'delivery_queue.lane'],
  'events/log/delivery-store.ts': ['events.body'],
  'events/subscriptions/webhook-store.ts': ['webhooks.filter', 'webhooks.queue_credentials'],
  'jobs/tasks/single-run-task.ts': ['tasks.status', 'tasks.take_ups'],
  'jobs/tasks/task-store.ts': ['tasks.done', 'tasks.failed', 'tasks.total'],
  'modules/catalog/labels/label-store.ts': ['labels.name'],
  'modules/listings/listing-progress.ts': [
    'listings.datapoint_cursor_of',
    'listings.datapoints_checked',
    'listings.external_id',
    'locations.status',
  ],
  'modules/publishing/assets/folder-store.ts': ['asset_folders.name', 'asset_folders.parent_id'],
  'modules/publishing/social-posts/publication-store.ts': [
    'locations.business_id',
    'social_post_publications.location_id',
  ],
  'modules/publishing/social-posts/social-post-store.ts': [
    'social_post_publications.attempted_revision',
    'social_posts.call_to_actions',
    'social_post_publications.external_id',
    'social_posts.label_ids',
    'social_posts.photos',
    'social_posts.planned_revision',
    'social_posts.publication_date',
    'social_posts.revision',
    'social_posts.videos',
    'social_post_publications.wanted_revision',
  ],
  'storage/pending-files.ts': ['unsettled_files.name', 'unsettled_files.state'],
};

test('the types or this test know every column that a fragment of SQL names', async () => {
  const { rows } = await client.query<{ name: string }>(
    `select concat(table_name, '.', column_name) as name from information_schema.columns where table_schema = 'public'`,
  );
  const known = new Set(rows.map(({ name }) => name));
  const columns = new Set([...known].map(columnOf));
  const named = files.map((file) => [file.slice('src/'.length), namesInFragments(file, columns)] as const);
  const listed = Object.entries(columnsInFragments).map(([file, names]) => [file, names.map(columnOf)]);
  expect(Object.fromEntries(named.filter(([, names]) => names.length > 0))).toEqual(Object.fromEntries(listed));
  expect(Object.values(columnsInFragments).flatMap((names) => names.filter((name) => !known.has(name)))).toEqual([]);
});

const columnOf = (name: string) => name.replace(/^.*\./, '');

/** Every table has an id. Names before a dot are tables. Names that the fragment defines are no columns. */
function namesInFragments(file: string, columns: ReadonlySet<string>): string[] {
  const names: string[] = [];
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  walk(program, ({ type, tag, quasi, callee, arguments: [given] = [] }) => {
    if (type === 'CallExpression' && callee.object?.name === 'raw' && callee.property.name === 'ref')
      names.push(snakeCase(String(given.value ?? '')));
    if (type !== 'TaggedTemplateExpression' || tag.name !== 'raw') return;
    const text: string = quasi.quasis.map(({ value }: { value: { raw: string } }) => value.raw).join('$');
    const sql = text.replace(/'[^']*'/g, '');
    const aliases = [...sql.matchAll(/\bas (\w+)|\w \(([a-z_, ]+)\)/g)].flatMap(([, one, list = one]) =>
      list?.split(', '),
    );
    const words = [...sql.matchAll(/(?<!::|\w|\$|\b(?:from|join) )[a-z]\w*(?!\w| *\(|\.)/g)].map(([word]) => word);
    names.push(...words.filter((word) => !aliases.includes(word)));
  });
  return [...new Set(names)].filter((name) => name !== 'id' && columns.has(name)).sort();
}
