import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidSetting, maxKeys, masterKeys as parseKeys } from '../../config/parse.ts';
import { type Config, ConfigurationProblem } from '../../config.ts';
import { syncFolder } from '../../storage/received-file.ts';

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
    if (text.trim().split(/\s+/).length > maxKeys) {
      throw new ConfigurationProblem(
        `${path} has more than ${maxKeys} keys. Restore the original file, or remove an unused key: the first one if ` +
          '"waypost keys rotate" added it last.',
      );
    }
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

type Command = NonNullable<Config['masterKeyCommand']>;

const commandLimitMs = 30_000;
/** More than ten keys of 44 characters. */
const maxOutput = 4096;
const shownErrors = 300;
/** Texts as long as a key, which a program could repeat in its error. */
const secretText = /[\w+/=-]{32,}/g;

/** The keys that the program prints, the current one first. Its output is never part of an error. */
export async function runKeyCommand(
  [program, ...args]: Command,
  timeoutMs = commandLimitMs,
): Promise<readonly Buffer[]> {
  const problem = (text: string) => new ConfigurationProblem(`WAYPOST_MASTER_KEY_COMMAND: ${program} ${text}`);
  const { end, stdout, stderr } = await collect(program, args, timeoutMs).catch(({ code }: NodeJS.ErrnoException) => {
    throw problem(`cannot be started (${code}). Set it to a program that this user can run.`);
  });
  if (end === 'TIMEOUT') throw problem(`did not end within ${timeoutMs / 1000} s and was stopped.`);
  if (end === 'OUTPUT') throw problem(`printed more than ${maxOutput} bytes. Print only the key.`);
  if (end !== 0) throw problem(`failed (${typeof end === 'number' ? `exit code ${end}` : end}).${errorsOf(stderr)}`);
  try {
    return parseKeys(stdout);
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw problem(`printed ${stdout.trim() === '' ? 'nothing' : 'an invalid key'}: print ${error.message}.`);
  }
}

interface CommandResult {
  /** The exit code, the signal that ended the program, or the limit that it exceeded. */
  end: number | NodeJS.Signals | 'TIMEOUT' | 'OUTPUT';
  stdout: string;
  stderr: string;
}

/** Rejects if the program cannot be started. */
async function collect(program: string, args: readonly string[], timeoutMs: number): Promise<CommandResult> {
  // In its own group, so that the processes that it has started are ended as well.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = { stdout: '', stderr: '' };
  let exceeded: 'TIMEOUT' | 'OUTPUT' | undefined;
  const stop = (limit: 'TIMEOUT' | 'OUTPUT') => {
    exceeded ??= limit;
    endGroup(child);
    // A process outside of the group could keep them open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.stdout.length + text.length > maxOutput) stop('OUTPUT');
    else output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = (output.stderr + text).slice(0, maxOutput);
  });
  const timer = setTimeout(() => stop('TIMEOUT'), timeoutMs);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { end: exceeded ?? signal ?? code ?? 0, ...output };
  } finally {
    clearTimeout(timer);
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // All processes of the group have ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function errorsOf(stderr: string): string {
  const text = stderr.replace(secretText, '…').replace(/\s+/g, ' ').trim().slice(0, shownErrors);
  return text === '' ? '' : ` It printed: ${text}`;
}
