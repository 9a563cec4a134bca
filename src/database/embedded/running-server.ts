import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { clientSettings } from '../client.ts';
import { DatabaseProblem } from '../faults.ts';
import {
  type Access,
  choosePort,
  database,
  findPostmaster,
  isRunning,
  lastLogLines,
  launchPostmaster,
  logFolder,
  logSettings,
  type Postmaster,
  readPassword,
  removeOldLogs,
  savedPort,
  servicePassword,
  serviceRole,
  socketFolder,
  superuserUrl,
} from './cluster.ts';
import type { Placement } from './placement.ts';

const checkMs = 25;
const slowStartMs = 10_000;

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  timezone: 'UTC',
  max_connections: '200',
  shared_buffers: `${sharedBuffersMib()}MB`,
  // No replication: the WAL only needs the data for crash recovery.
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'on',
  // Group commit: with 4 active transactions, a commit waits up to 400 µs for others.
  commit_delay: '400',
  commit_siblings: '4',
  max_wal_size: '2GB',
  // The delivery queue produces many dead rows, which slow down claims.
  autovacuum_naptime: '5s',
  random_page_cost: '1.1',
};

/** An eighth of the memory of the machine or its container, within limits. */
function sharedBuffersMib(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.max(128, Math.min(1024, Math.floor(memory / 8 / 2 ** 20)));
}

export interface RunOptions {
  log: Pick<Logger, 'info' | 'warn'>;
  /** Additional PostgreSQL settings. */
  settings?: Record<string, string>;
}

/** A start can choose another port; a restart cannot. */
export async function arrangeAccess(placement: Placement): Promise<Access> {
  const { home } = placement;
  const password = await readPassword(home);
  const port = (await findPostmaster(placement))?.port ?? (await savedPort(home));
  return { password, port: port ?? (await choosePort(home)), socketFolder: socketFolder(home) };
}

/** Finds or starts the server. Resolves with its process id when it accepts connections. */
export async function ensureRunning(placement: Placement, access: Access, options: RunOptions): Promise<number> {
  const { home } = placement;
  const { log } = options;
  const found = await findPostmaster(placement);
  if (found && found.port !== access.port) {
    throw new DatabaseProblem(`The database server moved to port ${found.port}. Restart this process.`);
  }
  if (found && (await waitUntilReady(found, placement, access, log))) return found.pid;
  await removeOldLogs(home);
  const settings = {
    ...defaultSettings,
    ...logSettings,
    // Quoted, because a comma separates list entries.
    unix_socket_directories: access.socketFolder ? `"${access.socketFolder.replaceAll('"', '""')}"` : '',
    log_directory: logFolder(home),
    ...options.settings,
  };
  for (;;) {
    const pid = await launchPostmaster(placement, access.port, settings);
    if (await waitUntilReady({ pid, port: access.port }, placement, access, log)) return pid;
    const reason = await lastLogLines(home);
    // Child processes of a killed server need a moment to exit.
    if (!isStillInUse(reason)) throw new DatabaseProblem(`The embedded PostgreSQL server did not start: ${reason}`);
    log.warn({ event: 'database.waiting' }, 'Waiting for the processes of the previous database server to exit');
    await sleep(1_000);
  }
}

async function waitUntilReady(
  postmaster: Postmaster,
  placement: Placement,
  access: Access,
  log: Pick<Logger, 'info'>,
): Promise<boolean> {
  let logAt = Date.now() + slowStartMs;
  while (!(await isReady(access))) {
    if (!(await isRunning(postmaster, placement))) return false;
    if (Date.now() > logAt) {
      logAt += slowStartMs;
      log.info(
        { event: 'database.recovering' },
        'The database server is still starting, possibly recovering from a crash',
      );
    }
    await sleep(checkMs);
  }
  return true;
}

/** Connects, and creates the service role and its database if they do not exist. */
async function isReady(access: Access): Promise<boolean> {
  try {
    const { ownsDatabase } = await asSuperuser(access, 'postgres', (admin) => ensureServiceRole(admin, access));
    if (!ownsDatabase) await asSuperuser(access, database, transferDatabase);
    return true;
  } catch (error) {
    const { code = '', message } = error as pg.DatabaseError;
    if (code === '28P01') {
      throw new DatabaseProblem(
        `Port ${access.port} is used by another PostgreSQL server, which rejects the password of this installation.`,
      );
    }
    // Permission and syntax errors are permanent.
    if (code.startsWith('42')) throw new DatabaseProblem(`The service role could not be created: ${message}.`);
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

/** Creates the service role, without superuser privileges, and its database. */
async function ensureServiceRole(admin: pg.Client, access: Access): Promise<{ ownsDatabase: boolean }> {
  const { rows } = await admin.query<{ role: boolean; owner: string | null }>(
    `select exists (select from pg_roles where rolname = $1) as role,
       (select pg_get_userbyid(datdba) from pg_database where datname = $2) as owner`,
    [serviceRole, database],
  );
  const { role, owner } = rows[0] ?? { role: false, owner: null };
  if (!role) await admin.query(`create role ${serviceRole} login password '${servicePassword(access)}'`);
  if (owner === null) await admin.query(`create database ${database} owner ${serviceRole}`);
  await allowPartnerMoves(admin);
  return { ownsDatabase: owner === null || owner === serviceRole };
}

/** A move of a partner between cells copies and deletes rows without their triggers. */
async function allowPartnerMoves(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ granted: boolean }>(
    `select has_parameter_privilege($1, 'session_replication_role', 'SET') as granted`,
    [serviceRole],
  );
  if (!rows[0]?.granted) await admin.query(`grant set on parameter session_replication_role to ${serviceRole}`);
}

/** Transfers a database that earlier versions created as the superuser. Must run on a connection to that database. */
async function transferDatabase(admin: pg.Client): Promise<void> {
  // REASSIGN OWNED rejects the bootstrap superuser. A table includes its indexes, row type and owned sequences.
  await admin.query(`
    do $$
    declare
      item text;
    begin
      for item in
        select format('schema %I', nspname) from pg_namespace
        where nspowner = current_user::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
        union all
        select format('table %s', oid::regclass) from pg_class
        where relowner = current_user::regrole and relkind in ('r', 'p', 'v', 'm', 'S')
          and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
          and not exists (select from pg_depend where objid = pg_class.oid and relkind = 'S' and deptype in ('a', 'i'))
        union all
        select format('routine %s', oid::regprocedure) from pg_proc
        where proowner = current_user::regrole and pronamespace::regnamespace::text !~ '^(pg_|information_schema)'
        union all
        select format('type %s', pg_type.oid::regtype) from pg_type
        left join pg_class on pg_class.oid = typrelid
        where typowner = current_user::regrole and (typtype in ('e', 'd', 'r') or relkind = 'c')
          and typnamespace::regnamespace::text !~ '^(pg_|information_schema)'
      loop
        execute format('alter %s owner to ${serviceRole}', item);
      end loop;
      alter database ${database} owner to ${serviceRole};
    end $$`);
}
