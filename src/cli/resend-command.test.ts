import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { TestPartner } from '../../test/support/api.ts';
import { runCli } from '../../test/support/cli.ts';
import { startWorker } from '../../test/support/delivery.ts';
import { afterStatement } from '../../test/support/interleaving.ts';
import { runJobs } from '../../test/support/jobs.ts';
import { LogScene } from '../../test/support/log-scene.ts';

let scene: LogScene;
let partner: TestPartner;
beforeAll(async () => {
  scene = await LogScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  partner = await scene.api.addPartner();
});

const run = (...args: string[]) =>
  runCli(['resend', ...args], {
    WAYPOST_URL: `http://127.0.0.1:${scene.api.port}`,
    WAYPOST_PRIVATE_KEY: partner.privateKey,
  });

function work(): void {
  const worker = startWorker(scene.api.services, { retrySchedule: [3600] });
  onTestFinished(() => worker.stop());
}

/** Runs jobs until the command has ended. */
async function runWithJobs(...args: string[]) {
  let hasEnded = false;
  const ended = run(...args).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await runJobs(scene.api.database);
  return ended;
}

const received = (pushUrl: string) => scene.receiver.requests.filter(({ path }) => pushUrl.endsWith(path));

test('sends a delivered event again, with the same id, and prints the response', async () => {
  const [good, bad] = [await scene.webhook(partner), await scene.webhook(partner, 500)];
  const id = await scene.record(partner);
  await scene.deliver(good);
  await scene.deliver(bad);
  work();
  const { code, stdout } = await run(`${id}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^webhook ${good.id} ${good.pushUrl} → 200 in \\d+ ms: delivered$`, 'm'));
  expect(stdout).toMatch(
    new RegExp(`^webhook ${bad.id} ${bad.pushUrl} → 500 in \\d+ ms: retrying, next attempt at`, 'm'),
  );
  expect(received(good.pushUrl).map(({ body }) => JSON.parse(body).event.id)).toEqual([id, id]);
});

test('does not print a scheduled retry that ends before the event is sent', async () => {
  const { services, database } = scene.api;
  const webhook = await scene.webhook(partner, 500);
  const id = await scene.record(partner);
  const start = () => startWorker(services, { retrySchedule: [3600, 3600] });
  async function attempt(number: number) {
    await scene.query('update delivery_queue set due_at = now() where webhook_id = $1', [webhook.id]);
    const worker = start();
    await expect.poll(async () => (await scene.queueOf(webhook))[0].attempts).toBe(number);
    await worker.stop();
  }
  await attempt(1);
  // The retry ends after the event was read. The requested attempt starts after the first look at its result.
  afterStatement(database, ['"recorded"'], async () => {
    await attempt(2);
    afterStatement(database, ['"queued_attempts"'], async () => {
      const worker = start();
      onTestFinished(() => worker.stop());
    });
  });
  const { code, stdout } = await run(`${id}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^webhook ${webhook.id} ${webhook.pushUrl} → 500 in \\d+ ms: discarded$`, 'm'));
});

test('sends only to the chosen webhook', async () => {
  const [first, second] = [await scene.webhook(partner), await scene.webhook(partner)];
  const id = await scene.record(partner);
  await scene.deliver(first);
  await scene.deliver(second);
  work();
  expect(await run(`${id}`, '--webhook', `${second.id}`)).toMatchObject({ code: 0, stderr: '' });
  expect([received(first.pushUrl).length, received(second.pushUrl).length]).toEqual([1, 2]);
});

test('sends to a webhook that was created after the event, and no other event', async () => {
  const [, id] = await scene.recordEvents(partner, 3);
  const webhook = await scene.webhook(partner);
  work();
  const { code, stdout } = await runWithJobs(`${id}`);
  expect(code).toBe(0);
  expect(stdout).toContain(`webhook ${webhook.id} ${webhook.pushUrl} → 200`);
  expect(received(webhook.pushUrl).map(({ body }) => JSON.parse(body).event.id)).toEqual([id]);
});

test('refuses to send other events of the same millisecond', async () => {
  const emitted = await partner.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count: 3 });
  const [id] = emitted.body.response.eventIds;
  const webhook = await scene.webhook(partner);
  const { code, stderr } = await run(`${id}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`Not sent to webhook ${webhook.id}: .* a replay would send 3 events`));
  expect(await scene.queueOf(webhook)).toEqual([]);
});

test('explains why an event cannot be sent', async () => {
  const id = await scene.record(partner);
  expect(await run(`${id}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No enabled webhook is subscribed to LOCATION_CREATED.'),
  });
  const other = await scene.webhook(partner, 200, { type: 'BUSINESS_CREATED' });
  expect(await run(`${id}`, '--webhook', `${other.id}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is subscribed to BUSINESS_CREATED'),
  });
  const filtering = await scene.webhook(partner, 200, { filter: { field: 'location', equals: 1 } });
  expect(await run(`${id}`, '--webhook', `${filtering.id}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Its present settings exclude the event too.'),
  });
  const webhook = await scene.webhook(partner);
  const delivered = await scene.record(partner);
  await scene.deliver(webhook);
  await scene.change(partner, webhook, { enabled: false });
  expect(await run(`${delivered}`, '--webhook', `${webhook.id}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('disabled'),
  });
  await scene.remove(partner, webhook);
  expect(await run(`${delivered}`, '--webhook', `${webhook.id}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Webhook ${webhook.id} was deleted, so events cannot be sent to it.`),
  });
  expect(await run(`${id}`, '--webhook', '999999')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no webhook 999999.'),
  });
});

test('events of other partners, unknown and expired events are not found', async () => {
  const foreign = await scene.record(await scene.api.addPartner());
  for (const id of [foreign, 999_999_999]) {
    const { code, stdout, stderr } = await run(`${id}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`There is no event ${id} of this partner. It was never recorded, or it is older`);
  }
});

test.each([
  [[], 'The event id is missing.'],
  [['x'], 'EVENT is "x": set it to a whole number'],
  [['1', '2'], '"2" is an unexpected argument.'],
  [['1', '--webhook', 'x'], '--webhook is "x": set it to a whole number'],
])('rejects %j', async (args, sentence) => {
  expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});
