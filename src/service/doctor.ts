import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Config, checkServing, version } from '../config.ts';
import { otherCell, readCellState } from '../database/cell.ts';
import type { Database } from '../database/connection.ts';
import { missingPartitions } from '../database/partitions.ts';
import { listMoves } from '../database/partner-moves.ts';
import type { ReadReplica } from '../database/read-replica.ts';
import { readSchemaState, tableExists } from '../database/schema-state.ts';
import { UnknownMasterKey } from '../events/signing/sealer.ts';
import { checkMailServer } from '../mail/send-mail.ts';
import { listAllPartners, sealedKey } from '../modules/accounts/index.ts';
import { newFileName } from '../storage/file-store.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { withTimeout } from '../values/with-timeout.ts';
import { readKeyUses, readRegistry, sealerOf } from './master-keys/key-registry.ts';
import { findMasterKeys } from './master-keys/key-source.ts';
import { fileStoreName, findMarker, findStoreMismatch } from './shared-files.ts';

/** The result of a check. The message of WARN and FAIL says what to do. */
export interface Finding {
  check: string;
  status: 'OK' | 'WARN' | 'FAIL';
  message: string;
}

type Result = Omit<Finding, 'check'>;

export const ok = (message: string): Result => ({ status: 'OK', message });
const warn = (message: string): Result => ({ status: 'WARN', message });
export const fail = (message: string): Result => ({ status: 'FAIL', message });

interface Check {
  name: string;
  run(): Result | Promise<Result>;
}

const checkLimitMs = 30_000;

/** Runs a check with a time limit. An error is a failed check. */
export async function runCheck({ name, run }: Check): Promise<Finding> {
  const onTimeout = () => fail(`No result within ${checkLimitMs / 1000} s.`);
  const result = await withTimeout(checkLimitMs, Promise.try(run), onTimeout).catch((error: Error) =>
    fail(error.message),
  );
  return { check: name, ...result };
}

const oldestNode = 24;
const builtConsole = fileURLToPath(new URL('../../console/dist/index.html', import.meta.url));
const mebibyte = 1024 ** 2;
const lowDisk = { warn: 2048 * mebibyte, fail: 200 * mebibyte };
const certificateDays = 21;

/** Checks that need no database. */
export const installationChecks = (config: Config): Check[] => [
  {
    name: 'runtime',
    run() {
      const [major = 0] = process.versions.node.split('.').map(Number);
      const found = `Waypost ${version} on Node.js ${process.versions.node}`;
      return major >= oldestNode ? ok(found) : fail(`${found}: install Node.js ${oldestNode} or newer.`);
    },
  },
  {
    name: 'console',
    run() {
      if (!config.console) return ok('Disabled by WAYPOST_CONSOLE.');
      if (existsSync(builtConsole)) return ok('Built.');
      return warn('Not built. Run "node setup/ready.mjs", copy console/dist, or set WAYPOST_CONSOLE to off.');
    },
  },
  {
    name: 'serving',
    run() {
      checkServing(config);
      return ok(`${config.host}, port ${config.port}`);
    },
  },
  { name: 'certificate', run: () => checkCertificate(config) },
  { name: 'disk', run: () => checkDisk(config) },
  { name: 'files', run: () => checkFiles(config) },
  { name: 'mail', run: () => checkMail(config) },
];

async function checkCertificate({ tlsCert }: Config) {
  if (tlsCert === undefined) return ok('Not used: no WAYPOST_TLS_CERT.');
  const { validTo } = new X509Certificate(await readFile(tlsCert));
  const days = Math.floor((Date.parse(validTo) - Date.now()) / 86_400_000);
  if (days < 0) return fail(`${tlsCert} expired on ${validTo}. Replace it and restart the processes.`);
  if (days < certificateDays) return warn(`${tlsCert} expires on ${validTo}. Replace it and restart the processes.`);
  return ok(`Valid until ${validTo}.`);
}

async function checkDisk({ dataDir }: Config) {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const found = `${Math.floor(free / mebibyte)} MiB free in ${dataDir}`;
  if (free < lowDisk.fail) return fail(`${found}. Free space now: without it, nothing can be written.`);
  return free < lowDisk.warn ? warn(`${found}. Free space, or use a larger disk.`) : ok(found);
}

/** Writes, reads and deletes a small file. */
async function checkFiles(config: Config) {
  const files = openFileStore(config);
  const where = fileStoreName(config);
  const name = newFileName('doctor');
  try {
    await files.put(name, Readable.from([Buffer.from(name)]));
    const stored = await files.read(name);
    const content = stored && (await text(stored.stream));
    await files.remove(name);
    if (content === name) return ok(`Written, read and deleted in ${where}.`);
    return fail(`A file that was written to ${where} cannot be read. Check the store and its settings (WAYPOST_S3_…).`);
  } catch (error) {
    return fail(`${(error as Error).message}. Check ${where}, its rights and its settings.`);
  } finally {
    await files.close();
  }
}

