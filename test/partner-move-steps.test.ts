import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from '../src/database/migrate.ts';
import { createPartner } from '../src/modules/accounts/partners/partner-store.ts';
import { cleanseJob } from '../src/modules/locations/change-location.ts';
import { TestApi, type TestPartner } from './support/api.ts';
import { addAsset } from './support/assets.ts';
import { runCli, startCli, temporaryFolder } from './support/cli.ts';
import { createPlainDatabase } from './support/database.ts';
import { startReceiver, startWorker } from './support/delivery.ts';
import { runJobs } from './support/jobs.ts';
import { hasLoadBalancer, startLoadBalancer } from './support/load-balancer.ts';
import { addLocation } from './support/locations.ts';
import { TwoCells } from './support/two-cells.ts';
import { addUser } from './support/users.ts';

let cells: TwoCells;
const apis: TestApi[] = [];

beforeAll(async () => {
  cells = await TwoCells.create();
  for (const database of cells.databases)
    apis.push(await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' }, database, undefined, undefined, cells.sealer));
});
afterAll(async () => {
  for (const api of apis) await api.close();
});

const emit = (partner: TestPartner, count = 1) =>
  partner.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count });

/** A root partner with a location, a file, a waiting job and a webhook. */
async function addPartner(pushUrl = 'http://127.0.0.1:9/hook') {
  const [api] = apis as [TestApi];
  const partner = await api.addPartner();
  const { id: locationId } = await addLocation(partner);
  const asset = await addAsset(partner);
  await partner.call('POST', '/api/sales-partners/webhooks', { type: 'LOCATION_CREATED', pushUrl });
  await cleanseJob.enqueue(api.database.pool, { locationId }, { delaySeconds: 3600 });
  return { partner, rootId: partner.partner.id, locationId, file: new URL(asset.url).pathname };
}

type Moving = Awaited<ReturnType<typeof addPartner>>;

const waitingJobs = async (cell: 0 | 1, { locationId }: Moving) =>
  (
    await cells.databases[cell].pool.query(
      `select from graphile_worker._private_jobs where payload ->> 'locationId' = $1 and locked_at is null
         and run_at > now() + interval '10 minutes'`,
      [String(locationId)],
    )
  ).rowCount;

/** Throws at the step with this number. Returns whether the move got there. */
async function stopAt(step: number, { rootId }: Moving): Promise<boolean> {
  let steps = 0;
  const stopped = new Error('stopped');
  const report = () => {
    steps += 1;
    if (steps === step) throw stopped;
  };
  try {
    await cells.onMove(rootId, 0, (move) => move.run(), report);
    return false;
  } catch (error) {
    if (error !== stopped) throw error;
    return true;
  }
}

const read = (cell: 0 | 1, path: string, { partner }: Moving) =>
  (apis[cell] as TestApi).call('GET', path, undefined, { privateKey: partner.privateKey });

async function expectMoved(moving: Moving, rows: Record<string, number>) {
  expect(await cells.rowsOf(1, [moving.rootId])).toEqual(rows);
  expect(await cells.rowsOf(0, [moving.rootId])).toEqual({});
  for (const cell of [0, 1] as const) expect(await cells.tracesOfMoves(cell)).toEqual([]);
  expect((await read(1, `/api/locations/${moving.locationId}`, moving)).code).toBe(200);
  expect((await read(1, moving.file, moving)).code).toBe(200);
  expect(await waitingJobs(1, moving)).toBe(1);
  expect(await waitingJobs(0, moving)).toBe(0);
}

test('resumed after it was stopped at any step', async () => {
  let step = 1;
  for (let isStopped = true; isStopped; step += 1) {
    const moving = await addPartner();
    const rows = await cells.rowsOf(0, [moving.rootId]);
    isStopped = await stopAt(step, moving);
    await cells.onMove(moving.rootId, 0, (move) => move.run());
    await cells.onMove(moving.rootId, 0, (move) => move.finish());
    await expectMoved(moving, rows);
  }
  expect(step).toBeGreaterThan(6);
}, 300_000);

test('undone at any step before the commit, the other cell has nothing and the partner can be changed', async () => {
  const undone: number[] = [];
  for (let step = 1; ; step += 1) {
    const moving = await addPartner();
    const rows = await cells.rowsOf(0, [moving.rootId]);
    await stopAt(step, moving);
    if ((await cells.rowsOf(1, [moving.rootId])).sales_partners) {
      await expect(cells.onMove(moving.rootId, 0, (move) => move.undo())).rejects.toThrow('is on cell 1 already');
      await cells.onMove(moving.rootId, 0, (move) => move.run());
      await cells.onMove(moving.rootId, 0, (move) => move.finish());
      break;
    }
    await cells.onMove(moving.rootId, 0, (move) => move.undo());
    undone.push(step);
    expect(await cells.rowsOf(0, [moving.rootId])).toEqual(rows);
    expect(await cells.rowsOf(1, [moving.rootId])).toEqual({});
    expect(await cells.tracesOfMoves(1)).toEqual([]);
    expect(await cells.tracesOfMoves(0)).toEqual([]);
    expect(await waitingJobs(0, moving)).toBe(1);
    expect((await emit(moving.partner)).code).toBe(200);
  }
  expect(undone.length).toBeGreaterThan(4);
}, 300_000);

