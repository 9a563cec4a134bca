import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, ConfigurationProblem } from '../config.ts';
import type { Database, Sql } from '../database/connection.ts';
import { db } from '../database/query-builder.ts';
import { Sealer } from '../events/signing/sealer.ts';

const keyBytes = 32;

/** Uses the configured master key or the generated one in the data folder. */
export async function openSealer(config: Pick<Config, 'masterKey' | 'dataDir'>, database: Database): Promise<Sealer> {
  const known = await knownFingerprint(database.pool);
  const sealer = new Sealer(config.masterKey ?? (await storedKey(config.dataDir, known !== undefined)));
  await checkFingerprint(sealer, database);
  return sealer;
}

/** The configured or stored master key; undefined before the first start. */
export async function findMasterKey({
  masterKey,
  dataDir,
}: Pick<Config, 'masterKey' | 'dataDir'>): Promise<Buffer | undefined> {
  if (masterKey) return masterKey;
  const path = keyPath(dataDir);
  const text = await readKeyFile(path);
  return text === undefined ? undefined : decodeKey(path, text);
}

const keyPath = (dataDir: string) => join(dataDir, 'master.key');

async function storedKey(dataDir: string, isInUse: boolean): Promise<Buffer> {
  const path = keyPath(dataDir);
  const text = await readKeyFile(path);
  // A new key could not decrypt existing data.
  if (text === undefined && isInUse) throw wrongKey();
  return decodeKey(path, text ?? (await createKey(path)));
}

const readKeyFile = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  });

function decodeKey(path: string, text: string): Buffer {
  const key = Buffer.from(text, 'base64');
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

/** The fingerprint of the key that the values in the database are encrypted with; undefined before the first start. */
export async function knownFingerprint(sql: Sql): Promise<string | undefined> {
  const installed = await db(sql)
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
  if ((await knownFingerprint(database.pool)) !== sealer.fingerprint) throw wrongKey();
}
