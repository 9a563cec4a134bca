import { wholeNumber } from '../../config/parse.ts';
import { ApiClient } from '../api-client.ts';
import { CommandError, readOption, UsageError } from '../command.ts';
import { credentialOptions, findCredentials } from '../credentials.ts';
import { chosenDirectory } from './desk.ts';

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
