import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { verifyDelivery } from '../../receiver/receiver.ts';
import type { EventTypeName } from '../../src/events/catalogue/catalogue.ts';
import { newWebhookSecret } from '../../src/events/signing/keys.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { publicKeyOf, signingKey } from '../../src/events/signing/signature.ts';
import { openWebhookSecret } from '../../src/events/signing/webhook-credentials.ts';
import { newSettings } from '../../src/events/subscriptions/webhook.ts';
import { insertWebhook } from '../../src/events/subscriptions/webhook-store.ts';
import { countSealedValues } from '../../src/service/master-keys/sealed-columns.ts';
import { runCli, startCli } from '../support/cli.ts';
import { type ReceivedRequest, startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';

const type: EventTypeName = 'LOCATION_CREATED';
const soon = { timeout: 60_000, interval: 50 };
const webhooks = 10;

/** A fleet, its first master key, and the next one. */
async function rotatingFleet() {
  const fleet = await Fleet.create({ PORT: '0', WAYPOST_LOG_LEVEL: 'info' });
  const { WAYPOST_MASTER_KEY: first = '' } = fleet.environment;
  const sealer = new Sealer(Buffer.from(first, 'base64'));
  const second = randomBytes(32).toString('base64');
  const next = new Sealer(Buffer.from(second, 'base64'), {
    others: [Buffer.from(first, 'base64')],
    unmarked: sealer.current.fingerprint,
  });
  return { fleet, sealer, next, first, second };
}

/** Each webhook has its own path, secret and public key. */
async function addWebhooks(fleet: Fleet, sealer: Sealer, urlOf: (path: string) => string, count: number, on = type) {
  const keys = new Map<string, { secret: string; publicKey: string }>();
  for (let number = 0; number < count; number++) {
    const path = `/hook-${number}`;
    const secret = newWebhookSecret();
    const sealed = sealer.seal(secret);
    const settings = newSettings({ pushUrl: urlOf(path), type: on, asymmetricSignature: true });
    await insertWebhook(fleet.database.pool, fleet.partner.id, settings, { secret: sealed });
    const { seed } = openWebhookSecret(sealer, sealed);
    keys.set(path, { secret, publicKey: publicKeyOf(signingKey(seed)).whpk });
  }
  return keys;
}

test('all signatures verify during a rotation of the keys of running processes', { timeout: 240_000 }, async () => {
  const { fleet, sealer, next, first, second } = await rotatingFleet();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const keys = await addWebhooks(fleet, sealer, (path) => receiver.url(path), webhooks);
  // Without events: re-sealing takes longer than the first deliveries.
  await addWebhooks(fleet, sealer, (path) => receiver.url(path), 1500, 'BUSINESS_CREATED');
  const start = async (command: 'serve' | 'work', masterKey: string) => {
    const started = fleet.start(command, { WAYPOST_MASTER_KEY: masterKey });
    await started.waitForOutput(/"service\.started"/);
    return started;
  };
  let isRecording = true;
  const recorded: number[] = [];
  const recording = (async () => {
    while (isRecording) {
      recorded.push(...(await fleet.record(type, 2)));
      // At most as fast as deliveries: on a slow machine, there are not too many to verify.
      await expect.poll(() => fleet.waiting(), soon).toBeLessThan(webhooks);
    }
  })();
  onTestFinished(() => {
    isRecording = false;
  });
  const counts = () => countSealedValues(fleet.database.pool, sealer.current.fingerprint);

  let processes = [await start('serve', first), await start('work', first)];
  const early = await fleet.start('work', { WAYPOST_MASTER_KEY: `${second},${first}` }).ended;
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('running processes do not have the master') });
  for (const masterKey of [`${first},${second}`, `${second},${first}`]) {
    const [serve, work] = processes;
    // One after the other, as in a rolling update.
    await serve?.interrupt();
    const newServe = await start('serve', masterKey);
    await work?.interrupt();
    processes = [newServe, await start('work', masterKey)];
  }
  await expect.poll(counts, soon).toEqual(new Map([[next.current.fingerprint, expect.any(Number)]]));
  for (const each of processes) await each.interrupt();
  const status = await runCli(['keys', 'status', '--json'], { ...fleet.environment, WAYPOST_MASTER_KEY: second });
  expect(JSON.parse(status.stdout)).toMatchObject([
    { fingerprint: next.current.fingerprint, state: 'current' },
    { fingerprint: sealer.current.fingerprint, state: 'removed', values: 0 },
  ]);
  const last = await start('work', second);
  isRecording = false;
  await recording;
  await expect.poll(() => fleet.waiting(), soon).toBe(0);
  await last.interrupt();

  const verify = ({ path, headers, body }: ReceivedRequest) => {
    const { secret = '', publicKey = '' } = keys.get(path) ?? {};
    for (const key of [{ secret }, { publicKeys: publicKey }, { privateKey: fleet.privateKey }])
      verifyDelivery({ body, headers, ...key, toleranceSeconds: 3600 });
  };
  for (const request of receiver.requests) verify(request);
  for (const path of keys.keys()) expect(new Set(receiver.ids(path))).toEqual(new Set(recorded));
});

test('continues after it was killed', { timeout: 120_000 }, async () => {
  const { fleet, sealer, next, first, second } = await rotatingFleet();
  const keys = await addWebhooks(fleet, sealer, (path) => `http://127.0.0.1:1${path}`, 1000);
  const env = { ...fleet.environment, WAYPOST_MASTER_KEY: `${second},${first}` };
  const counts = () => countSealedValues(fleet.database.pool, sealer.current.fingerprint);
  // Like the first start: registers the first key.
  await runCli(['keys', 'reseal'], fleet.environment);
  const killed = startCli(['keys', 'reseal'], env);
  await killed.waitForOutput(/values encrypted again/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  // The server may still run the last statement of the process.
  const sessions = () =>
    fleet.rows(`select from pg_stat_activity
                where datname = current_database() and application_name in ('waypost', 'waypost keys')`);
  await expect.poll(sessions, soon).toEqual([]);
  const halfway = await counts();
  expect(halfway.get(next.current.fingerprint)).toBeGreaterThan(0);
  expect(halfway.get(sealer.current.fingerprint)).toBeGreaterThan(0);

  const left = halfway.get(sealer.current.fingerprint);
  const { code, stdout } = await runCli(['keys', 'reseal'], env);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `${left} values were encrypted again with ${next.current.fingerprint}.\n`,
  });
  expect(await counts()).toEqual(new Map([[next.current.fingerprint, 1001]]));
  const rows = await fleet.rows<{ secret: Buffer; path: string }>(
    `select secret, substring(push_url from '/hook.*') as path from webhooks`,
  );
  const opened = rows.map(({ secret, path }) => {
    const { secret: text, seed } = openWebhookSecret(next, secret);
    return [path, { secret: text, publicKey: publicKeyOf(signingKey(seed)).whpk }] as const;
  });
  expect(new Map(opened)).toEqual(keys);
});
