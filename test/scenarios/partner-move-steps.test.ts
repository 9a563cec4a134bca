import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createPartner } from '../../src/modules/accounts/partners/partner-store.ts';
import { compareFiles } from '../../src/service/shared-files.ts';
import type { TestApi } from '../support/api.ts';
import { runCli, startCli } from '../support/cli.ts';
import { startReceiver, startWorker } from '../support/delivery.ts';
import { runJobs } from '../support/jobs.ts';
import { addMovingPartner, emit, type MovingPartner, TwoCells } from '../support/two-cells.ts';

// A move reads and locks all tables.
vi.setConfig({ testTimeout: 300_000 });

let cells: TwoCells;
let apis: [TestApi, TestApi];

beforeAll(async () => {
  cells = await TwoCells.create();
  apis = await cells.startApis();
});
afterAll(async () => {
  for (const api of apis) await api.close();
});

const addPartner = (pushUrl?: string) => addMovingPartner(apis[0], pushUrl);

const waitingJobs = async (cell: 0 | 1, { locationId }: MovingPartner) =>
  (
    await cells.databases[cell].pool.query(
      `select from graphile_worker._private_jobs where payload ->> 'locationId' = $1 and locked_at is null
         and run_at > now() + interval '10 minutes'`,
      [String(locationId)],
    )
  ).rowCount;

/** Throws at the step with this number. Returns whether the move got there. */
async function stopAt(step: number, { rootId }: MovingPartner): Promise<boolean> {
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

const read = (cell: 0 | 1, path: string, { partner }: MovingPartner) =>
  apis[cell].call('GET', path, undefined, { privateKey: partner.privateKey });

async function expectMoved(moving: MovingPartner, rows: Record<string, number>) {
  expect(await cells.rowsOf(1, [moving.rootId])).toEqual(rows);
  expect(await cells.rowsOf(0, [moving.rootId])).toEqual({});
  for (const cell of [0, 1] as const) expect(await cells.tracesOfMoves(cell)).toEqual([]);
  expect((await read(1, `/api/locations/${moving.locationId}`, moving)).code).toBe(200);
  expect((await read(1, moving.file, moving)).code).toBe(200);
  expect(await compareFiles(cells.databases[1].pool, apis[1].services.files)).toBe('shared');
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
});

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
});

test('a move after an undo that was stopped freezes the partner again', async () => {
  const moving = await addPartner();
  const rename = (name: string) => moving.partner.call('PATCH', `/api/locations/${moving.locationId}`, { name });
  const beforeCopy = (line: string) => {
    if (line === 'Copying rows.') throw new Error('stopped');
  };
  await expect(cells.onMove(moving.rootId, 0, (move) => move.run(), beforeCopy)).rejects.toThrow('stopped');
  const { pool } = cells.databases[0];
  await pool.query(`
    create function stop() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$;
    create trigger stop before delete on partner_moves for each row execute function stop()`);
  await expect(cells.onMove(moving.rootId, 0, (move) => move.undo())).rejects.toThrow('stopped');
  await pool.query('drop function stop cascade');
  expect((await rename('Changed between')).code).toBe(200);
  await cells.onMove(moving.rootId, 0, (move) => move.run());
  expect((await rename('Changed after the copy')).code).toBe(503);
  await cells.onMove(moving.rootId, 0, (move) => move.finish());
  const { body } = await read(1, `/api/locations/${moving.locationId}`, moving);
  expect(body.response.name).toBe('Changed between');
});

