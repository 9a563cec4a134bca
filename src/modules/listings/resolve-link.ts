import type { PageFinder } from '../../http/services.ts';
import { invalidField, Problem } from '../../problems.ts';
import { findDirectory } from '../directories/index.ts';
import type { ManualChange } from './change-listing.ts';
import type { Listing } from './listing.ts';
import type { ListingLink } from './listing-events.ts';

const unlinked: ListingLink = { externalId: null, url: null };

/** Looks up the requested link at the directory; undefined when unchanged. Must run without an open transaction. */
export async function resolveLink(
  pages: PageFinder,
  listing: Pick<Listing, 'directoryType' | 'externalId' | 'url'>,
  { listingId, listingUrl }: Pick<ManualChange, 'listingId' | 'listingUrl'>,
): Promise<ListingLink | undefined> {
  if (listingId === undefined && listingUrl === undefined) return undefined;
  if (!listingId && !listingUrl) return unlinked;
  if (listingId === null || listingUrl === null) {
    const message = 'listingId and listingUrl must identify the same listing. Set one or both, or set both to null.';
    throw invalidField(listingId === null ? 'listingId' : 'listingUrl', 'consistent', message);
  }
  const isSame =
    (listingId ?? listing.externalId) === listing.externalId && (listingUrl ?? listing.url) === listing.url;
  if (isSame) return undefined;
  const name = findDirectory(listing.directoryType)?.name ?? listing.directoryType;
  const find = async (field: 'listingId' | 'listingUrl', reference: { id: string } | { url: string }) => {
    const found = await pages.find(listing.directoryType, reference);
    if (found.kind === 'unavailable') throw new Problem('DIRECTORY_UNAVAILABLE', found);
    if (found.kind === 'page') return { externalId: found.id, url: found.url };
    const value = Object.values(reference)[0];
    const message =
      found.message ?? `${field} ${value} does not exist on ${name}. Set the id or URL of an existing listing.`;
    throw invalidField(field, 'exists', message);
  };
  const byUrl = listingUrl === undefined ? undefined : await find('listingUrl', { url: listingUrl });
  const byId = listingId === undefined ? undefined : await find('listingId', { id: listingId });
  if (byUrl && byId && byUrl.externalId !== byId.externalId) {
    const message = `listingUrl is listing ${byUrl.externalId} on ${name}, but listingId is ${byId.externalId}. Set the same listing.`;
    throw invalidField('listingUrl', 'consistent', message);
  }
  return byUrl ?? byId;
}
