import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { chown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseProblem } from '../database-problem.ts';
import type { Placement } from './placement.ts';

const run = promisify(execFile);
const superuser = 'waypost';
export const serviceRole = 'waypost_service';
export const database = 'waypost';

/** What a client needs to reach the server of a placement. */
export interface Access {
  port: number;
  /** Of the superuser, who creates the role of the service and its database. */
  password: string;
  /** Where the server's socket is, unless the path is too long for one; its way is shorter than the network's. */
  socketFolder: string | undefined;
}

// The name of a socket has room for 107 bytes, and PostgreSQL adds "/.s.PGSQL.<port>" to the folder's.
const longestSocketFolder = 88;

export function socketFolder(home: string): string | undefined {
  return Buffer.byteLength(home) <= longestSocketFolder ? home : undefined;
}

/** Without PG… variables of the caller, which would change what the server and initdb do. */
export const serverEnvironment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export function superuserUrl(access: Access, name: string): string {
  return urlOf(access, superuser, access.password, name);
}

export function serviceUrl(access: Access): string {
  return urlOf(access, serviceRole, servicePassword(access), database);
}

/** Follows from the password of the superuser, which it does not reveal. */
export function servicePassword({ password }: Access): string {
  return createHmac('sha256', password).update(serviceRole).digest('hex');
}

function urlOf(access: Access, role: string, password: string, name: string): string {
  const url = new URL(`postgres://${role}:${password}@127.0.0.1:${access.port}/${name}?sslmode=disable`);
  if (access.socketFolder) url.searchParams.set('host', access.socketFolder);
  return url.href;
}

/** Makes the database files unless they exist; true when they are new. */
export async function createCluster(placement: Placement): Promise<boolean> {
  const { home, cluster, binaries, account } = placement;
  if (await stat(cluster).catch(() => undefined)) return false;
  const passwordFile = join(home, 'password');
  await writeAnew(passwordFile, randomBytes(24).toString('hex'));
  if (account) await chown(passwordFile, account.uid, account.gid);
  // Under a name of its own until it is complete: a start that was killed leaves nothing that looks like a database,
  // and its initdb, should it still be at work, does not get in the way of this one.
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
      `The password of the embedded database cannot be read from ${path} (${code}): put the file back from a backup of ` +
        'the data folder, or set WAYPOST_DATA_DIR to another folder to begin with an empty database.',
    );
  }
}

/** The port of earlier starts, so that processes which outlive a server find its successor; unless it is taken. */
export async function savedPort(home: string): Promise<number | undefined> {
  const port = Number(await readFile(join(home, 'port'), 'utf8').catch(() => 0));
  return port > 0 && (await isFree(port)) ? port : undefined;
}

export async function choosePort(home: string): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    // Below the range from which systems take the local ports of outgoing connections: those would get in the way.
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) {
      await writeAnew(join(home, 'port'), String(port));
      return port;
    }
  }
  throw new DatabaseProblem('No free port between 20000 and 32000 was found on 127.0.0.1 for the database server.');
}

/** Never through a link: the folder belongs to the server's account, and this process may be root. */
async function writeAnew(path: string, content: string): Promise<void> {
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