test('an error of the other cell during the copy is reported', async () => {
  const moving = await addPartner();
  // More than the buffers of the connections.
  await cells.databases[0].pool.query(
    `insert into audit_trail (partner_id, actor, action, subject, details)
     select $1, 'test', 'CREATED', 'LOCATION', jsonb_build_object('text', repeat('x', 100000)) from generate_series(1, 200)`,
    [moving.rootId],
  );
  const { pool } = cells.databases[1];
  await pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
    create trigger fail before insert on audit_trail for each row execute function fail();
    alter table audit_trail enable always trigger fail`);
  await expect(cells.onMove(moving.rootId, 0, (move) => move.run())).rejects.toThrow('disk full');
  await pool.query('drop function fail cascade');
  await cells.onMove(moving.rootId, 0, (move) => move.undo());
  expect(await cells.rowsOf(1, [moving.rootId])).toEqual({});
});

test('the deletion on the first cell is resumed after it was stopped', async () => {
  for (const lines of [/^Deleting/, /^Removing/]) {
    const moving = await addPartner();
    const rows = await cells.rowsOf(0, [moving.rootId]);
    await cells.onMove(moving.rootId, 0, (move) => move.run());
    const stop = (line: string) => {
      if (lines.test(line)) throw new Error('stopped');
    };
    await expect(cells.onMove(moving.rootId, 0, (move) => move.finish(), stop)).rejects.toThrow('stopped');
    await cells.onMove(moving.rootId, 0, (move) => move.finish());
    await expectMoved(moving, rows);
  }
});

test('files on the first cell are removed with their rows', async () => {
  const moving = await addPartner();
  const rows = await cells.rowsOf(0, [moving.rootId]);
  await cells.onMove(moving.rootId, 0, (move) => move.run());
  const { pool } = cells.databases[0];
  const names = async () => (await pool.query("select name from unsettled_files where state = 'LEAVING'")).rows;
  const before = await names();
  await pool.query(`
    create function stop() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$;
    create trigger stop before delete on assets for each row execute function stop();
    alter table assets enable always trigger stop`);
  await expect(cells.onMove(moving.rootId, 0, (move) => move.finish())).rejects.toThrow('stopped');
  await pool.query('drop function stop cascade');
  expect(await names()).toEqual(before);
  await cells.onMove(moving.rootId, 0, (move) => move.finish());
  // The file and its thumbnail.
  expect(await names()).toHaveLength(before.length + 2);
  await expectMoved(moving, rows);
});

test('a killed process is resumed by the next one', async () => {
  const moving = await addPartner();
  const rows = await cells.rowsOf(0, [moving.rootId]);
  const args = ['partners', 'move', String(moving.rootId), '--to', '1', '--settings', cells.settingsOf(1)];
  const killed = startCli(args, cells.envOf(0));
  await killed.waitForOutput(/Copying rows/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await runCli(args, cells.envOf(0))).toMatchObject({ code: 0 });
  expect(await runCli([...args, '--finish'], cells.envOf(0))).toMatchObject({ code: 0 });
  await expectMoved(moving, rows);
});

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

/** Waits until the worker has released the lease of a worker that does not exist. */
async function expectOrphansReleased({ database: { pool } }: TestApi) {
  await pool.query(
    `insert into webhook_leases values (-1, 2147483647, nextval('lease_token'), now() + interval '1 day')`,
  );
  const isReleased = async () => (await pool.query('select from webhook_leases where webhook_id = -1')).rowCount === 0;
  await vi.waitUntil(isReleased, { timeout: 10_000 });
}

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
  await expectOrphansReleased(here);
  const makeDue = `update delivery_queue set due_at = now()`;
  await here.database.pool.query(`begin; set local session_replication_role = replica; ${makeDue}; commit`);
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

test('an attempt of a job that fails because of the freeze does not count, unless the job was replaced', async () => {
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
  // As if its key had been enqueued again while it was running.
  const replaced = await pool.query(
    `insert into graphile_worker._private_jobs (task_id, payload, attempts, max_attempts, last_error)
     select task_id, payload, max_attempts, max_attempts, last_error from graphile_worker._private_jobs
     where payload ->> 'locationId' = $1 and last_error is not null returning id`,
    [String(moving.locationId)],
  );
  await cells.onMove(moving.rootId, 0, (move) => move.undo());
  expect(await attemptsOf('jobs.attempts')).toEqual([0]);
  const left = await pool.query('select from graphile_worker.jobs where id = any ($1) and attempts < max_attempts', [
    replaced.rows.map(({ id }) => id),
  ]);
  expect([replaced.rowCount, left.rowCount]).toEqual([1, 0]);
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

test('waiting deliveries of ordered webhooks are not moved to a cell with smaller ids', async () => {
  const moving = await addPartner();
  await cells.onMove(moving.rootId, 0, (move) => move.run());
  await cells.onMove(moving.rootId, 0, (move) => move.finish());
  const { pool } = cells.databases[1];
  const { privateKey } = moving.partner;
  const call = (method: string, path: string, body?: object) => apis[1].call(method, path, body, { privateKey });
  const webhooks = '/api/sales-partners/webhooks';
  const [webhook] = (await call('GET', webhooks)).body.response;
  expect((await call('PATCH', `${webhooks}/${webhook.id}`, { ordered: true })).code).toBe(200);
  await call('POST', '/api/event-types/LOCATION_CREATED/emit', {});
  const isOrdered = 'webhook_id = $1 and order_key is not null';
  expect((await pool.query(`select from delivery_queue where ${isOrdered}`, [webhook.id])).rowCount).toBeGreaterThan(0);
  const back = () => cells.onMove(moving.rootId, 1, (move) => move.run());
  await expect(back()).rejects.toThrow('Deliveries of ordered webhooks are waiting.');
  await cells.onMove(moving.rootId, 1, (move) => move.undo());
  await pool.query(`delete from delivery_queue where ${isOrdered}`, [webhook.id]);
  await back();
  await cells.onMove(moving.rootId, 1, (move) => move.finish());
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
