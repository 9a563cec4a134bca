/**
 * Dashboard with 20,000 locations, a year of daily insights and a million datapoints: every endpoint over HTTP for one,
 * 200 and all locations, on 10 % and 100 % of the data. Reports ratios, because machines differ.
 */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import type { Database } from '../src/database/connection.ts';
import { fill } from './dashboard/fill.ts';
import { pathOf, requestNames, type Scale, scales, year } from './dashboard/requests.ts';
import { Child } from './delivery/child.ts';
import { median } from './delivery/scene.ts';
import { type Bench, withBench } from './support/server.ts';

const allLocations = 20_000;
const requests = 40;
const warmUps = 5;
/** Fewer requests for slow endpoints. */
const maxMs = 10_000;

type Costs = Record<string, Record<Scale, number>>;

interface ExportCost {
  rows: number;
  fileMiB: number;
  seconds: number;
  peakMiB: number;
}

export async function run({ quick }: { quick: boolean }): Promise<void> {
  const locations = Number(process.env.BENCH_LOCATIONS ?? (quick ? allLocations / 10 : allLocations));
  console.log(`${cpus().length} cores, Node ${process.version}; the service, PostgreSQL and the caller share them.`);
  await withBench((bench) => compare(bench, locations), { connections: 4, statementLimit: 'migration' });
}

async function compare({ folder, database, addPartner, startService }: Bench, locations: number): Promise<void> {
  const { partner, privateKey } = await addPartner();
  const service = await startService();
  const few = await measureAll(service.origin, privateKey, await filled(database, partner.id, locations / 10));
  const many = await measureAll(service.origin, privateKey, await filled(database, partner.id, locations));
  service.stop();
  const order = { url: database.url, partnerId: partner.id, span: year, file: join(folder, 'export.xlsx') };
  const exporter = new Child<never>('../dashboard/export-child.ts', [JSON.stringify(order)]);
  report(few, many, await exporter.next<ExportCost>());
}

async function filled(database: Database, partnerId: number, locations: number): Promise<number[]> {
  const start = performance.now();
  const ids = await fill(database, partnerId, locations);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `\n${ids.length} locations with ${ids.length * 50} datapoints and a year of insights (made in ${seconds} s)`,
  );
  return ids;
}

/** Median time of sequential requests in milliseconds. */
async function measureAll(origin: string, privateKey: string, locationIds: readonly number[]): Promise<Costs> {
  const pool = new Pool(origin, { connections: 1, pipelining: 1 });
  const costs: Costs = {};
  console.log(`${'ms'.padEnd(22)}${scales.map((scale) => scale.padStart(20)).join('')}`);
  try {
    for (const name of requestNames) {
      const cost = {} as Record<Scale, number>;
      for (const scale of scales)
        cost[scale] = await costOf(pool, privateKey, (n) => pathOf(name, scale, locationIds, n));
      costs[name] = cost;
      console.log(`${name.padEnd(22)}${scales.map((scale) => cost[scale].toFixed(2).padStart(20)).join('')}`);
    }
  } finally {
    await pool.close();
  }
  return costs;
}

async function costOf(pool: Pool, privateKey: string, path: (n: number) => string): Promise<number> {
  const tookMs: number[] = [];
  const end = performance.now() + maxMs;
  for (let n = 0; n < warmUps + requests && (tookMs.length < 5 || performance.now() < end); n++) {
    const start = performance.now();
    const { statusCode, body } = await pool.request({ path: path(n), method: 'GET', headers: { privateKey } });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`GET ${path(n)} returned ${statusCode}: ${text.slice(0, 300)}`);
    if (n >= warmUps) tookMs.push(performance.now() - start);
  }
  return median(tookMs);
}

function report(few: Costs, many: Costs, exported: ExportCost): void {
  console.log(
    '\nall, 12 months, by month over one location, 30 days (due ≤ 20), and growth with ten times the locations (≤ 12)',
  );
  const yearOfAll: Record<string, number> = {};
  const growth: Record<string, number> = {};
  for (const [name, cost] of Object.entries(many)) {
    const before = few[name];
    yearOfAll[name] = round(cost.all12Months / cost.one30Days);
    growth[name] = round(Math.max(...scales.map((scale) => cost[scale] / (before?.[scale] ?? Number.NaN))));
    console.log(`${name.padEnd(22)} ${String(yearOfAll[name]).padStart(8)} ${String(growth[name]).padStart(8)}`);
  }
  console.log(
    `an export of ${exported.rows} rows (${exported.fileMiB} MiB) took ${exported.seconds} s and at most ${exported.peakMiB} MiB resident (due < 300)`,
  );
  console.log(
    JSON.stringify({
      yearOfAll,
      worstYearOfAll: Math.max(...Object.values(yearOfAll)),
      growth,
      worstGrowth: Math.max(...Object.values(growth)),
      exportRows: exported.rows,
      exportPeakMiB: exported.peakMiB,
    }),
  );
}

const round = (value: number) => Number(value.toFixed(2));
