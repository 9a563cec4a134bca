import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Programs } from '../support/programs.ts';
import { enterNamespace, type Network, nodeAccount, openNetwork, postgresFolder } from './network.ts';
import { play } from './play.ts';
import { scenarios } from './scenarios.ts';
import { startScene } from './scene.ts';
import { isPassed, type Result, table } from './table.ts';

/** Plays faults of a Patroni cluster under load. Exits with 1 if an event is lost or a part does not recover. */

/** Enough for the data of three nodes, in memory if possible. */
const minBytes = 4 * 1024 ** 3;
/** Longer than the run on a busy machine. Each step has its own, shorter limit. */
const limitMs = 20 * 60_000;

const binaries = postgresFolder();
const missing = [
  ['patroni', 'patroni'],
  ['etcd', 'etcd-server'],
  ['haproxy', 'haproxy'],
].filter(([program]) => spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status !== 0);
if (!binaries || missing.length > 0) {
  const packages = [...missing.map(([, name]) => name), ...(binaries ? [] : ['postgresql'])];
  process.stderr.write(`The cluster test requires these Debian packages: ${packages.join(', ')}.\n`);
  process.exit(1);
}
enterNamespace();

/** A part of the names of the scenarios to play. */
const only = process.argv[2] ?? '';
const began = performance.now();
const log = (message: string) =>
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${message}\n`);

const folder = temporaryFolder();
const programs = new Programs(folder);
let network: Network | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(130);
  });
}
setTimeout(() => {
  process.stderr.write(`The cluster test took longer than ${limitMs / 60_000} minutes.\n`);
  cleanUp();
  process.exit(1);
}, limitMs).unref();

let passed = false;
try {
  passed = await Promise.race([run(binaries), programs.failure]);
} catch (error) {
  process.stderr.write(`The cluster test failed: ${(error as Error).message}\n`);
}
if (!passed) process.stderr.write(`${programs.logEnds(40)}\n`);
cleanUp();
process.exit(passed ? 0 : 1);

async function run(postgres: string): Promise<boolean> {
  network = await openNetwork();
  const scene = await startScene({ folder, nodesFolder: nodesFolder(), postgres, network, programs, log });
  const results: Result[] = [];
  for (const scenario of scenarios.filter(({ name }) => name.includes(only))) {
    const result = await play(scenario, scene, log);
    results.push(result);
    if (result.failure !== undefined) break;
  }
  const { load } = scene;
  await load.stop();
  process.stdout.write(`\n${table(results)}\n\n`);
  const problems = [
    ...results.flatMap((result) =>
      [result.failure ?? [], ...result.violations].flat().map((of) => `${result.scenario}: ${of}`),
    ),
    // Shows that the clients reached an API node during an outage.
    ...(load.unavailableResponses > 0 ? [] : ['No API node responded with 503 and Retry-After.']),
  ];
  for (const problem of new Set(problems)) process.stderr.write(`${problem}\n`);
  log(`API nodes rejected ${load.unavailableResponses} calls with 503 and Retry-After`);
  return problems.length === 0 && results.every((result) => isPassed(result));
}

/** In memory if possible: the nodes write everything three times. */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const path = mkdtempSync(join(bavail * bsize > minBytes ? memory : tmpdir(), 'waypost-cluster-'));
  // The account of the nodes must reach its folder in it.
  chmodSync(path, 0o711);
  return path;
}

function nodesFolder(): string {
  const path = join(folder, 'nodes');
  mkdirSync(path, { mode: 0o700 });
  const account = nodeAccount();
  if (account) chownSync(path, account.uid, account.gid);
  return path;
}

function cleanUp(): void {
  programs.killAll();
  network?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
