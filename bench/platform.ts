/**
 * 100,000 locations: the same HTTP requests on 10 % and 100 % of the data. Reports the growth, because machines differ.
 */
import { cpus } from 'node:os';
import { median } from './delivery/scene.ts';
import { importRate } from './platform/csv.ts';
import { type Filled, fill } from './platform/fill.ts';
import { type Load, type Measured, measure } from './platform/load.ts';
import { poster } from './support/full-location.ts';
import { type Bench, withBench } from './support/server.ts';

const allLocations = 100_000;
const rounds = 5;
const requests = 600;

export async function run({ quick }: { quick: boolean }): Promise<void> {
  console.log(`${cpus().length} cores, Node ${process.version}; the services, PostgreSQL and the caller share them.`);
  const locations = quick ? allLocations / 10 : allLocations;
  const options = { connections: 4 };
  await withBench(async (bench) => {
    const imports = await importsOf(bench, quick ? [2000, 10_000] : [10_000, 100_000]);
    const few = await openScene(bench, locations / 10);
    await withBench(async (other) => compare(few, await openScene(other, locations), imports), options);
  }, options);
}

/** A service with its own database. */
interface Scene {
  origin: string;
  privateKey: string;
  loads: Record<string, Load>;
}

async function openScene({ database, addPartner, startService }: Bench, locations: number): Promise<Scene> {
  const { partner, privateKey } = await addPartner(`bench-${locations}`);
  const start = performance.now();
  const filled = await fill(database, partner.id, locations);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${locations} locations with 12 listings and 20 datapoints each (made in ${seconds} s)`);
  const { origin } = await startService();
  return { origin, privateKey, loads: loads(filled) };
}

async function compare(few: Scene, many: Scene, imports: Imports): Promise<void> {
  console.log('\nrequest       requests/s   p99 ms   growth of p99, ten times the data (due ≤ 1.5)');
  const growth: Record<string, number> = {};
  for (const name of Object.keys(many.loads)) {
    const [before, after] = await alternately(
      () => measured(few, name),
      () => measured(many, name),
    );
    growth[name] = ratio(after, before, ({ p99Ms }) => p99Ms);
    const perSecond = median(after.map((each) => each.perSecond)).toFixed(0);
    const p99Ms = median(after.map((each) => each.p99Ms)).toFixed(1);
    console.log(`${name.padEnd(12)} ${perSecond.padStart(10)} ${p99Ms.padStart(9)}   ${growth[name]}`);
  }
  const eventCost = await patchWithSubscriber(many);
  console.log(`a PATCH with a subscribed webhook costs ${eventCost} times one without (due ≤ 1.5)`);
  const worstGrowth = Math.max(...Object.values(growth));
  console.log(JSON.stringify({ growth, worstGrowth, eventCost, ...imports }));
}

/** In turns, because the speed of the machine changes within minutes. */
async function alternately(
  one: () => Promise<Measured>,
  other: () => Promise<Measured>,
): Promise<[Measured[], Measured[]]> {
  const [ones, others]: [Measured[], Measured[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    ones.push(await one());
    others.push(await other());
  }
  return [ones, others];
}

/** The median of the ratios of measurements that were made one after the other. */
const ratio = (above: Measured[], below: Measured[], value: (measured: Measured) => number) =>
  round(median(above.map((each, n) => value(each) / value(below[n] as Measured))));

function measured({ origin, privateKey, loads }: Scene, name: string): Promise<Measured> {
  const load = loads[name];
  if (!load) throw new Error(`The load "${name}" is missing.`);
  return measure(origin, privateKey, load, requests);
}

interface Imports {
  csvRowsPerSecond: number;
  csvPeakMiB: number;
  csvMemoryGrowth: number;
}

/** Memory must not grow with the file, so a small file is measured first. */
async function importsOf({ database, addPartner }: Bench, sizes: readonly number[]): Promise<Imports> {
  const { partner } = await addPartner();
  const rates = await importRate(database, partner, sizes);
  for (const { rows, fileMiB, rowsPerSecond, peakMiB } of rates) {
    console.log(
      `CSV upload of ${rows} rows (${fileMiB} MiB): ${rowsPerSecond} rows/s, at most ${peakMiB} MiB resident`,
    );
  }
  const [small, large] = rates;
  if (!small || !large) throw new Error('Two files are needed.');
  await database.pool.query('truncate locations cascade');
  return {
    csvRowsPerSecond: large.rowsPerSecond,
    csvPeakMiB: large.peakMiB,
    csvMemoryGrowth: round(large.peakMiB / small.peakMiB),
  };
}

function loads({ firstLocation, lastLocation }: Filled): Record<string, Load> {
  const anyLocation = (n: number) => firstLocation + ((n * 7919) % (lastLocation - firstLocation));
  const nearTheEnd = (n: number) => lastLocation - 2000 + (n % 1000);
  const get = (path: (n: number) => string): Load => ({ method: 'GET', path });
  return {
    list: get(() => '/api/locations?max=50'),
    filter: get((n) => `/api/locations?city=City${n % 400}&status=ACTIVE&max=20`),
    read: get((n) => `/api/locations/${anyLocation(n)}`),
    patch: {
      method: 'PATCH',
      path: (n) => `/api/locations/${anyLocation(n)}`,
      body: (n) => ({ descriptionShort: `Changed ${n} times at ${performance.now()}` }),
    },
    deepPage: get((n) => `/api/locations?after=${nearTheEnd(n)}&max=50`),
    query: get((n) => `/api/locations?query=word${(n * 31) % 200}&max=20`),
    inbox: get(() => '/api/data-points?max=50'),
    inboxFilter: get((n) => `/api/data-points?types=REVIEW&rating=${1 + (n % 5)}&isRead=false&max=50`),
    inboxQuery: get((n) => `/api/data-points?query=word${(n * 31) % 2000}&max=20`),
  };
}

/** A PATCH with a subscribed webhook, relative to one without. */
async function patchWithSubscriber(scene: Scene): Promise<number> {
  const webhook = { pushUrl: 'http://127.0.0.1:9/hook', type: 'LOCATION_PROFILE_CHANGED' };
  const { id } = await poster(scene.origin, scene.privateKey)('/api/sales-partners/webhooks', webhook);
  const [without, subscribed] = await alternately(
    () => patchWhile(scene, id, false),
    () => patchWhile(scene, id, true),
  );
  return ratio(without, subscribed, ({ perSecond }) => perSecond);
}

async function patchWhile(scene: Scene, webhookId: number, enabled: boolean): Promise<Measured> {
  const { status } = await fetch(`${scene.origin}/api/sales-partners/webhooks/${webhookId}`, {
    method: 'PATCH',
    headers: { privateKey: scene.privateKey, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled }),
  });
  if (status !== 200) throw new Error(`The webhook was not changed: ${status}.`);
  return measured(scene, 'patch');
}

const round = (value: number) => Number(value.toFixed(2));