async function checkMail({ smtpUrl }: Config) {
  if (smtpUrl === undefined) return ok('Not used: no WAYPOST_SMTP_URL, so alerts are not sent by e-mail.');
  try {
    await checkMailServer(smtpUrl);
    return ok(`${smtpUrl.host} accepts connections.`);
  } catch (error) {
    return fail(`${(error as Error).message} Check WAYPOST_SMTP_URL.`);
  }
}

const oldestServer = 15;
/** Connections of jobs, notifications and locks, besides WAYPOST_DATABASE_CONNECTIONS. */
const otherConnections = 30;
/** Receivers reject signatures that are older than five minutes. */
const clockSeconds = { warn: 2, fail: 60 };
const openedKeys = 100;
/** After this time, a move was probably forgotten. */
const longMoveHours = 4;
/** Share of the ids of a cell that leaves years to act. */
const fullCell = 0.8;

/** Checks of a database that responds. */
export const databaseChecks = (config: Config, { pool, replica }: Database, isEmbedded: boolean): Check[] => [
  { name: 'database settings', run: () => checkSettings(pool) },
  { name: 'connections', run: () => checkConnections(pool, config) },
  { name: 'migrations', run: () => checkMigrations(pool, isEmbedded) },
  { name: 'cell', run: () => checkCell(pool, config) },
  { name: 'partner moves', run: () => checkMoves(pool) },
  { name: 'partitions', run: () => checkPartitions(pool) },
  { name: 'clock', run: () => checkClock(pool) },
  { name: 'master key', run: () => checkMasterKey(pool, config) },
  { name: 'shared files', run: () => checkSharedFiles(pool, config) },
  { name: 'read replica', run: () => checkReplica(replica) },
];

type Pool = Database['pool'];

