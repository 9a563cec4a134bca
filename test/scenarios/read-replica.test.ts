import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/database/connection.ts';
import { currentPosition, ReadReplica, ReplicaReads } from '../../src/database/read-replica.ts';
import { subjectOf } from '../../src/modules/analytics/exports/report-figures.ts';
import { TestApi, type TestPartner } from '../support/api.ts';
import { runCli, startCli, temporaryFolder } from '../support/cli.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { addExport, downloadFile } from '../support/exports.ts';
import { addListedLocation } from '../support/figures.ts';
import { addLocation, exampleLocation } from '../support/locations.ts';
import { ReplicatedServers } from '../support/replica.ts';
import { addUser } from '../support/users.ts';
import { openWorkbook } from '../support/xlsx.ts';

const log = pino({ level: 'silent' });
const soon = { timeout: 30_000, interval: 100 };
const hourMs = 3_600_000;
const figures = '/api/dashboard/profile-completeness';
const span = { startDate: '2026-11-01', endDate: '2026-11-03' };
/** The headers of the console. */
const console = { 'x-waypost-console': '1' };

const cookiesOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
const withoutPosition = (cookies: string) => cookies.replace(/;? ?waypost-position=\d+/, '');

let servers: ReplicatedServers;
let database: Database;
let api: TestApi;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  servers = await ReplicatedServers.start();
  database = new Database(servers.primaryUrl, { connections: 10, name: 'waypost tests' });
  const replica = openReplica();
  database.replica = replica;
  api = await TestApi.start({ DATABASE_READ_MAX_LAG: '1h' }, database);
  await replica.close();
  partner = await api.addPartner();
  businessId = (await addLocation(partner)).businessId;
}, 120_000);
afterAll(async () => {
  await api.close();
  await servers.stop();
}, 60_000);

const openReplica = ({ maxLagMs = hourMs, url = servers.replicaUrl } = {}) =>
  new ReadReplica({ url, primaryUrl: servers.primaryUrl, maxLagMs, log });

/** Replaces the replica of the API. It has replayed everything. */
async function useReplica(options: { maxLagMs?: number; url?: string } = {}): Promise<ReadReplica> {
  const replica = openReplica(options);
  database.replica = replica;
  onTestFinished(() => replica.close());
  await replica.start();
  await expect.poll(async () => database.upToDateReads(), soon).toBeInstanceOf(ReplicaReads);
  return replica;
}

async function pauseReplay(): Promise<void> {
  await servers.onReplica('select pg_wal_replay_pause()');
  onTestFinished(resumeReplay);
}

const resumeReplay = async () => {
  await servers.onReplica('select pg_wal_replay_resume()');
};

async function readFigures(by: Pick<TestPartner, 'call'> = partner, headers: Record<string, string> = {}) {
  const { code, headers: sent, body } = await by.call('GET', figures, undefined, headers);
  return { code, lag: sent.get('x-replica-lag'), count: body.response?.matchedLocationsCount as number };
}

const lag = expect.stringMatching(/^\d+(\.\d+)?$/);
const fromReplica = (count: number) => ({ code: 200, lag, count });
const fromPrimary = (count: number) => ({ code: 200, lag: null, count });

test('reads figures from the replica and lists from the primary', async () => {
  await useReplica();
  const { count } = await readFigures();
  await pauseReplay();
  await addLocation(partner, { businessId });
  expect(await readFigures()).toEqual(fromReplica(count));
  const list = await partner.call('GET', '/api/locations');
  expect(list.headers.get('x-replica-lag')).toBeNull();
  expect(list.body.response.locations).toHaveLength(count + 1);
});

test('asks the primary before it reports that a new location does not exist', async () => {
  await useReplica();
  await pauseReplay();
  const { id } = await addLocation(partner, { businessId });
  const { code, headers } = await partner.call('GET', `${figures}?locationIds=${id}`);
  expect({ code, lag: headers.get('x-replica-lag') }).toEqual({ code: 200, lag: null });
  expect((await partner.call('GET', `${figures}?locationIds=${id + 1000}`)).code).toBe(404);
});

/** The cookies of a new administrator. */
async function signIn(): Promise<string> {
  const password = 'a long password';
  const { user } = await addUser(api, partner, { role: 'ADMIN', password });
  const session = await api.call(
    'POST',
    '/api/users/login',
    { email: user.email, password, session: 'cookie' },
    console,
  );
  return cookiesOf(session.headers);
}

test('shows users of the console their own writes', async () => {
  await useReplica();
  const { count } = await readFigures();
  await pauseReplay();
  const cookies = await signIn();
  const before = await readFigures(api, { ...console, cookie: withoutPosition(cookies) });
  expect(before).toEqual(fromReplica(count));
  const written = await api.call(
    'POST',
    '/api/locations',
    { ...exampleLocation, businessId },
    { ...console, cookie: withoutPosition(cookies) },
  );
  expect(written.code).toBe(200);
  const position = cookiesOf(written.headers);
  expect(position).toMatch(/^waypost-position=\d+$/);
  expect(written.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict; Max-Age=3601$/);
  const cookie = `${withoutPosition(cookies)}; ${position}`;
  expect(await readFigures(api, { ...console, cookie })).toEqual(fromPrimary(count + 1));
  await resumeReplay();
  await expect.poll(() => readFigures(api, { ...console, cookie }), soon).toEqual(fromReplica(count + 1));
});

