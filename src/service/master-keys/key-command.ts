import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { InvalidSetting, masterKeys } from '../../config/parse.ts';
import { type Config, ConfigurationProblem } from '../../config.ts';

type Command = NonNullable<Config['masterKeyCommand']>;

const limitMs = 30_000;
/** More than ten keys of 44 characters. */
const maxOutput = 4096;
const shownErrors = 300;
/** Texts as long as a key, which a program could repeat in its error. */
const secretText = /[\w+/=-]{32,}/g;

/** The keys that the program prints, the current one first. Its output is never part of an error. */
export async function runKeyCommand([program, ...args]: Command, timeoutMs = limitMs): Promise<readonly Buffer[]> {
  const problem = (text: string) => new ConfigurationProblem(`WAYPOST_MASTER_KEY_COMMAND: ${program} ${text}`);
  const { end, stdout, stderr } = await collect(program, args, timeoutMs).catch(({ code }: NodeJS.ErrnoException) => {
    throw problem(`cannot be started (${code}). Set it to a program that this user can run.`);
  });
  if (end === 'TIMEOUT') throw problem(`did not end within ${timeoutMs / 1000} s and was stopped.`);
  if (end === 'OUTPUT') throw problem(`printed more than ${maxOutput} bytes. Print only the key.`);
  if (end !== 0) throw problem(`failed (${typeof end === 'number' ? `exit code ${end}` : end}).${errorsOf(stderr)}`);
  try {
    return masterKeys(stdout);
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
