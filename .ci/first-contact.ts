import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { followReadme } from '../test/support/readme-commands.ts';

/** What a newcomer does: "npm start" with nothing set, the README's commands, Ctrl-C. */

const root = join(import.meta.dirname, '..');
const dataDir = join(root, '.data');
const baseUrl = 'http://127.0.0.1:8080';
const patienceMs = 15 * 60_000;

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(WAYPOST_|PORT$|HOST$|DATABASE_URL$|npm_)/.test(name)),
);

// A process group of its own, to which Ctrl-C goes as from a terminal.
const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
let said = '';
npm.stdout.setEncoding('utf8').on('data', (text) => {
  said += text;
});
const exit = once(npm, 'exit');
let isOver = false;
exit.finally(() => {
  isOver = true;
});

try {
  await until('npm start serves', () => said.includes('Waypost is running') && existsSync(join(dataDir, 'demo.json')));
  await until('the demo data is complete', async () => {
    const { state, message } = await get('/api/demo-data');
    if (state === 'INCOMPLETE') throw new Error(message);
    return state === 'COMPLETE';
  });
  const webhooks: { id: number; description: string }[] = await get('/api/sales-partners/webhooks');
  for (const { id, description } of webhooks) {
    const { totals } = await get(`/api/sales-partners/webhooks/${id}/statistics`);
    if (totals.delivered + totals.failed === 0) throw new Error(`Webhook ${id} (${description}) shows no delivery.`);
  }
  if (webhooks.length < 5) throw new Error(`There are ${webhooks.length} webhooks and not five.`);
  await followReadme({ baseUrl, dataDir, port: 4000 });
  const family = descendants(npm.pid as number);
  process.kill(-(npm.pid as number), 'SIGINT');
  await until('Ctrl-C stops it', () => isOver);
  // The log process of PostgreSQL ends a moment after its server.
  let left = family.filter(isAlive);
  for (let tries = 0; left.length > 0 && tries < 20; tries += 1) {
    await pause(500);
    left = family.filter(isAlive);
  }
  if (left.length > 0) throw new Error(`Processes are left behind: ${left.join(', ')}.`);
  process.stdout.write('First contact: demo data, webhooks, the README and Ctrl-C work.\n');
} catch (error) {
  process.stderr.write(`${said.slice(-5000)}\nFirst contact failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  if (!isOver) process.kill(-(npm.pid as number), 'SIGTERM');
  await exit;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > limit) throw new Error(`Waited ${patienceMs / 60_000} minutes in vain: ${what}.`);
    if (isOver) throw new Error(`npm start ended before this: ${what}.`);
    await pause(500);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
async function get(path: string): Promise<any> {
  const { privateKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const response = await fetch(baseUrl + path, { headers: { privateKey } });
  if (!response.ok) throw new Error(`${path} responded ${response.status}.`);
  return ((await response.json()) as { response: unknown }).response;
}

/** The process and all below it. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.filter(([, of]) => of === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return [pid, ...below(pid)];
}

/** Zombies have ended: they only wait for the machine's first process to notice. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
