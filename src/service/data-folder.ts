import { execFile } from 'node:child_process';
import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Config, ConfigurationProblem } from '../config.ts';

const run = promisify(execFile);
const { R_OK, W_OK, X_OK } = constants;
// Exists in the root folder of a mounted file system.
const ignored = 'lost+found';

/** A read-only folder is enough for an external database and a configured master key. */
export async function openDataFolder({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<void> {
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
