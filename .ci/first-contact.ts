import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runReadmeCommands } from '../test/support/readme-commands.ts';

/** Checks a first start: "npm start" with default settings, the commands of the README, Ctrl-C. */

const root = join(import.meta.dirname, '..');
const dataDir = join(root, '.data');
const baseUrl = 'http://127.0.0.1:8080';
const timeoutMs = 15 * 60_000;

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(WAYPOST_|PORT$|HOST$|DATABASE_URL|npm_)/.test(name)),
);

// Detached: SIGINT is sent to the whole process group, like Ctrl-C in a terminal.
const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
let output = '';
npm.stdout.setEncoding('utf8').on('data', (text) => {
  output += text;
});
const exit = once(npm, 'exit');
let hasExited = false;
exit.finally(() => {
  hasExited = true;
});

try {
  await waitUntil(
    'npm start serves',
    () => output.includes('Waypost is running') && existsSync(join(dataDir, 'demo.json')),
  );
  await waitUntil('the demo data is complete', async () => {
    const { state, message } = await get('/api/demo-data');
    if (state === 'INCOMPLETE') throw new Error(message);
    return state === 'COMPLETE';
  });
  const webhooks: { id: number; description: string }[] = await get('/api/sales-partners/webhooks');
  for (const { id, description } of webhooks) {
    const { totals } = await get(`/api/sales-partners/webhooks/${id}/statistics`);
    if (totals.delivered + totals.failed === 0) throw new Error(`Webhook ${id} (${description}) shows no delivery.`);
  }
  if (webhooks.length < 5) throw new Error(`Expected at least 5 webhooks, found ${webhooks.length}.`);
  await runReadmeCommands({ baseUrl, dataDir, port: 4000 });
  // A reader may repeat them.
  await runReadmeCommands({ baseUrl, dataDir, port: 4000 });
  const processes = descendants(npm.pid as number);
  process.kill(-(npm.pid as number), 'SIGINT');
  await waitUntil('Ctrl-C stops it', () => hasExited);
  // The log process of PostgreSQL ends a moment after its server.
  let remaining = processes.filter(isAlive);
  for (let attempt = 0; remaining.length > 0 && attempt < 20; attempt += 1) {
    await pause(500);
    remaining = processes.filter(isAlive);
  }
  if (remaining.length > 0) throw new Error(`Processes are still running: ${remaining.join(', ')}.`);
  process.stdout.write('First contact: demo data, webhooks, the README and Ctrl-C work.\n');
} catch (error) {
  process.stderr.write(`${output.slice(-5000)}\nFirst contact failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  if (!hasExited) process.kill(-(npm.pid as number), 'SIGTERM');
  await exit;
}

async function waitUntil(step: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > limit) throw new Error(`Timed out after ${timeoutMs / 60_000} minutes: ${step}.`);
    if (hasExited) throw new Error(`npm start exited too early: ${step}.`);
    await pause(500);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
async function get(path: string): Promise<any> {
  const { privateKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const response = await fetch(baseUrl + path, { headers: { privateKey } });
  if (!response.ok) throw new Error(`${path} responded ${response.status}.`);
  return ((await response.json()) as { response: unknown }).response;
}

/** The process and its descendants. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const descendantsOf = (parent: number): number[] =>
    pairs.filter(([, of]) => of === parent).flatMap(([child = 0]) => [child, ...descendantsOf(child)]);
  return [pid, ...descendantsOf(pid)];
}

/** Zombies count as exited. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
