import { execFile, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { chown, constants, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DatabaseProblem } from '../faults.ts';
import type { Placement } from './placement.ts';

const run = promisify(execFile);
const superuser = 'waypost';
export const serviceRole = 'waypost_service';
export const database = 'waypost';

/** Connection parameters of the server. */
export interface Access {
  port: number;
  /** Password of the superuser, which creates the service role and its database. */
  password: string;
  /** Folder of the Unix socket, which is faster than TCP; undefined if the path is too long. */
  socketFolder: string | undefined;
}

// Socket paths are limited to 107 bytes, and PostgreSQL adds "/.s.PGSQL.<port>".
const maxSocketFolder = 88;

export function socketFolder(home: string): string | undefined {
  return Buffer.byteLength(home) <= maxSocketFolder ? home : undefined;
}

/** Without PG… variables, which would affect the server and initdb. */
const serverEnvironment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export function superuserUrl(access: Access, name: string): string {
  return urlOf(access, superuser, access.password, name);
}

export function serviceUrl(access: Access): string {
  return urlOf(access, serviceRole, servicePassword(access), database);
}

/** Derived from the password of the superuser. */
export function servicePassword({ password }: Access): string {
  return createHmac('sha256', password).update(serviceRole).digest('hex');
}

function urlOf(access: Access, role: string, password: string, name: string): string {
  const url = new URL(`postgres://${role}:${password}@127.0.0.1:${access.port}/${name}?sslmode=disable`);
  if (access.socketFolder) url.searchParams.set('host', access.socketFolder);
  return url.href;
}

/** Runs initdb unless the cluster exists. Returns whether it was created. */
export async function createCluster(placement: Placement): Promise<boolean> {
  const { home, cluster, binaries, account } = placement;
  if (await stat(cluster).catch(() => undefined)) return false;
  const passwordFile = join(home, 'password');
  await replaceFile(passwordFile, randomBytes(24).toString('hex'));
  if (account) await chown(passwordFile, account.uid, account.gid);
  // A unique temporary name until initdb has finished: a killed start leaves no incomplete cluster, and an initdb that
  // is still running does not interfere.
  for (const name of await readdir(home)) {
    if (name.startsWith('unfinished-')) await rm(join(home, name), { recursive: true, force: true });
  }
  const unfinished = join(home, `unfinished-${randomBytes(4).toString('hex')}`);
  const options = [`--pgdata=${unfinished}`, `--username=${superuser}`, `--pwfile=${passwordFile}`];
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  await run(join(binaries, 'bin/initdb'), [...options, ...locale, '--auth=scram-sha-256', '--no-instructions'], {
    ...account,
    cwd: home,
    env: serverEnvironment,
  }).catch((error: { stderr: string }) => {
    throw new DatabaseProblem(
      `The database could not be created in ${home}: ${error.stderr.trim().replaceAll('\n', ' ')}`,
    );
  });
  await rename(unfinished, cluster);
  return true;
}

export async function readPassword(home: string): Promise<string> {
  const path = join(home, 'password');
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseProblem(
      `The password of the embedded database cannot be read from ${path} (${code}). Restore the file from a backup of ` +
        'the data folder, or set WAYPOST_DATA_DIR to another folder to start with an empty database.',
    );
  }
}

/** The port of the previous start, so that running processes find a restarted server; undefined if it is in use. */
export async function savedPort(home: string): Promise<number | undefined> {
  const port = Number(await readFile(join(home, 'port'), 'utf8').catch(() => 0));
  return port > 0 && (await isFree(port)) ? port : undefined;
}

export async function choosePort(home: string): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    // Below the ephemeral port range of outgoing connections.
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) {
      await replaceFile(join(home, 'port'), String(port));
      return port;
    }
  }
  throw new DatabaseProblem('No free port between 20000 and 32000 was found on 127.0.0.1 for the database server.');
}

/** Never follows a link: the folder belongs to the server account, and this process may be root. */
async function replaceFile(path: string, content: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, content, { flag: 'wx', mode: 0o600 });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

// Higher than any process id.
const unusedPid = 2 ** 31 - 1;
const checkMs = 25;
const stopTimeoutMs = 30_000;

/** The main process of the server. */
export interface Postmaster {
  pid: number;
  port: number;
}

/** The running server of a cluster. */
export async function findPostmaster(placement: Placement): Promise<Postmaster | undefined> {
  const lines = (await readFile(join(placement.cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const found = { pid: Number(lines[0]), port: Number(lines[3]) };
  return found.pid > 0 && found.port > 0 && (await isRunning(found, placement)) ? found : undefined;
}

/** The process of a server in another container is not visible here, but its socket in the shared folder is. */
export async function isRunning({ pid, port }: Postmaster, { home, cluster }: Placement): Promise<boolean> {
  if (await isPostmaster(pid, cluster)) return true;
  const folder = socketFolder(home);
  return folder !== undefined && (await isListening(join(folder, `.s.PGSQL.${port}`)));
}

async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  return (await commandOf(pid)).includes(`/bin/postgres -D ${cluster} -p `);
}

/** Also while the server is starting or stopping. The socket of a killed server refuses connections. */
function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket, () => {
      probe.destroy();
      resolve(true);
    });
    // EAGAIN: too many connections are waiting.
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EAGAIN'));
  });
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
  // After a crash, another program may have this process id.
  if (await isPostmaster(pid, cluster)) signal(pid, 'SIGINT');
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
