import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../src/api/openapi/openapi-document.ts';
import { newestVersion } from '../../src/api/versions/timeline.ts';
import { Database } from '../../src/database/connection.ts';
import { jobConnectionName } from '../../src/jobs/runner.ts';
import { wordIds } from '../../src/modules/analytics/dashboard/feedback/keyword-store.ts';
import type { TestApi } from '../support/api.ts';
import { addAsset } from '../support/assets.ts';
import { ExampleRequests } from '../support/example-requests.ts';
import { ExampleWorld } from '../support/example-world.ts';
import { runJobs } from '../support/jobs.ts';
import { TwoCells } from '../support/two-cells.ts';

/** A root partner with records of every kind is moved from cell 0 to cell 1 and back. */

let cells: TwoCells;
let world: ExampleWorld;
let other: ExampleWorld;
let second: TestApi;
let reads: Map<string, () => Promise<{ code: number; body: unknown }>>;
let rootId: number;
let partnerIds: number[];
let fileUrl: string;

beforeAll(async () => {
  cells = await TwoCells.create();
  world = await ExampleWorld.open(cells.databases[0], cells.sealer);
  other = await world.addRoot();
  second = await ExampleWorld.startApi(world.sandbox, cells.databases[1], cells.sealer);
  // The words of reviews have other ids on this cell.
  await wordIds(cells.databases[1].pool, [
    { language: 'de', stem: 'brot', form: 'Brot' },
    { language: 'en', stem: 'bread', form: 'bread' },
  ]);
  rootId = world.owner.partner.id;
  const examples = new ExampleRequests(openApiDocument(world.api.server.routeRecords, newestVersion), world);
  await examples.prepare();
  fileUrl = new URL((await addAsset(world.partner)).url).pathname;
  reads = new Map();
  for (const key of examples.operations.filter((one) => one.startsWith('GET ') && !ofInstallation.test(one)))
    reads.set(key, await examples.repeatable(key));
  await world.runJobs();
  const { rows } = await world.query('select id from sales_partners where lineage[1] = $1', [rootId]);
  partnerIds = rows.map(({ id }) => id);
}, 600_000);
afterAll(async () => {
  await second?.close();
  await world?.close();
});

/** The sandbox belongs to the installation, and the events of a cell are those of all its partners. */
const ofInstallation = /\/api\/sandbox(\/|$)/;

async function readAll() {
  const responses: Record<string, unknown> = {};
  for (const [key, send] of reads) {
    const { code, body } = await send();
    const stored = JSON.parse(JSON.stringify(body, withoutSignature).replaceAll(ownUrl(), ''));
    responses[key] = { code, body: key.endsWith('/webhooks/activity') ? withoutEmptyHours(stored) : stored };
  }
  return responses;
}

/** Responses contain the URL of the API, which is that of the load balancer for all cells. */
const ownUrl = () => `http://127.0.0.1:${world.api.port}`;

/** The headers of the next attempt are those of the moment. */
const withoutSignature = (name: string, value: unknown) =>
  ['webhook-signature', 'webhook-timestamp'].includes(name) ? 'of the moment' : value;

/** The activity is that of the last 24 hours, which are others after the next full hour. */
function withoutEmptyHours({ response: { webhooks }, ...rest }: Activity): unknown {
  const active = webhooks.map(({ hours, ...webhook }) => ({
    ...webhook,
    hours: hours.filter(({ delivered, failed }) => delivered + failed > 0),
  }));
  return { ...rest, webhooks: active };
}

interface Activity {
  response: { webhooks: { hours: { start: string; delivered: number; failed: number }[] }[] };
}

/** Requests of the partners go to the API of this cell. */
function routeTo(cell: 0 | 1) {
  const { port } = [world.api, second][cell] as TestApi;
  const spy = vi.spyOn(world.api, 'port', 'get').mockReturnValue(port);
  return () => spy.mockRestore();
}

const emit = (scene: ExampleWorld) =>
  scene.partner.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count: 1 });

