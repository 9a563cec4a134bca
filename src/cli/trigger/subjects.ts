import { type Directory, directoryList } from '../../modules/directories/index.ts';
import { CommandError } from '../command.ts';
import type { TriggerRun } from './trigger.ts';

export interface Location {
  id: number;
  businessId: number;
  status: string;
  descriptionShort?: string | null;
  street?: string;
  zip?: string;
  city?: string;
  country?: string;
  categories?: unknown;
}

interface Listing {
  id: number;
  locationId: number;
  /** Type of the directory. */
  type: string;
  listingId?: string;
  claimStatus: string;
  syncStatus: string;
  connectStatus: string;
}

/** A listing that is linked to a page on its directory. */
export type LinkedListing = Listing & { listingId: string };

const maxLocations = 20;

/** The location of --location, or the first one with the status. */
export async function chosenLocation(run: TriggerRun, ...statuses: string[]): Promise<Location> {
  if (run.locationId !== undefined) {
    const location = await run.api.call<Location>('GET', `/api/locations/${run.locationId}`);
    if (statuses.includes(location.status)) return location;
    throw new CommandError(
      `Location ${location.id} is ${location.status}. Choose one that is ${statuses.join(' or ')}, or omit --location.`,
    );
  }
  const [location] = await locationsOf(run, statuses, 1);
  if (location) return location;
  throw new CommandError(
    `No location is ${statuses.join(' or ')}. Run "waypost demo" to create demo data, or create a location and sync it.`,
  );
}

/** A linked listing of --location, or of one of the first active locations, on a suitable directory. */
export async function chosenListing(
  run: TriggerRun,
  isSuitable: (directory: Directory) => boolean,
): Promise<LinkedListing> {
  const locations =
    run.locationId === undefined ? await locationsOf(run, ['ACTIVE'], maxLocations) : [{ id: run.locationId }];
  const types = directoryList.filter((directory) => !directory.supports.linkOnly && isSuitable(directory));
  const suitable = types.map(({ type }) => type);
  const listings: Listing[] = [];
  if (locations.length > 0) {
    const query = `locationIds=${locations.map(({ id }) => id)}&directoryType=${suitable}&duplicates=false&max=100`;
    listings.push(...(await run.api.call<{ listings: Listing[] }>('GET', `/api/listings?${query}`)).listings);
  }
  const [best] = listings.filter(isUsable).sort((a, b) => rank(a) - rank(b));
  if (best) return best;
  const pages = `a page on one of ${suitable.join(', ')}`;
  throw new CommandError(
    run.locationId === undefined
      ? `No active location is linked to ${pages}. Wait until the demo data is complete, or sync a location.`
      : `Location ${run.locationId} is not linked to ${pages}. Sync it and try again, or omit --location.`,
  );
}

const isUsable = (listing: Listing): listing is LinkedListing =>
  listing.listingId !== undefined && listing.connectStatus !== 'NOT_CONNECTED';

/** Listings that Waypost manages and that are in sync come first: their restoration is certain. */
const rank = ({ claimStatus, syncStatus }: Listing) =>
  Number(claimStatus !== 'CLAIMED_BY_US') * 2 + Number(syncStatus !== 'IN_SYNC');

async function locationsOf(run: TriggerRun, statuses: readonly string[], max: number): Promise<Location[]> {
  const query = `status=${statuses}&max=${max}`;
  return (await run.api.call<{ locations: Location[] }>('GET', `/api/locations?${query}`)).locations;
}

/** Checks the listings of a location now. */
export const check = (run: TriggerRun, locationId: number) =>
  run.api.call('POST', `/api/locations/${locationId}/sync`, { submit: false });
