import { execFile, spawn } from 'node:child_process';
import { constants, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverEnvironment } from './cluster.ts';
import type { Placement } from './placement.ts';

const run = promisify(execFile);
// Higher than any process id.
const unusedPid = 2 ** 31 - 1;
const checkMs = 25;
const stopTimeoutMs = 30_000;

/** The main process of the server. */
interface Postmaster {
  pid: number;
  port: number;
}

/** The running server of a cluster. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 && (await isPostmaster(pid, cluster)) ? { pid, port } : undefined;
}

export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  return (await commandOf(pid)).includes(`/bin/postgres -D ${cluster} -p `);
}

/** Starts the server in its own session, so that Ctrl-C and the exit of this process do not affect it. */
export async function launchPostmaster(
  placement: Placement,
  port: number,
  settings: Record<string, string>,
): Promise<number> {
  const { home, cluster, binaries, account } = placement;
  await disownPidFile(cluster);
  await rm(join(home, 'start.log'), { force: true });
  // Stale: no server is running at this point.
  await rm(join(home, `.s.PGSQL.${port}.lock`), { force: true });
  const errors = await open(join(home, 'start.log'), 'wx', 0o600);
  try {
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(binaries, 'bin/postgres'), ['-D', cluster, '-p', String(port), ...options], {
      ...account,
      cwd: home,
      env: serverEnvironment,
      detached: true,
      stdio: ['ignore', errors.fd, errors.fd],
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return child.pid as number;
  } finally {
    await errors.close();
  }
}

/** Fast shutdown: open transactions are rolled back. */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  signal(pid, 'SIGINT');
  const deadline = Date.now() + stopTimeoutMs;
  while (await isPostmaster(pid, cluster)) {
    if (Date.now() > deadline) return signal(pid, 'SIGQUIT');
    await sleep(checkMs);
  }
}

/**
 * PostgreSQL does not start if the pid of a crashed server now belongs to another program, so it is replaced. The rest of
 * the file stays: by the shared memory in it, PostgreSQL checks that no process of the old server is running.
 */
async function disownPidFile(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const content = await readFile(path, 'utf8').catch(() => undefined);
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  if (content) await writeFile(path, content.replace(/^\d+/, String(unusedPid)), { flag });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Program and arguments of a process; empty if there is none, or for a zombie. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  }
  return (await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))).stdout;
}

const keptFiles = 5;
const reportedLines = 5;

/** Five files of 10 MB; PostgreSQL rotates files but never removes them. */
export const logSettings = {
  logging_collector: 'on',
  log_filename: 'server-%Y%m%d-%H%M%S.log',
  log_rotation_size: '10MB',
  log_rotation_age: '0',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};

export function logFolder(home: string): string {
  return join(home, 'log');
}

export async function removeOldLogs(home: string): Promise<void> {
  for (const name of (await logFiles(home)).slice(0, -keptFiles))
    await rm(join(logFolder(home), name), { force: true });
}

/** The last log lines, for the error message of a failed start. */
export async function lastLogLines(home: string): Promise<string> {
  let text = await readFile(join(home, 'start.log'), 'utf8').catch(() => '');
  const newest = (await logFiles(home)).at(-1);
  if (newest && text.includes('redirecting log output')) text = await readFile(join(logFolder(home), newest), 'utf8');
  const lines = text.trim().split('\n');
  const errors = lines.filter((line) => /(FATAL|PANIC|ERROR|DETAIL|HINT): /.test(line));
  return (errors.length > 0 ? errors : lines).slice(-reportedLines).join(' ');
}

async function logFiles(home: string): Promise<string[]> {
  return (await readdir(logFolder(home)).catch(() => [])).sort();
}
