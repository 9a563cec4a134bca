/**
 * Mixed load with faults for a bounded time: npm run soak -- [--minutes 30]. Prints the growth of memory, connections,
 * tables and lag per hour. Exits with 1 if an event is lost, a call fails for another reason than a fault, or a resource
 * grows.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/database/embedded-server.ts';
import { descendants, Programs, until } from '../support/programs.ts';
import { Ledger, Load } from './load.ts';
import { Samples } from './samples.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!Number.isInteger(minutes) || minutes < 3 || minutes > 1440) {
  process.stderr.write(`--minutes must be an integer from 3 to 1440, not ${values.minutes}.\n`);
  process.exit(2);
}

const main = join(import.meta.dirname, '../../src/main.ts');
const type = 'LOCATION_CREATED';
const faultMs = 60_000;
const sampleMs = 10_000;
/** Of the faults that the load may notice: no database, and an API without one. */
const expectedFailures = new Set(['503']);

const began = performance.now();
const log = (message: string) =>
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${message}\n`);

const folder = mkdtempSync(join(tmpdir(), 'waypost-soak-'));
// As root, the account of the database server must reach its folder in it.
chmodSync(folder, 0o711);
const dataDir = join(folder, 'data');
const programs = new Programs(folder);
const environment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
  WAYPOST_DATA_DIR: dataDir,
  WAYPOST_DEMO_LOCATIONS: '30',
  WAYPOST_LOG_LEVEL: 'warn',
  WAYPOST_RATE_LIMIT: '1000000',
  WAYPOST_RETRY_SCHEDULE: Array(20).fill('5s').join(),
};
const startWorker = () => programs.start('worker', [process.execPath, main, 'work'], environment);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(130);
  });
}

let passed = false;
try {
  passed = await Promise.race([run(), programs.failure]);
} catch (error) {
  process.stderr.write(`The run failed: ${(error as Error).message}\n`);
}
if (!passed) process.stderr.write(`${programs.logEnds(20)}\n`);
cleanUp();
process.exit(passed ? 0 : 1);

async function run(): Promise<boolean> {
  const service = programs.start('service', [process.execPath, main, 'start'], { ...environment, PORT: '0' });
  const credentials = join(dataDir, 'demo.json');
  await until('the service is ready', () => existsSync(credentials));
  const { baseUrl, privateKey } = JSON.parse(readFileSync(credentials, 'utf8'));
  const load = new Load(baseUrl, privateKey);
  await until('demo data is complete', async () => (await load.demoState()) === 'COMPLETE', { limitMs: 900_000 });
  log('demo data is complete');

  // The server of the data folder, which the service has started.
  const server = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
  const ledger = new Ledger();
  const webhook = await load.createWebhook(`${await ledger.listen()}/events`, type);
  startWorker();
  const pid = service.child.pid ?? 0;
  const samples = new Samples(server.url, webhook, () => ({ service: pid, sandbox: descendants(pid)[1] }));
  await load.start(type);

  const end = performance.now() + minutes * 60_000;
  await Promise.all([causeFaults(server.url, ledger, end), takeSamples(samples, end)]);
  await load.stop();
  ledger.mode = 'accept';
  await until('all events are delivered', () => load.missing(ledger.received) === 0, { limitMs: 300_000 });
  ledger.close();
  for (const job of await samples.lateJobs()) process.stderr.write(`Late job: ${job}\n`);
  await server.stop();
  return judge(load, ledger, samples);
}

/** One fault per minute. */
async function causeFaults(url: string, ledger: Ledger, end: number): Promise<void> {
  const receiverFault = async (mode: Ledger['mode']) => {
    ledger.mode = mode;
    await pause(faultMs / 3);
    ledger.mode = 'accept';
  };
  const faults: [string, () => Promise<unknown>][] = [
    ['worker killed', () => programs.kill('worker').then(startWorker)],
    ['receiver fails', () => receiverFault('fail')],
    ['database connections closed', () => closeConnections(url)],
    ['receiver is slow', () => receiverFault('slow')],
    ['no fault', async () => {}],
  ];
  for (let n = 0; performance.now() + faultMs < end; n++) {
    const next = performance.now() + faultMs;
    const [name, cause] = faults[n % faults.length] as (typeof faults)[number];
    log(name);
    await cause();
    await pause(next - performance.now());
  }
}

async function closeConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
  );
  await client.end();
}

async function takeSamples(samples: Samples, end: number): Promise<void> {
  for (let n = 0; performance.now() < end; n++) {
    const sample = await samples.take();
    if (n % 6 === 0) log(sample);
    await pause(sampleMs);
  }
}

function judge(load: Load, ledger: Ledger, samples: Samples): boolean {
  const { table, grown } = samples.report();
  const { acknowledged, calls, failures } = load;
  const lost = load.missing(ledger.received);
  const failed = [...failures].map(([reason, count]) => `${count} × ${reason}`).join(', ');
  process.stdout.write(`\n${table}\n\n`);
  log(
    `${minutes} minutes: ${calls} calls (failed: ${failed || 'none'}), ${acknowledged.size} events, ${lost} lost, ` +
      `${ledger.deliveries - acknowledged.size} repeated deliveries`,
  );
  const unexpected = [...failures.keys()].filter((reason) => !expectedFailures.has(reason));
  for (const name of grown) process.stderr.write(`Grown: ${name}\n`);
  for (const reason of unexpected) process.stderr.write(`Calls failed with ${reason}\n`);
  return lost === 0 && grown.length === 0 && unexpected.length === 0;
}

function cleanUp(): void {
  programs.killAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
