import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealedColumns } from './sealed-columns.ts';

const root = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Columns with bytes that are not sealed. */
const otherBytes = [
  'attempts.response_body',
  'idempotency_keys.request_hash',
  'near_me_reports.token_hash',
  'partner_keys.hash',
  'user_sessions.token_hash',
];

/** Files that seal values, with the columns that they write. */
const sealingFiles: Record<string, string[]> = {
  'src/events/signing/webhook-credentials.ts': [
    'request_settings.previous_secret',
    'request_settings.secret',
    'webhooks.headers',
    'webhooks.previous_secret',
    'webhooks.queue_credentials',
    'webhooks.secret',
  ],
  'src/events/subscriptions/webhook-changes.ts': ['webhooks.client_key', 'webhooks.oauth_secret', 'webhooks.secret'],
  'src/http/idempotency.ts': ['idempotency_keys.answer'],
  'src/modules/accounts/partners/partner-keys.ts': ['partner_keys.sealed'],
  'src/service/demo.ts': ['webhooks.secret'],
};

const listed = sealedColumns.map(({ table, name }) => `${table}.${name}`);

test('every column with bytes is listed as sealed, or is not sealed', () => {
  const tables = read('src/database/schema.sql').matchAll(/^create (?:unlogged )?table ([a-z_]+) \(\n(.*?)^\)/gms);
  const columns = [...tables].flatMap(([, table, body = '']) =>
    [...body.matchAll(/^ {2}([a-z_]+) bytea/gm)].map(([, column]) => `${table}.${column}`),
  );
  const sealedBytes = sealedColumns.filter(({ type }) => type === 'bytea').map(({ table, name }) => `${table}.${name}`);
  expect(columns.sort()).toEqual([...sealedBytes, ...otherBytes].sort());
});

test('every file that seals a value writes listed columns', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const sealing = files.filter((file) => /sealer\.seal\(/i.test(read(file)));
  const known = Object.keys(sealingFiles);
  expect(sealing.filter((file) => file !== 'src/service/master-keys/sealed-columns.ts').sort()).toEqual(known.sort());
  expect([...new Set(Object.values(sealingFiles).flat())].sort()).toEqual(listed.toSorted());
});
