import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, ConfigurationProblem } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { Sealer } from '../events/signing/sealer.ts';

const keyBytes = 32;

/** The sealer for keys and secrets, by the configured master key or by the one that this installation made. */
export async function openSealer(config: Pick<Config, 'masterKey' | 'dataDir'>, database: Database): Promise<Sealer> {
  const known = await knownFingerprint(database);
  const sealer = new Sealer(config.masterKey ?? (await keptKey(config.dataDir, known !== undefined)));
  await checkFingerprint(sealer, database);
  return sealer;
}

async function keptKey(dataDir: string, isInUse: boolean): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  });
  // A new key cannot open what the lost one sealed, and would be mistaken for the right one.
  if (text === undefined && isInUse) throw anotherKey();
  const key = Buffer.from(text ?? (await createKey(path)), 'base64');
  if (key.length !== keyBytes) {
    throw new ConfigurationProblem(
      `${path} does not hold a master key: put back the file that was there, or set WAYPOST_MASTER_KEY.`,
    );
  }
  return key;
}

/** Complete and on the disk before anything is sealed with it, whatever happens to the machine. */
async function createKey(path: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flush: true });
    // Of processes that start together, the first decides.
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
    `The master key cannot be kept in ${path} (${code}): set WAYPOST_MASTER_KEY, or WAYPOST_DATA_DIR to a folder ` +
      'that this user may write in.',
  );

const anotherKey = () =>
  new ConfigurationProblem(
    'The keys in this database were sealed with another master key: set WAYPOST_MASTER_KEY to that one, ' +
      'or put its file master.key back into the data folder.',
  );

async function knownFingerprint(database: Database): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ value: string }>(
    "select value from installation where name = 'master-key'",
  );
  return rows[0]?.value;
}

/** Keys sealed with another master key cannot be opened: better to say so at the start than at the first delivery. */
async function checkFingerprint(sealer: Sealer, database: Database): Promise<void> {
  await database.pool.query("insert into installation (name, value) values ('master-key', $1) on conflict do nothing", [
    sealer.fingerprint,
  ]);
  if ((await knownFingerprint(database)) !== sealer.fingerprint) throw anotherKey();
}
