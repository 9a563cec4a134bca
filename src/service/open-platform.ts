import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, link, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import { Database } from '../database/connection.ts';
import { startEmbeddedServer } from '../database/embedded-server.ts';
import { DatabaseProblem, isDatabaseUnavailable, reasonOf, waitForDatabase } from '../database/faults.ts';
import { guardIssuedIds } from '../database/issued-ids.ts';
import { migrate } from '../database/migrate.ts';
import { db } from '../database/query-builder.ts';
import { Sealer } from '../events/signing/sealer.ts';
import { withinLimit } from './shutdown.ts';

const closeMs = 5000;
const serverStopMs = 40_000;

export interface Platform {
  database: Database;
  sealer: Sealer;
  close(): Promise<void>;
}

/**
 * Opens and migrates the database. With a signal, waits for an unavailable database until the signal is aborted; without
 * one, throws a ConfigurationProblem.
 */
export async function openPlatform(config: Config, log: Logger, waitUntil?: AbortSignal): Promise<Platform> {
  await openDataFolder(config);
  const server = config.databaseUrl ? undefined : await startServer(config, log);
  const url = config.databaseUrl ?? server?.url ?? '';
  const database = new Database(url, { connections: config.databaseConnections, name: 'waypost' });
  const close = async () => {
    await withinLimit({ part: 'database connections', limitMs: closeMs, log }, () => database.close());
    await withinLimit({ part: 'database server', limitMs: serverStopMs, log }, async () => server?.stop());
  };
  const prepare = async () => {
    const applied = await migrate(database);
    if (applied.length > 0) log.info({ event: 'database.migrated', applied }, `Database at ${applied.at(-1)}`);
    await guardIssuedIds(database, log);
    return openSealer(config, database);
  };
  try {
    const sealer = waitUntil ? await waitForDatabase(prepare, { log, signal: waitUntil }) : await prepare();
    return { database, sealer, close };
  } catch (error) {
    await close();
    throw waitUntil?.aborted ? error : toConfigurationProblem(error, config);
  }
}

async function startServer(config: Config, log: Logger) {
  return startEmbeddedServer({ dataDir: config.dataDir, log }).catch((error) => {
    throw toConfigurationProblem(error, config);
  });
}

// Refused credentials, an unknown database, missing rights.
const refusedStates = /^(28|3D|42501)/;

function toConfigurationProblem(error: unknown, { databaseUrl }: Config): unknown {
  if (error instanceof DatabaseProblem) return new ConfigurationProblem(error.message);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!databaseUrl || !(isDatabaseUnavailable(error) || refusedStates.test(code) || message.includes('SSL')))
    return error;
  return new ConfigurationProblem(
    `The database of DATABASE_URL cannot be used (${reasonOf(error)}). Start it, or change DATABASE_URL.`,
  );
}

const run = promisify(execFile);
const { R_OK, W_OK, X_OK } = constants;
// Exists in the root folder of a mounted file system.
const ignored = 'lost+found';

/** A read-only folder is enough for an external database and a configured master key. */
async function openDataFolder({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, (databaseUrl ? R_OK : R_OK | W_OK) | X_OK);
  } catch (error) {
    throw await problemWith(`The data folder ${dataDir}`, dataDir, error as NodeJS.ErrnoException);
  }
  if (databaseUrl) return;
  for (const name of await readdir(dataDir)) if (name !== ignored) await checkEntry(dataDir, join(dataDir, name));
}

/** A previous start by another user, such as root, leaves files that this user cannot access. */
async function checkEntry(dataDir: string, path: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined);
  if (!entry || entry.uid === process.getuid?.()) return;
  await access(path, entry.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK).catch(async (error) => {
    throw await problemWith(`${path} in the data folder`, dataDir, error, path);
  });
}

async function problemWith(
  subject: string,
  dataDir: string,
  { code }: NodeJS.ErrnoException,
  path = dataDir,
): Promise<ConfigurationProblem> {
  const elsewhere = 'set WAYPOST_DATA_DIR to a folder that is writable for this user.';
  // For example a file instead of a folder, or a read-only disk.
  if (code !== 'EACCES' && code !== 'EPERM') {
    return new ConfigurationProblem(`${subject} cannot be used (${code}): ${elsewhere}`);
  }
  const user = await userName(process.getuid?.());
  const { existing, owner } = await nearest(path);
  const whose = existing === resolve(path) ? 'It' : existing;
  const remedy =
    owner === user
      ? `Give this user access with "chmod u+rwx ${existing}"`
      : `Run Waypost as ${owner}, change the owner with "chown -R ${user} ${resolve(dataDir)}"`;
  return new ConfigurationProblem(
    `${subject} cannot be used (${code}). ${whose} belongs to ${owner}, and Waypost runs as ${user}. ` +
      `${remedy}, or ${elsewhere}`,
  );
}

/** The path itself, or its nearest existing parent folder. */
async function nearest(path: string): Promise<{ existing: string; owner: string }> {
  const existing = resolve(path);
  const found = await stat(existing).catch(() => undefined);
  if (found) return { existing, owner: await userName(found.uid) };
  return nearest(dirname(existing));
}

async function userName(uid = -1): Promise<string> {
  const named = run('id', ['-un', String(uid)], { cwd: '/' });
  return named.then(
    ({ stdout }) => stdout.trim(),
    () => `the user with id ${uid}`,
  );
}

const keyBytes = 32;

/** Uses the configured master key or the generated one in the data folder. */
export async function openSealer(config: Pick<Config, 'masterKey' | 'dataDir'>, database: Database): Promise<Sealer> {
  const known = await knownFingerprint(database);
  const sealer = new Sealer(config.masterKey ?? (await storedKey(config.dataDir, known !== undefined)));
  await checkFingerprint(sealer, database);
  return sealer;
}

async function storedKey(dataDir: string, isInUse: boolean): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  });
  // A new key could not decrypt existing data.
  if (text === undefined && isInUse) throw wrongKey();
  const key = Buffer.from(text ?? (await createKey(path)), 'base64');
  if (key.length !== keyBytes) {
    throw new ConfigurationProblem(
      `${path} is not a valid master key. Restore the original file, or set WAYPOST_MASTER_KEY.`,
    );
  }
  return key;
}

/** The key is flushed to disk before it is used. */
async function createKey(path: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flush: true });
    // With concurrent starts, the first key is used.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncFolder(dirname(path));
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  } finally {
    await rm(draft, { force: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

const unusable = (path: string, { code }: NodeJS.ErrnoException) =>
  new ConfigurationProblem(
    `The master key cannot be stored in ${path} (${code}). Set WAYPOST_MASTER_KEY, or set WAYPOST_DATA_DIR to a folder ` +
      'that is writable for this user.',
  );

const wrongKey = () =>
  new ConfigurationProblem(
    'The keys in this database are encrypted with another master key. Set WAYPOST_MASTER_KEY to that key, ' +
      'or restore its file master.key in the data folder.',
  );

const fingerprintName = 'master-key';

async function knownFingerprint(database: Database): Promise<string | undefined> {
  const installed = await db(database.pool)
    .selectFrom('installation')
    .select('value')
    .where('name', '=', fingerprintName)
    .executeTakeFirst();
  return installed?.value;
}

/** Detects a wrong master key at the start instead of at the first delivery. */
async function checkFingerprint(sealer: Sealer, database: Database): Promise<void> {
  await db(database.pool)
    .insertInto('installation')
    .values({ name: fingerprintName, value: sealer.fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if ((await knownFingerprint(database)) !== sealer.fingerprint) throw wrongKey();
}