test('a killed process is resumed by the next one', async () => {
  const moving = await addPartner();
  const rows = await cells.rowsOf(0, [moving.rootId]);
  const settings = join(temporaryFolder(), 'cell-1.env');
  writeFileSync(settings, envFile(cells.envOf(1)));
  const args = ['partners', 'move', String(moving.rootId), '--to', '1', '--settings', settings];
  const killed = startCli(args, cells.envOf(0));
  await killed.waitForOutput(/Copying rows/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await runCli(args, cells.envOf(0))).toMatchObject({ code: 0 });
  expect(await runCli([...args, '--finish'], cells.envOf(0))).toMatchObject({ code: 0 });
  await expectMoved(moving, rows);
}, 120_000);

test('changes of the frozen partner get 503 with Retry-After, reads and other partners are not affected', async () => {
  const moving = await addPartner();
  const other = await addPartner();
  await stopAt(3, moving);
  const { code, headers, body } = await emit(moving.partner);
  expect({ code, retryAfter: headers.get('retry-after'), status: body.status }).toEqual({
    code: 503,
    retryAfter: '30',
    status: 'SERVICE_UNAVAILABLE',
  });
  expect(body.message).toContain('being moved to another cell');
  const change = { name: 'New name' };
  expect((await moving.partner.call('PATCH', `/api/locations/${moving.locationId}`, change)).code).toBe(503);
  expect((await moving.partner.call('GET', `/api/locations/${moving.locationId}`)).code).toBe(200);
  expect((await other.partner.call('PATCH', `/api/locations/${other.locationId}`, change)).code).toBe(200);
  await cells.onMove(moving.rootId, 0, (move) => move.undo());
  expect((await moving.partner.call('PATCH', `/api/locations/${moving.locationId}`, change)).code).toBe(200);
});

test('events that were not delivered are sent by the other cell, and none is missing', async () => {
  const receiver = await startReceiver(() => 503);
  const elsewhere = await startReceiver();
  const [here, there] = apis as [TestApi, TestApi];
  const moving = await addPartner(receiver.url());
  const other = await addPartner(elsewhere.url());
  await emit(moving.partner, 20);
  const worker = startWorker(here.services, { retrySchedule: [0.02, 3600], breakerThreshold: 1000, leaseSeconds: 2 });
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
    await elsewhere.close();
  });
  await vi.waitUntil(() => receiver.requests.length > 0);
  await cells.onMove(moving.rootId, 0, (move) => move.run());
  const sent = receiver.requests.length;
  // Deliveries of another partner are sent meanwhile.
  await emit(other.partner, 5);
  await vi.waitUntil(() => new Set(elsewhere.ids()).size >= 5, { timeout: 10_000 });
  expect(receiver.requests.length).toBe(sent);
  await cells.onMove(moving.rootId, 0, (move) => move.finish());
  const { rows } = await there.database.pool.query(
    'select event_id as id from delivery_queue where webhook_id in (select id from webhooks where partner_id = $1)',
    [moving.rootId],
  );
  receiver.requests.length = 0;
  receiver.respond = () => 200;
  await there.database.pool.query('update delivery_queue set due_at = now()');
  const next = startWorker(there.services, {});
  onTestFinished(() => next.stop());
  await vi.waitUntil(() => new Set(receiver.ids()).size >= rows.length, { timeout: 10_000 });
  expect(new Set(receiver.ids())).toEqual(new Set(rows.map(({ id }) => id)));
  expect(rows).toHaveLength(20);
});

test('a delivery in flight during the freeze does not hold back other partners, and is sent again', async () => {
  const responses = Promise.withResolvers<number>();
  const receiver = await startReceiver(() => responses.promise);
  const elsewhere = await startReceiver();
  const [here, there] = apis as [TestApi, TestApi];
  const moving = await addPartner(receiver.url());
  const other = await addPartner(elsewhere.url());
  await emit(moving.partner);
  const worker = startWorker(here.services, { leaseSeconds: 2 });
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
    await elsewhere.close();
  });
  await vi.waitUntil(() => receiver.requests.length === 1);
  await cells.onMove(moving.rootId, 0, (move) => move.run());
  // The worker cannot note the result.
  responses.resolve(200);
  await vi.waitUntil(() => here.logLines.some(({ event }) => event === 'settle.refused'), { timeout: 10_000 });
  await emit(other.partner, 3);
  await vi.waitUntil(() => elsewhere.requests.length === 3, { timeout: 10_000 });
  const next = startWorker(there.services, {});
  onTestFinished(() => next.stop());
  await vi.waitUntil(() => receiver.requests.length === 2, { timeout: 10_000 });
  expect(receiver.ids()[1]).toBe(receiver.ids()[0]);
  await cells.onMove(moving.rootId, 0, (move) => move.finish());
});

