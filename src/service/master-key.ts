import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigurationProblem } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { Sealer } from '../events/signing/sealer.ts';

const keyBytes = 32;

/** The sealer for keys and secrets, by the configured master key or by the one that this installation made. */
export async function openSealer(config: Pick<Config, 'masterKey' | 'dataDir'>, database: Database): Promise<Sealer> {
  const sealer = new Sealer(config.masterKey ?? (await keptKey(config.dataDir)));
  await checkFingerprint(sealer, database);
  return sealer;
}

async function keptKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  try {
    await writeFile(path, `${randomBytes(keyBytes).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      throw new ConfigurationProblem(
        `The master key cannot be kept in ${path} (${code}): set WAYPOST_MASTER_KEY, or WAYPOST_DATA_DIR to a folder ` +
          'that this user may write in.',
      );
    }
  }
  const key = Buffer.from(await readFile(path, 'utf8'), 'base64');
  if (key.length !== keyBytes) {
    throw new ConfigurationProblem(
      `${path} does not hold a master key: put back the file that was there, or set WAYPOST_MASTER_KEY.`,
    );
  }
  return key;
}

/** Keys sealed with another master key cannot be opened: better to say so at the start than at the first delivery. */
async function checkFingerprint(sealer: Sealer, database: Database): Promise<void> {
  const { rows } = await database.pool.query<{ value: string }>(
    `with kept as (
       insert into installation (name, value) values ('master-key', $1) on conflict do nothing returning value
     )
     select value from kept union all select value from installation where name = 'master-key'`,
    [sealer.fingerprint],
  );
  if (rows[0]?.value === sealer.fingerprint) return;
  throw new ConfigurationProblem(
    'The keys in this database were sealed with another master key: set WAYPOST_MASTER_KEY to that one, ' +
      'or put its file master.key back into the data folder.',
  );
}