test('reads no position for a write that failed', async () => {
  await useReplica();
  const cookie = await signIn();
  await database.pool.query('alter table labels rename to other_labels');
  onTestFinished(async () => {
    await database.pool.query('alter table other_labels rename to labels');
  });
  const failed = await api.call('POST', '/api/labels', { name: 'Flagship' }, { ...console, cookie });
  expect([failed.code, cookiesOf(failed.headers)]).toEqual([500, '']);
});

test('many jobs can wait for the replica', async () => {
  const replica = await useReplica();
  const warnings: Error[] = [];
  const collect = (warning: Error) => void warnings.push(warning);
  process.on('warning', collect);
  onTestFinished(() => void process.off('warning', collect));
  await pauseReplay();
  await addLocation(partner, { businessId });
  const position = await currentPosition(database.pool);
  const waiting = Array.from({ length: 20 }, () => replica.waitFor(position));
  await resumeReplay();
  expect(await Promise.all(waiting)).toEqual(Array(20).fill(true));
  expect(warnings).toEqual([]);
});

test('uses the primary while the lag is above the limit', async () => {
  const replica = await useReplica({ maxLagMs: 2000 });
  await pauseReplay();
  const { id } = await addLocation(partner, { businessId });
  await expect.poll(() => replica.status.state, soon).toBe('lagging');
  const { count } = await readFigures();
  expect(await readFigures()).toEqual(fromPrimary(count));
  expect((await partner.call('GET', `${figures}?locationIds=${id}`)).code).toBe(200);
  await resumeReplay();
  await expect.poll(() => readFigures(), soon).toEqual(fromReplica(count));
});

test('each check measures the lag, also when the primary writes nothing', async () => {
  const replica = await useReplica();
  const isMeasured = async () => {
    const start = performance.now();
    await replica.check();
    return (replica.status.lagSeconds ?? Number.NaN) * 1000 <= Math.ceil(performance.now() - start);
  };
  await expect.poll(isMeasured, soon).toBe(true);
  await expect.poll(isMeasured, soon).toBe(true);
});

test('no request fails while the replica stops and starts again', async () => {
  const replica = await useReplica();
  const { count } = await readFigures();
  const codes = new Set<number>();
  let isOver = false;
  const load = (async () => {
    while (!isOver) codes.add((await readFigures()).code);
  })();
  await servers.stopReplica();
  await expect.poll(() => replica.status.state, soon).toBe('unavailable');
  expect(await readFigures()).toEqual(fromPrimary(count));
  await servers.startReplica();
  await expect.poll(() => readFigures(), soon).toEqual(fromReplica(count));
  isOver = true;
  await load;
  expect([...codes]).toEqual([200]);
});

test('continues on the primary when the replica stops responding during a statement', async () => {
  const proxy = await DatabaseProxy.to(servers.replicaUrl);
  const replica = await useReplica({ url: proxy.url });
  const reads = database.laggingReads();
  const statement = 'select pg_is_in_recovery() as standby';
  expect((await reads.query(statement)).rows).toEqual([{ standby: true }]);
  proxy.stall();
  expect((await reads.query(statement)).rows).toEqual([{ standby: false }]);
  expect(replica.status).toMatchObject({ state: 'unavailable' });
  await proxy.restore();
});

test('does not read from another server than the checked one', async () => {
  const balancer = await DatabaseProxy.to(servers.replicaUrl);
  await useReplica({ url: balancer.url });
  balancer.leadTo(servers.primaryUrl);
  const reads = database.laggingReads() as ReplicaReads;
  const { rows } = await reads.query("select current_setting('application_name') as name");
  expect(rows).toEqual([{ name: 'waypost tests' }]);
});

test('every route that may lag is read from the replica', async () => {
  const location = await addListedLocation(database, partner, businessId);
  const webhook = { pushUrl: 'https://example.com/events', type: 'LOCATION_CREATED' };
  const { body } = await partner.call('POST', '/api/sales-partners/webhooks', webhook);
  const ids: Record<string, number> = {
    '/api/listings/:id/insights': location.listingId,
    '/api/sales-partners/webhooks/:id/statistics': body.response.id,
  };
  await useReplica();
  const routes = api.server.routeRecords.filter(({ mayLag }) => mayLag);
  expect(routes.length).toBeGreaterThan(15);
  const values: Record<string, string> = { ...span, type: 'GOOGLE' };
  for (const { path, query: { properties = {} } = {} } of routes) {
    const url = path.replace(':id', String(ids[path])).replace(':locationId', String(location.locationId));
    const query = new URLSearchParams(Object.entries(values).filter(([name]) => name in properties));
    const { code, headers } = await partner.call('GET', `${url}?${query}`);
    expect({ path, code, lag: headers.get('x-replica-lag') }).toEqual({ path, code: 200, lag });
  }
});