async function settingsOf(pool: Pool, names: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any ($1)',
    [names],
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

async function checkSettings(pool: Pool) {
  const durable = ['fsync', 'full_page_writes', 'synchronous_commit'];
  const found = await settingsOf(pool, [...durable, 'server_version', 'server_version_num']);
  const server = `PostgreSQL ${found.server_version}`;
  if (Number(found.server_version_num) < oldestServer * 10_000)
    return fail(`${server} is too old. Use PostgreSQL ${oldestServer} or newer.`);
  const disabled = durable.filter((name) => found[name] === 'off');
  if (disabled.length === 0) return ok(server);
  return warn(`Off: ${disabled.join(', ')}. A crash of the server can lose committed events. Set them to on.`);
}

async function checkConnections(pool: Pool, { databaseConnections }: Config) {
  const found = await settingsOf(pool, ['max_connections', 'superuser_reserved_connections']);
  const available = Number(found.max_connections) - Number(found.superuser_reserved_connections);
  const used = databaseConnections + otherConnections;
  const message = `A process uses up to ${used} connections, and the server allows ${available}`;
  const remedy = 'Increase max_connections, or decrease WAYPOST_DATABASE_CONNECTIONS.';
  if (used > available) return fail(`${message}. ${remedy}`);
  return used * 2 > available ? warn(`${message}, which is not enough for two processes. ${remedy}`) : ok(message);
}

async function checkMigrations(pool: Pool, isEmbedded: boolean) {
  const { pending, newer, jobTablesOutdated } = await readSchemaState(pool);
  const count = pending.length + Number(jobTablesOutdated);
  if (count > 0 && isEmbedded) return ok(`${count} pending; the next start applies them.`);
  if (count > 0) return fail(`${count} pending. Run "waypost migrate"; "waypost migrate --plan" shows the changes.`);
  if (newer.length > 0)
    return warn(`The schema is newer than this version (${newer.join(', ')}). Update this process.`);
  return ok('None pending.');
}

async function checkCell(pool: Pool, { cell }: Config) {
  const { rows } = await pool.query<{ found: boolean }>(
    `select exists (select from pg_attribute
       where attrelid = to_regclass('public.id_checkpoint') and attname = 'cell') as found`,
  );
  const state = rows[0]?.found ? await readCellState(pool) : undefined;
  if (!state) return ok(`Cell ${cell}, fixed by the first start.`);
  if (state.cell !== cell) return fail(otherCell(state.cell, cell));
  const message = `Cell ${cell}, ${Math.round(state.usedShare * 100)} % of its ids used`;
  return state.usedShare > fullCell ? warn(`${message}. Create new partners on another cell.`) : ok(`${message}.`);
}

async function checkMoves(pool: Pool) {
  const moves = (await tableExists(pool, 'public.partner_moves')) ? await listMoves(pool) : [];
  const [oldest] = moves.sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  if (!oldest) return ok('None under way.');
  const { partnerId, targetCell, startedAt } = oldest;
  const hours = Math.floor((Date.now() - startedAt.getTime()) / 3_600_000);
  const message = `Partner ${partnerId} is being moved to cell ${targetCell} since ${startedAt.toISOString()}`;
  if (hours < longMoveHours) return ok(`${message}.`);
  const command = `waypost partners move ${partnerId} --to ${targetCell}`;
  return warn(`${message} and cannot be changed here. Resume "${command}", or end it with --finish or --undo.`);
}

async function checkPartitions(pool: Pool) {
  if (!(await hasTables(pool))) return ok('Created by the first migration.');
  const missing = await missingPartitions(pool);
  if (missing.length === 0) return ok('Present for the coming days.');
  const { rows } = await pool.query<{ today: string }>("select to_char(current_date, 'YYYYMMDD') as today");
  const isUrgent = missing.some((name) => name.endsWith(rows[0]?.today ?? ''));
  const remedy = 'Start a worker ("waypost work"), or run "waypost migrate".';
  return isUrgent
    ? fail(`${missing[0]} is missing: events cannot be recorded today. ${remedy}`)
    : warn(`${missing.length} are missing, the first is ${missing[0]}: the upkeep job has not run. ${remedy}`);
}

async function checkClock(pool: Pool) {
  const sent = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const received = Date.now();
  const now = (rows[0]?.now ?? new Date(Number.NaN)).getTime();
  // The statement ran between both times.
  const difference = Math.max(sent - now, now - received, 0) / 1000;
  const message = `The clocks of this machine and of the database differ by ${difference.toFixed(1)} s`;
  const remedy = 'Synchronize both with NTP.';
  if (difference > clockSeconds.fail) return fail(`${message}. ${remedy}`);
  return difference > clockSeconds.warn ? warn(`${message}. ${remedy}`) : ok(`${message}.`);
}

async function checkMasterKey(pool: Pool, config: Config) {
  if (!(await hasTables(pool))) return ok('Not used yet.');
  const { current, unmarked } = await readRegistry(pool);
  if (current === undefined) return ok('Not used yet.');
  const remedy = 'Add it to WAYPOST_MASTER_KEY after the current key, or restore master.key in the data folder.';
  const keys = await findMasterKeys(config);
  if (!keys) return fail(`The master key is missing (fingerprint ${current}). ${remedy}`);
  const sealer = sealerOf(keys, unmarked);
  const partners = (await listAllPartners(pool)).slice(0, openedKeys);
  for (const { id } of partners) {
    const sealed = await sealedKey(pool, id);
    try {
      if (sealed) sealer.open(sealed);
    } catch (error) {
      if (error instanceof UnknownMasterKey) continue;
      return fail(`The key of partner ${id} cannot be decrypted. Restore it from a backup, or rotate it.`);
    }
  }
  const uses = await readKeyUses(pool, sealer);
  const missing = uses.find(({ isKnown, values }) => !isKnown && values > 0);
  if (missing) {
    const { fingerprint, values } = missing;
    return fail(`The master key ${fingerprint} is missing: ${values} values are encrypted with it. ${remedy}`);
  }
  if (sealer.current.fingerprint !== current)
    return warn(
      `The database uses ${current} as its current master key. Put this key first, or run "waypost keys reseal".`,
    );
  const former = uses.filter(({ fingerprint }) => fingerprint !== current);
  const left = former.reduce((sum, { values }) => sum + values, 0);
  if (left > 0)
    return warn(`A rotation is in progress: ${left} values are encrypted with former keys. Keep these keys.`);
  const unused = former.filter(({ isKnown }) => isKnown).map(({ fingerprint }) => fingerprint);
  if (unused.length > 0)
    return warn(`No value is encrypted with ${unused.join(', ')}. Use this key as the next one, or remove it.`);
  return ok(`Opens the keys of ${partners.length} partners.`);
}

async function checkSharedFiles(pool: Pool, config: Config) {
  if (!(await hasTables(pool))) return ok('Not used yet.');
  const files = openFileStore(config);
  try {
    const mismatch = await findStoreMismatch(config, pool, files);
    if (mismatch !== undefined) return fail(mismatch);
    if ((await findMarker(pool)) === undefined) return ok('Not used yet.');
    return ok(`The files of this installation are in ${fileStoreName(config)}.`);
  } finally {
    await files.close();
  }
}

/** One second apart. The lag is known once the replica has replayed the position of the first check. */
const replicaChecks = 5;

async function checkReplica(replica: ReadReplica | undefined) {
  if (!replica) return ok('Not used: no DATABASE_READ_URL.');
  const remedy = 'Check DATABASE_READ_URL, and pg_stat_wal_receiver on that server.';
  for (let round = 1; ; round += 1) {
    await replica.check();
    const { status } = replica;
    if (status.state === 'used') return ok(`It lags by less than ${Math.max(status.lagSeconds, 0.1).toFixed(1)} s.`);
    if (status.state === 'unavailable') return fail(`${status.reason}. Reads use the primary. ${remedy}`);
    if (round === replicaChecks) {
      const lag = status.lagSeconds?.toFixed(1) ?? `more than ${replicaChecks - 1}`;
      return warn(`It lags by ${lag} s; above DATABASE_READ_MAX_LAG, reads use the primary. ${remedy}`);
    }
    await pause(1000);
  }
}

const hasTables = (pool: Pool): Promise<boolean> => tableExists(pool, 'public.installation');
