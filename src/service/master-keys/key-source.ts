import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidSetting, masterKeys as parseKeys } from '../../config/parse.ts';
import { type Config, ConfigurationProblem } from '../../config.ts';
import { syncFolder } from '../../storage/open-file-store.ts';
import { runKeyCommand } from './key-command.ts';

export type KeySettings = Partial<Pick<Config, 'masterKeys' | 'masterKeyCommand'>> & Pick<Config, 'dataDir'>;

/** Whether the keys are in the data folder. */
export const areStored = ({ masterKeys, masterKeyCommand }: KeySettings): boolean => !masterKeys && !masterKeyCommand;

/** The configured or stored keys, the current one first; undefined before the first start. */
export async function findMasterKeys(settings: KeySettings): Promise<readonly Buffer[] | undefined> {
  const { masterKeys, masterKeyCommand, dataDir } = settings;
  if (masterKeys) return masterKeys;
  if (masterKeyCommand) return runKeyCommand(masterKeyCommand);
  const path = keyPath(dataDir);
  const text = await readKeyFile(path);
  return text === undefined ? undefined : decodeKeys(path, text);
}

/** Creates the key of a new installation. With concurrent starts, the first key is used. */
export async function createMasterKey(dataDir: string): Promise<readonly Buffer[]> {
  const path = keyPath(dataDir);
  await writeKeys(path, [newKey()], (draft) =>
    link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    }),
  );
  return decodeKeys(path, await readFile(path, 'utf8'));
}

/** Replaces the file of the data folder at once: after a crash it has either the old or the new keys. */
export async function replaceStoredKeys(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  const path = keyPath(dataDir);
  await writeKeys(path, keys, (draft) => rename(draft, path));
}

export const newKey = (): Buffer => randomBytes(32);

/** One key per line, as all sources of keys accept them. */
export const textOfKeys = (keys: readonly Buffer[]): string =>
  keys.map((key) => `${key.toString('base64')}\n`).join('');

const keyPath = (dataDir: string) => join(dataDir, 'master.key');

const readKeyFile = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  });

function decodeKeys(path: string, text: string): readonly Buffer[] {
  try {
    return parseKeys(text);
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw new ConfigurationProblem(
      `${path} is not a valid master key. Restore the original file, or set WAYPOST_MASTER_KEY.`,
    );
  }
}

/** The keys are flushed to disk before they are used. */
async function writeKeys(path: string, keys: readonly Buffer[], publish: (draft: string) => Promise<void>) {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, textOfKeys(keys), { mode: 0o600, flush: true });
    await publish(draft);
    await syncFolder(dirname(path));
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  } finally {
    await rm(draft, { force: true });
  }
}

const unusable = (path: string, { code }: NodeJS.ErrnoException) =>
  new ConfigurationProblem(
    `The master key in ${path} cannot be read or written (${code}). Set WAYPOST_MASTER_KEY, or set WAYPOST_DATA_DIR to a folder ` +
      'that is writable for this user.',
  );