test('repeats a statement on the primary that conflicts with the replay', async () => {
  await useReplica();
  await database.pool.query('create table conflicts as select 1 as id');
  await expect.poll(() => database.upToDateReads(), soon).toBeInstanceOf(ReplicaReads);
  const reads = database.laggingReads();
  const reading = reads.query(
    'select pg_is_in_recovery() as standby, case when pg_is_in_recovery() then pg_sleep(60) end from conflicts',
  );
  const sleeping = "select from pg_stat_activity where application_name = 'waypost replica' and wait_event = 'PgSleep'";
  await expect.poll(() => servers.onReplica(sleeping), soon).toHaveLength(1);
  await database.transaction(async (transaction) => {
    await transaction.query('truncate conflicts');
    await transaction.query('insert into conflicts values (2)');
  });
  expect((await reading).rows).toEqual([{ standby: false, case: null }]);
});

test('does not repeat a statement that reached its time limit', { timeout: 60_000 }, async () => {
  const replica = await useReplica();
  const reads = new ReplicaReads(replica, database.pool, { limit: 'delivery', connections: 1 });
  const slow = reads.query('select case when pg_is_in_recovery() then pg_sleep(60) end');
  await expect(slow).rejects.toMatchObject({ code: '57014' });
  expect(replica.status).toMatchObject({ state: 'used' });
});

test('a write fails on the replica and is repeated on the primary', async () => {
  const replica = await useReplica();
  const reads = database.laggingReads() as ReplicaReads;
  await reads.query('create table written (id integer)');
  expect(reads.lagSeconds).toBeUndefined();
  // Other requests continue on the replica.
  expect(replica.status).toMatchObject({ state: 'used' });
});

test('exports are read from the replica, with all earlier changes', async () => {
  await useReplica();
  await servers.stopReplica();
  await servers.startReplica();
  await useReplica();
  const { id: locationId } = await addLocation(partner, { businessId, name: 'Newest' });
  const id = await addExport(api, partner, '/api/dashboard/excel-exports', { type: 'DASHBOARD', ...span });
  const book = await openWorkbook(await downloadFile(api, partner, `/api/dashboard/excel-exports/${id}/download`));
  expect(JSON.stringify(book)).toContain(String(locationId));
  const sent = await servers.onReplica<{ query: string }>(
    "select query from pg_stat_activity where application_name = 'waypost replica'",
  );
  expect(sent.map(({ query }) => query).join()).toMatch(/from "?locations/);
});

test('an export of one business reads its name from the replica', async () => {
  const replica = await useReplica();
  const reads = (await database.upToDateReads()) as ReplicaReads;
  const scope = { kind: 'businesses', partnerId: partner.partner.id, businessIds: [businessId] } as const;
  expect(await subjectOf(reads, scope)).not.toBe('');
  expect({ lag: reads.lagSeconds, state: replica.status.state }).toEqual({ lag: expect.any(Number), state: 'used' });
});

test('the documentation lists the routes that read from the replica', () => {
  const text = readFileSync(new URL('../../docs/high-availability.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## Read replica'));
  const documented = [...section.matchAll(/`GET (\/api\/[^`]+)`/g)].map(([, path]) => path);
  const routes = api.server.routeRecords.filter(({ mayLag }) => mayLag).map(({ path }) => path);
  expect(documented.sort()).toEqual([...routes].sort());
});

test('processes report the replica', { timeout: 120_000 }, async () => {
  const env = {
    DATABASE_URL: servers.primaryUrl,
    DATABASE_READ_URL: servers.replicaUrl,
    WAYPOST_DATA_DIR: temporaryFolder(),
    WAYPOST_SANDBOX: 'off',
    WAYPOST_DEMO: 'off',
    WAYPOST_METRICS_PORT: '0',
    PORT: '0',
  };
  const service = startCli(['serve'], env);
  const metrics = await service.waitForOutput(/Metrics at (\S+)\/metrics/);
  const ready = async () => ((await (await fetch(`${metrics}/health/ready`)).json()) as { response: unknown }).response;
  await expect.poll(ready, soon).toEqual({ ready: true, replica: { state: 'used', lagSeconds: expect.any(Number) } });
  const text = await (await fetch(`${metrics}/metrics`)).text();
  expect(text).toMatch(/^waypost_replica_used 1$/m);
  expect(text).toMatch(/^waypost_database_connections_max\{pool="replica"\} 20$/m);
  expect(text).toMatch(/^waypost_replica_lag_seconds [0-9.]+$/m);
  expect((await service.interrupt()).code).toBe(0);
  const doctor = async () => (await runCli(['doctor'], env)).stdout;
  expect(await doctor()).toMatch(/^OK +read replica +It lags by less than/m);
  await pauseReplay();
  await addLocation(partner, { businessId });
  expect(await doctor()).toMatch(/^WARN +read replica +It lags by more than 4 s; above DATABASE_READ_MAX_LAG/m);
  await resumeReplay();
  const notStandby = await runCli(['doctor'], { ...env, DATABASE_READ_URL: servers.primaryUrl });
  expect(notStandby.stdout).toMatch(/^FAIL +read replica +the server is not a standby/m);
});
