import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../src/api/openapi/openapi-document.ts';
import { newestVersion } from '../src/api/versions/timeline.ts';
import { lastCell } from '../src/config/settings.ts';
import { claimCell } from '../src/database/cell.ts';
import type { ApiResponse } from './support/api.ts';
import { createTestDatabase } from './support/database.ts';
import { ExampleRequests } from './support/example-requests.ts';
import { ExampleWorld } from './support/example-world.ts';
import { HiddenPartners } from './support/hidden-partners.ts';

/** A root partner can be on any cell: no statement for it needs or returns rows of another root partner. */

let world: ExampleWorld;
let examples: ExampleRequests;
let hidden: HiddenPartners;
let rootId: number;
let otherId: number;

beforeAll(async () => {
  const database = await createTestDatabase();
  hidden = await HiddenPartners.prepare(database);
  // Its ids are the largest ones, with 16 digits.
  await claimCell(database, lastCell);
  world = await ExampleWorld.open(database);
  rootId = world.owner.partner.id;
  otherId = (await world.addRoot()).owner.partner.id;
  examples = new ExampleRequests(openApiDocument(world.api.server.routeRecords, newestVersion), world);
  await examples.prepare();
}, 600_000);
afterAll(async () => {
  await world.close();
  await hidden.close();
});

/** In demo mode, the sandbox is controlled by the partner that has no other root partner beside it. */
const ofInstallation = /\/api\/sandbox\/(directories|receiver)/;
const operations = () => examples.operations.filter((key) => !ofInstallation.test(key));

test('only these tables have rows of no partner', () => {
  expect(hidden.sharedTables).toEqual(
    [
      // Words of reviews with their stems, as in a dictionary.
      'feedback_keywords',
      'feedback_words',
      // Counters of addresses, visitors and accounts.
      'hourly_uses',
      'login_attempts',
      // The installation itself.
      'id_checkpoint',
      'installation',
      'job_workers',
      'migrations',
      'unsettled_files',
    ].sort(),
  );
});

test('records of other root partners are hidden', async () => {
  const counts = async () => {
    const { rows } = await world.query(
      `select (select count(*) from locations) as locations, (select count(*) from events) as events,
         (select count(*) from attempts) as attempts, (select count(*) from datapoint_replies) as replies`,
    );
    return Object.values<number>(rows[0]);
  };
  const all = await counts();
  const [first, second] = [await hidden.onlyRoot(rootId, counts), await hidden.onlyRoot(otherId, counts)];
  for (const count of [...first, ...second]) expect(count).toBeGreaterThan(0);
  expect(first.map((count, index) => count + (second[index] ?? 0))).toEqual(all);
});

test('no record refers to a record of another root partner', async () => {
  const { rows } = await world.query(
    `select relname as table, attname as column, confrelid::regclass::text as referenced
     from pg_constraint join pg_class child on child.oid = conrelid
     join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype = 'f' and cardinality(conkey) = 1 and not relispartition
       and 2 = (select count(*) from pg_attribute part where part.attname = 'partner_id' and part.attrelid in (conrelid, confrelid))`,
  );
  expect(rows.length).toBeGreaterThan(20);
  const crossing = await Promise.all(
    rows.map(async ({ table, column, referenced }) => {
      const { rowCount } = await world.query(
        `select from ${table} child join ${referenced} parent on parent.id = child.${column}
         join sales_partners a on a.id = child.partner_id join sales_partners b on b.id = parent.partner_id
         where a.lineage[1] <> b.lineage[1]`,
      );
      return { table, column, rowCount };
    }),
  );
  expect(crossing.filter(({ rowCount }) => rowCount !== 0)).toEqual([]);
});

test('reads return the same while other root partners are hidden', async () => {
  const changed: string[] = [];
  const incomparable: { key: string; before: ApiResponse; after: ApiResponse }[] = [];
  for (const key of operations().filter((one) => one.startsWith('GET '))) {
    const send = await examples.repeatable(key);
    const read = async () => ({
      before: await send(),
      alone: await hidden.onlyRoot(rootId, send),
      after: await send(),
    });
    let { before, alone, after } = await read();
    // Signatures contain the second, which can end between the reads.
    for (let tries = 1; tries < 5 && !isDeepStrictEqual(before.body, after.body); tries++) {
      ({ before, alone, after } = await read());
    }
    // Errors, and responses that change from one request to the next, cannot be compared.
    if (before.code !== 200 || !isDeepStrictEqual(before.body, after.body)) incomparable.push({ key, before, after });
    else if (alone.code !== before.code || !isDeepStrictEqual(alone.body, before.body)) changed.push(key);
  }
  expect(changed).toEqual([]);
  expect(incomparable).toEqual([]);
}, 600_000);

test('changes and jobs succeed while other root partners are hidden', async () => {
  await hidden.onlyRoot(rootId, async () => {
    const refused: unknown[] = [];
    for (const key of operations().filter((one) => !one.startsWith('GET '))) {
      const { code, body } = await examples.send(key);
      if (code !== 200) refused.push({ key, code, body });
    }
    expect(refused).toEqual([]);
    await world.runJobs({ early: true });
    await world.deliver();
  });
  expect(
    (await world.query('select task_identifier, last_error from graphile_worker.jobs where last_error is not null'))
      .rows,
  ).toEqual([]);
}, 600_000);
