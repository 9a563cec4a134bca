import { settings } from '../../config/settings.ts';
import { effectiveText } from '../../config.ts';
import { directoryList, SandboxControl, SandboxError } from '../../modules/directories/index.ts';
import { readSandboxFile } from '../../service/sandbox-file.ts';
import { nearestName, trimEndOf } from '../../text.ts';
import { CommandError, UsageError } from '../command.ts';

/** Calls the sandbox and converts its errors to messages for the terminal. */
export async function atDesk<T>(work: (control: SandboxControl) => Promise<T>): Promise<T> {
  try {
    return await work(new SandboxControl(await findSandbox(process.env)));
  } catch (error) {
    if (error instanceof SandboxError) throw new CommandError(error.message);
    throw error;
  }
}

/** The sandbox of the environment variables, or the local one of the data folder. */
async function findSandbox(env: NodeJS.ProcessEnv) {
  const url = env[settings.sandboxUrl.variable];
  const key = env[settings.sandboxKey.variable];
  if (url && key) return { url: () => trimEndOf(url, /\//), key };
  const dataDir = effectiveText(settings.dataDir, env) ?? '';
  const file = await readSandboxFile(dataDir);
  if (file) return { url: () => file.url, key: file.key };
  throw new CommandError(
    `No sandbox was found in ${dataDir}. Run "npm start" to start one. For an external sandbox, set ` +
      `${settings.sandboxUrl.variable} and ${settings.sandboxKey.variable}.`,
  );
}

const types = directoryList.map(({ type }) => type);

/** Accepts google, trip-advisor and TRIP_ADVISOR. */
export function chosenDirectory(typed: string | undefined): string {
  if (typed === undefined) throw new UsageError(`The directory is missing. Directories: ${types.join(', ')}.`);
  const type = typed.toUpperCase().replaceAll('-', '_');
  if (types.includes(type)) return type;
  const nearest = nearestName(type, types);
  throw new UsageError(
    `There is no directory "${typed}". ${nearest ? `Did you mean ${nearest}?` : `Directories: ${types.join(', ')}.`}`,
  );
}

/** A directory, or "all". */
export const chosenDirectories = (typed: string | undefined): readonly string[] =>
  typed?.toLowerCase() === 'all' ? types : [chosenDirectory(typed)];

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
