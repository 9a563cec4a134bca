import { expect, test } from 'vitest';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

/** All values in the database; bytes are included raw and as base64. */
async function databaseDump(scene: DeliveryScene): Promise<Buffer> {
  const { pool } = scene.api.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const stored: Buffer[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query(`select * from ${name}`);
    for (const value of rows.flatMap((row) => Object.values(row))) {
      if (Buffer.isBuffer(value)) stored.push(value, Buffer.from(value.toString('base64')));
      else stored.push(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value ?? null)));
    }
  }
  return Buffer.concat(stored);
}

test('does not store or log private keys and webhook secrets in clear text', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? 500 : 200));
  const { partner, api } = scene;
  const once = { 'idempotency-key': 'once' };
  const created = await partner.call(
    'POST',
    '/api/sales-partners/webhooks',
    { pushUrl: receiver.url(), type: 'LOCATION_CREATED' },
    once,
  );
  const webhook = created.body.response;
  const rotated = await partner.call(
    'POST',
    `/api/sales-partners/webhooks/${webhook.id}/rotate-secret`,
    {},
    { 'idempotency-key': 'twice' },
  );
  const renewed = await partner.call(
    'POST',
    `/api/sales-partners/${partner.partner.id}/rotate-private-key`,
    {},
    { 'idempotency-key': 'thrice' },
  );
  await scene.record(3);
  scene.worker({ retrySchedule: [0.01] });
  await eventually(() => scene.depth(webhook)).toBe(0);

  const keys = [partner.privateKey, renewed.body.response.privateKey];
  const secrets = [webhook.secret, rotated.body.response.secret].map((secret) => secret.slice('whsec_'.length));
  const encodings = [
    ...keys.flatMap((key) => [key, Buffer.from(key).toString('base64'), Buffer.from(key, 'base64url')]),
    ...secrets.flatMap((secret) => [secret, Buffer.from(secret, 'base64')]),
  ];
  expect(encodings.every((encoding) => encoding.length >= 32)).toBe(true);
  const stored = await databaseDump(scene);
  const logged = Buffer.from(JSON.stringify(api.logLines));
  expect(stored.includes(webhook.pushUrl) && logged.includes('delivery.attempted')).toBe(true);
  for (const encoding of encodings) {
    expect(stored.includes(encoding)).toBe(false);
    expect(logged.includes(encoding)).toBe(false);
  }
});
