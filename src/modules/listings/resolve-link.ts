import type { PageFinder } from '../../http/services.ts';
import { invalidField, Problem } from '../../problems.ts';
import { findDirectory } from '../directories/index.ts';
import type { ManualChange } from './change-listing.ts';
import type { Listing } from './listing.ts';
import type { PageLink } from './listing-events.ts';

const nowhere: PageLink = { externalId: null, url: null };

/**
 * The page that a client wants a listing to be linked to, as its directory has it; nothing when the link stays. Asks
 * the directory, so no transaction may be open.
 */
export async function resolveLink(
  pages: PageFinder,
  listing: Pick<Listing, 'directoryType' | 'externalId' | 'url'>,
  { listingId, listingUrl }: Pick<ManualChange, 'listingId' | 'listingUrl'>,
): Promise<PageLink | undefined> {
  if (listingId === undefined && listingUrl === undefined) return undefined;
  if (!listingId && !listingUrl) return nowhere;
  if (listingId === null || listingUrl === null) {
    const message = 'listingId and listingUrl name one page. Give both or one of them, or null for both.';
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
    const message = found.message ?? `${field} ${value} is no page of ${name}. Give the id or the URL of a page there.`;
    throw invalidField(field, 'exists', message);
  };
  const byUrl = listingUrl === undefined ? undefined : await find('listingUrl', { url: listingUrl });
  const byId = listingId === undefined ? undefined : await find('listingId', { id: listingId });
  if (byUrl && byId && byUrl.externalId !== byId.externalId) {
    const message = `listingUrl is page ${byUrl.externalId} of ${name}, not ${byId.externalId}. Give one page.`;
    throw invalidField('listingUrl', 'consistent', message);
  }
  return byUrl ?? byId;
}
