import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { clientSettings } from '../client-settings.ts';
import { DatabaseProblem } from '../database-problem.ts';
import { type Access, choosePort, database, readPassword, savedPort, socketFolder, superuserUrl } from './cluster.ts';
import type { Placement } from './placement.ts';
import { findPostmaster, isPostmaster, launchPostmaster } from './postmaster.ts';
import { lastLogLines, logFolder, logSettings, removeOldLogs } from './server-log.ts';
import { ensureServiceRole, transferDatabase } from './service-role.ts';

const checkMs = 25;
const slowStartMs = 10_000;

const ordinarySettings = {
  listen_addresses: '127.0.0.1',
  timezone: 'UTC',
  max_connections: '200',
  shared_buffers: '128MB',
  // There is no second server to feed, so the log of changes carries only what a recovery needs.
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'on',
  // When several transactions are at work a commit waits so many microseconds for others to share its way to the disk.
  commit_delay: '400',
  commit_siblings: '4',
  max_wal_size: '2GB',
  // The delivery queue turns over quickly: dead rows are to be gone before they slow a claim.
  autovacuum_naptime: '5s',
  random_page_cost: '1.1',
};

export interface RunOptions {
  log: Pick<Logger, 'info' | 'warn'>;
  /** Settings of PostgreSQL beyond those of an ordinary installation. */
  settings?: Record<string, string>;
}

/** How the server is reached, or will be: a start may choose another port, a restart may not. */
export async function arrangeAccess({ home, cluster }: Placement): Promise<Access> {
  const password = await readPassword(home);
  const port = (await findPostmaster(cluster))?.port ?? (await savedPort(home));
  return { password, port: port ?? (await choosePort(home)), socketFolder: socketFolder(home) };
}

/** Finds the server of a placement at work, or starts it; resolves with its process id once it answers. */
export async function ensureRunning(placement: Placement, access: Access, options: RunOptions): Promise<number> {
  const { home, cluster } = placement;
  const { log } = options;
  const found = await findPostmaster(cluster);
  if (found && found.port !== access.port) {
    throw new DatabaseProblem(
      `The database server has moved to port ${found.port}: this process must be started again.`,
    );
  }
  if (found && (await becomesReady(found.pid, placement, access, log))) return found.pid;
  await removeOldLogs(home);
  const settings = {
    ...ordinarySettings,
    ...logSettings,
    // A list: only between quotes is a comma part of a name.
    unix_socket_directories: access.socketFolder ? `"${access.socketFolder.replaceAll('"', '""')}"` : '',
    log_directory: logFolder(home),
    ...options.settings,
  };
  for (;;) {
    const pid = await launchPostmaster(placement, access.port, settings);
    if (await becomesReady(pid, placement, access, log)) return pid;
    const reason = await lastLogLines(home);
    // Processes of a killed server notice its end by themselves; they may need a moment.
    if (!isStillInUse(reason)) throw new DatabaseProblem(`The embedded PostgreSQL server did not start: ${reason}`);
    log.warn({ event: 'database.waiting' }, 'Waiting for the last processes of the previous database server to end');
    await sleep(1_000);
  }
}

async function becomesReady(
  pid: number,
  { cluster }: Placement,
  access: Access,
  log: Pick<Logger, 'info'>,
): Promise<boolean> {
  let sayAt = Date.now() + slowStartMs;
  while (!(await answers(access))) {
    if (!(await isPostmaster(pid, cluster))) return false;
    if (Date.now() > sayAt) {
      sayAt += slowStartMs;
      log.info(
        { event: 'database.recovering' },
        'The database server is still starting, perhaps recovering from a crash',
      );
    }
    await sleep(checkMs);
  }
  return true;
}

/** Reaches the server, and creates the role and the database of the service when they are not there yet. */
async function answers(access: Access): Promise<boolean> {
  try {
    const { ownsDatabase } = await asSuperuser(access, 'postgres', (admin) => ensureServiceRole(admin, access));
    if (!ownsDatabase) await asSuperuser(access, database, transferDatabase);
    return true;
  } catch (error) {
    const { code = '', message } = error as pg.DatabaseError;
    if (code === '28P01') {
      throw new DatabaseProblem(
        `Port ${access.port} is served by another PostgreSQL, which does not know this installation.`,
      );
    }
    // Rights and names, which no further attempt changes.
    if (code.startsWith('42')) throw new DatabaseProblem(`The role of the service could not be set up: ${message}.`);
    return false;
  }
}

async function asSuperuser<T>(access: Access, name: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(
    clientSettings(superuserUrl(access, name), { name: 'waypost start', statementLimit: 'request' }),
  );
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const isStillInUse = (reason: string) => reason.includes('shared memory block') && reason.includes('is still in use');