/** As the job runner connects. */
async function runScheduledJobs(cell: 0 | 1, names: readonly string[]) {
  const database = new Database(cells.databases[cell].url, { connections: 4, name: jobConnectionName });
  try {
    for (const name of names) await database.pool.query('select graphile_worker.add_job($1)', [name]);
    await runJobs(database, { directories: world.sandbox.directories });
  } finally {
    await database.close();
  }
}

const failedJobs = async (cell: 0 | 1) =>
  (
    await cells.databases[cell].pool.query(
      'select task_identifier, last_error from graphile_worker.jobs where last_error is not null',
    )
  ).rows;

const forAllPartners = [
  'businesses.apply-product-plans',
  'dashboard.fold-insights',
  'dashboard.fold-standing',
  'datapoints.schedule',
  'exports.expire',
  'feedback.roll-up',
  'homepage.refresh',
  'insights.schedule',
  'listings.schedule',
  'locations.cleanse',
  'locations.end',
  'near-me.sweep',
  'social-posts.due',
  'tasks.forget',
  'tasks.take-up',
  'upkeep',
  'users.forget-expired-sessions',
];

const dueLocations = async ({ partner }: ExampleWorld) =>
  (
    await world.query(`select from locations where partner_id = $1 and status = 'ACTIVE' and next_check_at < now()`, [
      partner.partner.id,
    ])
  ).rowCount;

test('moved to another cell and back, every read returns the same and nothing is lost', async () => {
  await world.query(`update locations set next_check_at = now() - interval '1 hour'`);
  const before = await readAll();
  const rows = await cells.rowsOf(0, partnerIds);
  const otherRows = await cells.rowsOf(0, [other.owner.partner.id, other.partner.partner.id]);
  // The test is worth little without rows in most tables.
  expect(Object.keys(rows).length).toBeGreaterThan(50);

  await cells.onMove(rootId, 0, (move) => move.run());
  expect(await cells.rowsOf(1, partnerIds)).toEqual(rows);
  expect((await emit(world)).code).toBe(503);

  // The source can be read, but not changed, until the move is finished. Other partners are not affected.
  expect(await readAll()).toEqual(before);
  expect((await emit(other)).code).toBe(200);
  await other.deliver();
  const due = [await dueLocations(world), await dueLocations(other)];
  await runScheduledJobs(0, forAllPartners);
  expect(due[1]).toBeGreaterThan(0);
  expect([await dueLocations(world), await dueLocations(other)]).toEqual([due[0], 0]);
  expect(await failedJobs(0)).toEqual([]);
  expect(await cells.rowsOf(0, partnerIds)).toEqual(rows);

  const backToFirst = routeTo(1);
  expect(await readAll()).toEqual(before);
  expect((await world.partner.call('GET', fileUrl)).code).toBe(200);
  await cells.onMove(rootId, 0, (move) => move.finish());
  expect(await cells.rowsOf(0, partnerIds)).toEqual({});
  expect(await cells.rowsOf(0, [other.owner.partner.id, other.partner.partner.id])).toMatchObject({
    locations: otherRows.locations,
    webhooks: otherRows.webhooks,
  });
  expect(await readAll()).toEqual(before);
  expect((await emit(world)).code).toBe(200);
  const changed = await readAll();
  const changedRows = await cells.rowsOf(1, partnerIds);

  // Removes the files of the first cell.
  await runJobs(cells.databases[0]);
  await cells.onMove(rootId, 1, (move) => move.run());
  await cells.onMove(rootId, 1, (move) => move.finish());
  backToFirst();
  expect(await readAll()).toEqual(changed);
  expect(await cells.rowsOf(0, partnerIds)).toEqual(changedRows);
  expect(await cells.rowsOf(1, partnerIds)).toEqual({});
  expect((await world.partner.call('GET', fileUrl)).code).toBe(200);
  expect((await emit(world)).code).toBe(200);
  for (const cell of [0, 1] as const) {
    await runJobs(cells.databases[cell], { directories: world.sandbox.directories });
    expect(await cells.tracesOfMoves(cell)).toEqual([]);
    expect(await failedJobs(cell)).toEqual([]);
  }
}, 900_000);