test('an attempt of a job that fails because of the freeze does not count', async () => {
  const moving = await addPartner();
  const { pool } = cells.databases[0];
  const attemptsOf = async (column: string) =>
    (
      await pool.query(
        `select ${column} as value from graphile_worker.jobs
         join graphile_worker._private_jobs as private using (id) where private.payload ->> 'locationId' = $1
         order by jobs.run_at limit 1`,
        [String(moving.locationId)],
      )
    ).rows.map(({ value }) => value);
  // The triggers exist, and the jobs are not held yet.
  await stopAt(2, moving);
  await runJobs(cells.databases[0]);
  expect(await attemptsOf('jobs.last_error')).toEqual([expect.stringContaining('being moved to another cell')]);
  expect(await attemptsOf('jobs.attempts')).toEqual([1]);
  await cells.onMove(moving.rootId, 0, (move) => move.undo());
  expect(await attemptsOf('jobs.attempts')).toEqual([0]);
});

test('a row that arrives damaged is found by its checksum', async () => {
  const moving = await addPartner();
  const rows = await cells.rowsOf(0, [moving.rootId]);
  const { pool } = cells.databases[1];
  await pool.query(`
    create function damage() returns trigger language plpgsql as $$ begin new.city := new.city || '?'; return new; end $$;
    create trigger damage before insert on locations for each row execute function damage();
    alter table locations enable always trigger damage`);
  await expect(cells.onMove(moving.rootId, 0, (move) => move.run())).rejects.toThrow(
    /^The copy of locations is different/,
  );
  expect(await cells.rowsOf(1, [moving.rootId])).toEqual({});
  await pool.query('drop function damage cascade');
  await cells.onMove(moving.rootId, 0, (move) => move.run());
  await cells.onMove(moving.rootId, 0, (move) => move.finish());
  await expectMoved(moving, rows);
});

test('an identifier that the other cell uses is named', async () => {
  const moving = await addPartner();
  const { identifier } = moving.partner.partner;
  await createPartner(cells.databases[1].pool, cells.sealer, { identifier, name: 'Another' });
  await expect(cells.onMove(moving.rootId, 0, (move) => move.run())).rejects.toThrow(
    `A row of sales_partners exists on the other cell already. Key (identifier)=(${identifier}) already exists.`,
  );
  await cells.onMove(moving.rootId, 0, (move) => move.undo());
});

test('an import that is not finished is named', async () => {
  const moving = await addPartner();
  const { pool } = cells.databases[0];
  await pool.query(
    `insert into tasks (partner_id, type, status, job, created_by) values ($1, 'LOCATION_IMPORT', 'CREATED', 'x', 'x')`,
    [moving.rootId],
  );
  await expect(cells.onMove(moving.rootId, 0, (move) => move.run())).rejects.toThrow(
    'an import of locations that is not',
  );
  await cells.onMove(moving.rootId, 0, (move) => move.undo());
});

