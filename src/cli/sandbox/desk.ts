import { nearestName } from '../../config/nearest-name.ts';
import { settings } from '../../config/settings.ts';
import { effectiveText } from '../../config.ts';
import { directoryList, SandboxControl, SandboxError } from '../../modules/directories/index.ts';
import { readSandboxFile } from '../../service/sandbox-file.ts';
import { trimEndOf } from '../../text.ts';
import { CommandError, UsageError } from '../command.ts';

/** Has the sandbox do something; whatever it does not do is a sentence for the person at the terminal. */
export async function atDesk<T>(work: (control: SandboxControl) => Promise<T>): Promise<T> {
  try {
    return await work(new SandboxControl(await findSandbox(process.env)));
  } catch (error) {
    if (error instanceof SandboxError) throw new CommandError(error.message);
    throw error;
  }
}

/** The one that the environment names, or the one that runs beside the Waypost of the data folder. */
async function findSandbox(env: NodeJS.ProcessEnv) {
  const url = env[settings.sandboxUrl.variable];
  const key = env[settings.sandboxKey.variable];
  if (url && key) return { url: () => trimEndOf(url, /\//), key };
  const dataDir = effectiveText(settings.dataDir, env) ?? '';
  const file = await readSandboxFile(dataDir);
  if (file) return { url: () => file.url, key: file.key };
  throw new CommandError(
    `No sandbox is known in ${dataDir}: "npm start" runs one beside Waypost. For another one set ` +
      `${settings.sandboxUrl.variable} and ${settings.sandboxKey.variable}.`,
  );
}

const types = directoryList.map(({ type }) => type);

/** A directory as people type it: google, trip-advisor, TRIP_ADVISOR. */
export function chosenDirectory(typed: string | undefined): string {
  if (typed === undefined) throw new UsageError(`Which directory? ${types.join(', ')}.`);
  const type = typed.toUpperCase().replaceAll('-', '_');
  if (types.includes(type)) return type;
  const nearest = nearestName(type, types);
  throw new UsageError(
    `There is no directory "${typed}". ${nearest ? `Did you mean ${nearest}?` : `There are ${types.join(', ')}.`}`,
  );
}

/** One of them, or "all". */
export const chosenDirectories = (typed: string | undefined): readonly string[] =>
  typed?.toLowerCase() === 'all' ? types : [chosenDirectory(typed)];

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
