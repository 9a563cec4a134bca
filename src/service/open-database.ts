import { execFile } from 'node:child_process';
import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import { Database } from '../database/connection.ts';
import { startEmbeddedServer } from '../database/embedded-server.ts';
import { DatabaseProblem, isDatabaseUnavailable, reasonOf } from '../database/faults.ts';
import { ReadReplica } from '../database/read-replica.ts';
import { withinLimit } from './shutdown.ts';

const closeMs = 5000;
const serverStopMs = 40_000;

interface OpenDatabase {
  database: Database;
  /** Whether the server in the data folder is used. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

/** Connects to the database of DATABASE_URL, or starts the embedded server. Reads and changes no table. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  await openDataFolder(config);
  const server = config.databaseUrl ? undefined : await startServer(config, log);
  const url = config.databaseUrl ?? server?.url ?? '';
  const database = new Database(url, { connections: config.databaseConnections, name: 'waypost' });
  const replica = config.databaseReadUrl
    ? new ReadReplica({ url: config.databaseReadUrl, primaryUrl: url, maxLagMs: config.databaseReadMaxLagMs, log })
    : undefined;
  database.replica = replica;
  const close = async () => {
    await withinLimit({ part: 'replica connections', limitMs: closeMs, log }, async () => replica?.close());
    await withinLimit({ part: 'database connections', limitMs: closeMs, log }, () => database.close());
    await withinLimit({ part: 'database server', limitMs: serverStopMs, log }, async () => server?.stop());
  };
  return { database, isEmbedded: server !== undefined, close };
}

/** Runs work on the database without checking its schema, then closes it. */
export async function onDatabase<T>(config: Config, log: Logger, work: (open: OpenDatabase) => Promise<T>): Promise<T> {
  const open = await openDatabase(config, log);
  try {
    return await work(open);
  } catch (error) {
    throw toConfigurationProblem(error, config);
  } finally {
    await open.close();
  }
}

async function startServer(config: Config, log: Logger) {
  return startEmbeddedServer({ dataDir: config.dataDir, log }).catch((error) => {
    throw toConfigurationProblem(error, config);
  });
}

// Refused credentials, an unknown database, missing rights.
const refusedStates = /^(28|3D|42501)/;

/** Errors that the operator can solve, as a ConfigurationProblem. */
export function toConfigurationProblem(error: unknown, { databaseUrl }: Config): unknown {
  if (error instanceof DatabaseProblem) return new ConfigurationProblem(error.message);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!databaseUrl || !(isDatabaseUnavailable(error) || refusedStates.test(code) || message.includes('SSL')))
    return error;
  return new ConfigurationProblem(
    `The database of DATABASE_URL cannot be used (${reasonOf(error)}). Start it, or change DATABASE_URL.`,
  );
}

const execute = promisify(execFile);
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
  const named = execute('id', ['-un', String(uid)], { cwd: '/' });
  return named.then(
    ({ stdout }) => stdout.trim(),
    () => `the user with id ${uid}`,
  );
}
