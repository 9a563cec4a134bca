import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { wholeNumber } from '../../config/parse.ts';
import { settings } from '../../config/settings.ts';
import { effectiveText } from '../../config.ts';
import { directoryList, SandboxControl, SandboxError } from '../../modules/directories/index.ts';
import { readSandboxFile } from '../../service/sandbox-file.ts';
import { nearestName, trimEndOf } from '../../text.ts';
import { ApiClient, credentialOptions, findCredentials } from '../api-client.ts';
import { CommandError, readOption, UsageError } from '../command.ts';

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

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>
>['values'];

/** An action of "waypost sandbox". */
export interface Action {
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
  operands: number;
  // Typed by `defineAction`.
  work(given: never, operands: string[]): Promise<void>;
}

export const defineAction = <const Options extends ParseArgsOptionsConfig>(action: {
  usage: string;
  summary: string;
  options: Options;
  operands: number;
  work(given: Values<Options>, operands: string[]): Promise<void>;
}): Action => action as Action;

/** Alternatives to the id of the page on the directory. */
export const pageOptions = {
  location: { type: 'string' },
  listing: { type: 'string' },
  ...credentialOptions,
} as const;

interface Given {
  location?: string;
  listing?: string;
  url?: string;
  key?: string;
}

interface Listing {
  id: number;
  type: string;
  listingId?: string | null;
}

const anyId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** The page by its id on the directory, or by a location or listing of Waypost. */
export async function chosenPage(
  given: Given,
  operands: readonly string[],
): Promise<{ directory: string; id: string }> {
  const [first, second, ...rest] = operands;
  if (given.listing !== undefined) {
    const id = readOption('--listing', given.listing, anyId);
    const listing = await api(given).call<Listing>('GET', `/api/listings/${id}`);
    if (first !== undefined && chosenDirectory(first) !== listing.type) {
      throw new UsageError(`The listing ${id} is on ${listing.type}, not on ${chosenDirectory(first)}.`);
    }
    return linked(listing);
  }
  const directory = chosenDirectory(first);
  if (given.location !== undefined) {
    if (second !== undefined) throw new UsageError(`The page ${second} cannot be combined with --location.`);
    const id = readOption('--location', given.location, anyId);
    const path = `/api/locations/${id}/listings?max=100`;
    const { listings } = await api(given).call<{ listings: Listing[] }>('GET', path);
    const listing = listings.find(({ type }) => type === directory);
    if (!listing) throw new CommandError(`The location ${id} has no listing on ${directory} yet. Sync it first.`);
    return linked(listing);
  }
  if (second === undefined || rest.length > 0) {
    throw new UsageError('The page is missing. Set its id on the directory, or --location or --listing.');
  }
  return { directory, id: second };
}

const api = (given: Given) =>
  new ApiClient(
    findCredentials(
      { ...(given.url !== undefined && { url: given.url }), ...(given.key !== undefined && { key: given.key }) },
      process.env,
    ),
  );

function linked({ id, type, listingId }: Listing): { directory: string; id: string } {
  if (listingId) return { directory: type, id: listingId };
  throw new CommandError(`The listing ${id} is not linked to a page on ${type} yet. It was not found or submitted.`);
}
