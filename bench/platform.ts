/**
 * 100,000 locations: the same HTTP requests on 10 % and 100 % of the data. Reports the growth, because machines differ.
 */
import { cpus } from 'node:os';
import type { Database } from '../src/database/connection.ts';
import { median } from './delivery/scene.ts';
import { importRate } from './platform/csv.ts';
import { type Filled, fill } from './platform/fill.ts';
import { type Load, type Measured, measure } from './platform/load.ts';
import { poster } from './support/full-location.ts';
import { type Bench, withBench } from './support/server.ts';

const allLocations = 100_000;
const rounds = 3;
const requests = 600;

export async function run({ quick }: { quick: boolean }): Promise<void> {
  console.log(`${cpus().length} cores, Node ${process.version}; the service, PostgreSQL and the caller share them.`);
  await withBench((bench) => compare(bench, quick), { connections: 4 });
}

async function compare({ database, addPartner, startService }: Bench, quick: boolean): Promise<void> {
  const locations = quick ? allLocations / 10 : allLocations;
  const { partner, privateKey } = await addPartner();
  const imports = await importsOf(database, partner, quick ? [2000, 10_000] : [10_000, 100_000]);
  const { origin } = await startService();
  const few = await measureAll(origin, privateKey, await filled(database, partner.id, locations / 10));
  const many = await measureAll(origin, privateKey, await filled(database, partner.id, locations));
  const eventCost = await patchWithSubscriber(database, origin, privateKey, partner.id, many);
  report(few, many, eventCost, imports);
}

interface Imports {
  csvRowsPerSecond: number;
  csvPeakMiB: number;
  csvMemoryGrowth: number;
}

/** Memory must not grow with the file, so a small file is measured first. */
async function importsOf(
  database: Database,
  partner: { id: number; identifier: string },
  sizes: readonly number[],
): Promise<Imports> {
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

async function filled(database: Database, partnerId: number, locations: number): Promise<Filled> {
  const start = performance.now();
  const reach = await fill(database, partnerId, locations);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`\n${locations} locations with 12 listings and 20 datapoints each (made in ${seconds} s)`);
  return reach;
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

async function measureAll(origin: string, privateKey: string, reach: Filled): Promise<Record<string, Measured>> {
  const results: Record<string, Measured> = {};
  for (const [name, load] of Object.entries(loads(reach))) {
    const seen: Measured[] = [];
    for (let n = 0; n < rounds; n++) seen.push(await measure(origin, privateKey, load, requests));
    results[name] = {
      perSecond: median(seen.map(({ perSecond }) => perSecond)),
      p99Ms: median(seen.map(({ p99Ms }) => p99Ms)),
    };
    const { perSecond, p99Ms } = results[name];
    console.log(`${name.padEnd(12)} ${perSecond.toFixed(0).padStart(7)} requests/s   p99 ${p99Ms.toFixed(1)} ms`);
  }
  return results;
}

/** A PATCH with a subscribed webhook, relative to one without. */
async function patchWithSubscriber(
  database: Database,
  origin: string,
  privateKey: string,
  partnerId: number,
  without: Record<string, Measured>,
): Promise<number> {
  const webhook = { pushUrl: 'http://127.0.0.1:9/hook', type: 'LOCATION_PROFILE_CHANGED' };
  await poster(origin, privateKey)('/api/sales-partners/webhooks', webhook);
  const reach = await fill(database, partnerId, 0);
  const { patch } = loads(reach);
  if (!patch || !without.patch) throw new Error('The load "patch" is missing.');
  const plain: number[] = [];
  for (let n = 0; n < rounds; n++) plain.push((await measure(origin, privateKey, patch, requests)).perSecond);
  return without.patch.perSecond / median(plain);
}

function report(
  few: Record<string, Measured>,
  many: Record<string, Measured>,
  eventCost: number,
  imports: Imports,
): void {
  console.log('\nrequest       requests/s   p99 ms   growth of p99, ten times the data (due ≤ 1.5)');
  const growth: Record<string, number> = {};
  for (const [name, { perSecond, p99Ms }] of Object.entries(many)) {
    growth[name] = round(p99Ms / (few[name]?.p99Ms ?? Number.NaN));
    console.log(
      `${name.padEnd(12)} ${perSecond.toFixed(0).padStart(10)} ${p99Ms.toFixed(1).padStart(9)}   ${growth[name]}`,
    );
  }
  console.log(`a PATCH with a subscribed webhook costs ${round(eventCost)} times one without (due ≤ 1.5)`);
  console.log(
    JSON.stringify({
      growth,
      worstGrowth: Math.max(...Object.values(growth)),
      eventCost: round(eventCost),
      ...imports,
    }),
  );
}

const round = (value: number) => Number(value.toFixed(2));