describe('the command', () => {
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = cells.envOf(0)) =>
    runCli(['partners', 'move', ...args], env);

  const settingsOf = (cell: 0 | 1, more: NodeJS.ProcessEnv = {}) => {
    const path = join(temporaryFolder(), `cell-${cell}.env`);
    writeFileSync(path, envFile({ ...cells.envOf(cell), ...more }));
    return path;
  };

  test.each([
    [[], 'The partner id is missing.'],
    [['x'], 'ID is "x": set it to'],
    [['7'], '--to is missing.'],
    [['7', '--to', '256'], '--settings is missing.'],
    [['7', '--to', '256', '--settings', 'x'], '--to is "256": set it to'],
    [['7', '--to', '1', '--settings', 'x', '--undo', '--finish'], 'cannot be used together'],
    [['7', '--to', '1', '--settings', 'x', '--reload', 'true'], '--reload needs --maps.'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('refuses other cells, child partners, other master keys and unknown partners', async () => {
    const parent = await addPartner();
    const child = await (apis[0] as TestApi).addPartner(parent.partner);
    const settings = settingsOf(1);
    const otherKey = settingsOf(1, { WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') });
    const id = String(parent.rootId);
    const refusals: [string[], string][] = [
      [[id, '--to', '1', '--settings', '/does/not/exist'], 'cannot be read (ENOENT)'],
      [[id, '--to', '2', '--settings', settings], 'WAYPOST_CELL in'],
      [[id, '--to', '0', '--settings', settingsOf(0)], 'which is this cell'],
      [[String(child.partner.id), '--to', '1', '--settings', settings], `is a child of ${id}`],
      [['123456789', '--to', '1', '--settings', settings], 'There is no partner 123456789 on cell 0'],
      [[id, '--to', '1', '--settings', settings, '--finish'], 'is not being moved'],
      [[id, '--to', '1', '--settings', settings, '--undo'], 'is not being moved'],
      [[id, '--to', '1', '--settings', otherKey], 'master key'],
    ];
    for (const [args, message] of refusals) {
      const { code, stderr } = await run(args);
      expect({ args, code, stderr }).toEqual({ args, code: 1, stderr: expect.stringContaining(message) });
    }
    expect((await emit(parent.partner)).code).toBe(200);
  });

  test('names the grant that the database role needs', async () => {
    const { rootId } = await addPartner();
    const url = new URL(await createPlainDatabase());
    await migrate({ url: url.href });
    const settings = settingsOf(1, { DATABASE_URL: url.href });
    const { code, stderr } = await run([String(rootId), '--to', '1', '--settings', settings]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`grant set on parameter session_replication_role to ${url.username};`),
    });
  });

  test('prints the lines of the maps', async () => {
    const { rootId } = await addPartner();
    const { code, stdout } = await run([String(rootId), '--to', '1', '--settings', settingsOf(1)]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => /^credentials\.map [0-9a-f]{64} 1$/.test(line)).length).toBeGreaterThanOrEqual(3);
    expect(lines.filter((line) => /^webhooks\.map \d+ 1$/.test(line))).toHaveLength(1);
    await cells.onMove(rootId, 0, (move) => move.finish());
  });

  test.skipIf(!hasLoadBalancer)('old credentials reach the other cell by the maps', async () => {
    const moving = await addPartner();
    const { partner, rootId, file } = moving;
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const password = 'a long password';
    await addUser(apis[0] as TestApi, partner, { role: 'ADMIN', email, password });
    const webhook = { type: 'LOCATION_CREATED', pushUrl: 'https://crm.example/', asymmetricSignature: true };
    const { body } = await partner.call('POST', '/api/sales-partners/webhooks', webhook);
    const maps = join(temporaryFolder(), 'maps');
    mkdirSync(maps);
    const kept = `${'0'.repeat(64)} 1\n`;
    for (const name of ['credentials.map', 'emails.map', 'webhooks.map']) writeFileSync(join(maps, name), kept);
    const reloaded = join(maps, 'reloaded');
    const args = [
      String(rootId),
      '--to',
      '1',
      '--settings',
      settingsOf(1),
      '--maps',
      maps,
      '--reload',
      `touch ${reloaded}`,
    ];
    expect(await run(args)).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(reloaded, 'utf8')).toBe('');
    expect(await run([...args.slice(0, 5), '--finish'])).toMatchObject({ code: 0 });
    const map = (name: string) => readFileSync(join(maps, `${name}.map`), 'utf8');
    for (const name of ['credentials', 'emails', 'webhooks']) expect(map(name)).toContain(kept);
    const balancer = await startLoadBalancer({
      ports: [(apis[0] as TestApi).port, (apis[1] as TestApi).port],
      emails: map('emails'),
      credentials: map('credentials'),
      webhooks: map('webhooks'),
    });
    onTestFinished(balancer.stop);
    const request = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(balancer.baseUrl + path, init);
      return { code: response.status, text: await response.text() };
    };
    const { privateKey } = partner;
    expect(await request('/api/sales-partners', { headers: { privateKey } })).toMatchObject({ code: 200 });
    expect(await request(`/.well-known/webhook-keys/${body.response.id}`)).toMatchObject({ code: 200 });
    expect(await request(file)).toMatchObject({ code: 200 });
    const signIn = {
      method: 'POST',
      body: JSON.stringify({ email, password }),
      headers: { 'content-type': 'application/json' },
    };
    expect(await request('/api/users/login', signIn)).toMatchObject({ code: 200 });
    // Back on its first cell, it needs only the entries of credentials without a known prefix.
    const back = [String(rootId), '--to', '0', '--settings', settingsOf(0), '--maps', maps];
    expect(await run(back, cells.envOf(1))).toMatchObject({ code: 0 });
    expect(await run([...back.slice(0, 5), '--finish'], cells.envOf(1))).toMatchObject({ code: 0 });
    expect([map('emails'), map('webhooks')]).toEqual([kept, kept]);
    expect((await partner.call('GET', '/api/sales-partners')).code).toBe(200);
  });
});

const envFile = (env: Record<string, string | undefined>) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
