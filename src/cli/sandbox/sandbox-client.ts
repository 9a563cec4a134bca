import type { ParseArgsOptionsConfig } from 'node:util';
import type { Static } from 'typebox';
import { settings } from '../../config/settings.ts';
import { effectiveText } from '../../config.ts';
import { directoryList, SandboxControl, SandboxError } from '../../modules/directories/index.ts';
import type { ListingResponse } from '../../modules/listings/index.ts';
import { readSandboxFile } from '../../service/local-sandbox.ts';
import { trimEndOf } from '../../text.ts';
import { ApiClient, credentialOptions, findCredentials } from '../api-client.ts';
import { anyId, CommandError, type Given, readOption, required, suggestion, UsageError, value } from '../command.ts';

/** Calls the sandbox. Its errors become command errors, which are printed without a stack trace. */
export async function withSandbox<T>(call: (control: SandboxControl) => Promise<T>): Promise<T> {
  try {
    return await call(new SandboxControl(findSandbox(process.env)));
  } catch (error) {
    if (error instanceof SandboxError) throw new CommandError(error.message);
    throw error;
  }
}

/** The sandbox set by environment variables, or the local sandbox of the data folder. */
function findSandbox(env: NodeJS.ProcessEnv) {
  const url = env[settings.sandboxUrl.variable];
  const key = effectiveText(settings.sandboxKey, env);
  if (url && !key) {
    throw new CommandError(`Set ${settings.sandboxKey.variable}: ${settings.sandboxUrl.variable} requires it.`);
  }
  if (url && key) return { url: () => trimEndOf(url, /\//), key };
  const dataDir = effectiveText(settings.dataDir, env) ?? '';
  const file = readSandboxFile(dataDir);
  if (file) return { url: () => file.url, key: file.key };
  throw new CommandError(
    `No sandbox was found in ${dataDir}. Run "npm start" to start one. For an external sandbox, set ` +
      `${settings.sandboxUrl.variable} and ${settings.sandboxKey.variable}.`,
  );
}

const types = directoryList.map(({ type }) => type);

/** Accepts google, trip-advisor and TRIP_ADVISOR. */
export function chosenDirectory(operand: string | undefined): string {
  const typed = required(operand, `The directory is missing. Directories: ${types.join(', ')}.`);
  const type = typed.toUpperCase().replaceAll('-', '_');
  if (types.includes(type)) return type;
  throw new UsageError(`There is no directory "${typed}". ${suggestion(type, types, 'Directories')}`);
}

/** A directory, or "all". */
export const chosenDirectories = (typed: string | undefined): readonly string[] =>
  typed?.toLowerCase() === 'all' ? types : [chosenDirectory(typed)];

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** An action of "waypost sandbox". */
export interface Action<Options extends ParseArgsOptionsConfig = never> {
  usage: string;
  summary: string;
  options?: Options;
  operands?: number;
  run(given: Given<Options>['values'], operands: string[]): Promise<void>;
}

/** Checks the use of `given` against the options. */
export const defineAction = <const Options extends ParseArgsOptionsConfig>(action: Action<Options>) =>
  action as unknown as Action;

/** Options that replace the operand LISTING. */
export const listingOptions = {
  location: value,
  listing: value,
  ...credentialOptions,
} as const;

type ListingOptions = Given<typeof listingOptions>['values'];

export type Listing = Static<typeof ListingResponse>;

/** Finds a listing by its ID on the directory, or by the ID of a Waypost location or listing. */
export async function chosenListing(
  given: ListingOptions,
  operands: readonly string[],
): Promise<{ directory: string; id: string }> {
  const [typedDirectory, externalId, ...rest] = operands;
  if (given.listing !== undefined) {
    if (externalId !== undefined) throw new UsageError(`The listing ${externalId} cannot be combined with --listing.`);
    const id = readOption('--listing', given.listing, anyId);
    const listing = await apiClient(given).call<Listing>('GET', `/api/listings/${id}`);
    if (typedDirectory !== undefined && chosenDirectory(typedDirectory) !== listing.type) {
      throw new UsageError(`The listing ${id} is on ${listing.type}, not on ${chosenDirectory(typedDirectory)}.`);
    }
    return externalListing(listing);
  }
  const directory = chosenDirectory(typedDirectory);
  if (given.location !== undefined) {
    if (externalId !== undefined) throw new UsageError(`The listing ${externalId} cannot be combined with --location.`);
    const id = readOption('--location', given.location, anyId);
    const path = `/api/locations/${id}/listings?max=100`;
    const { listings } = await apiClient(given).call<{ listings: Listing[] }>('GET', path);
    const listing = listings.find(({ type }) => type === directory);
    if (!listing) throw new CommandError(`The location ${id} has no listing on ${directory} yet. Sync it first.`);
    return externalListing(listing);
  }
  if (externalId === undefined || rest.length > 0) {
    throw new UsageError('The listing is missing. Set its ID on the directory, or --location or --listing.');
  }
  return { directory, id: externalId };
}

const apiClient = (given: ListingOptions) => new ApiClient(findCredentials(given, process.env));

function externalListing({ id, type, listingId, claimStatus }: Listing): { directory: string; id: string } {
  if (listingId) return { directory: type, id: listingId };
  if (claimStatus === 'CLAIMED_BY_ANOTHER_US') {
    throw new CommandError(`The listing ${id} cannot be used: another location has the same listing on ${type}.`);
  }
  throw new CommandError(`The listing ${id} has no ID on ${type} yet. Sync its location and try again.`);
}
