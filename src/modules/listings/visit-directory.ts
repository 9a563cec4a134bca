import {
  type Directory,
  type DirectoryConnector,
  type DirectoryListing,
  type DirectoryResult,
  isFault,
  type ListingProfile,
  type SubmissionReview,
} from '../directories/index.ts';
import type { Visit } from './judge-check.ts';
import type { Listing } from './listing.ts';
import { endingOf } from './status-moves.ts';

interface Visitor {
  directory: Directory;
  connector: DirectoryConnector;
  listing: Listing;
  /** Known duplicates of its page that have not gone yet. */
  duplicates: readonly Listing[];
  location: { status: string };
  profile: ListingProfile;
  covered: boolean;
}

/** Looks at what a directory shows of a location: the page that is linked, and the others that may be about it. */
export async function visitDirectory(visitor: Visitor): Promise<Visit> {
  const { directory, connector, listing, profile } = visitor;
  if (!mayAsk(visitor)) return { kind: 'not-looked' };
  const review = await reviewOf(visitor);
  if (isFault(review)) return { kind: 'fault', fault: review };
  if (!directory.supports.onlineListing) return { kind: 'not-looked', ...(review && { review }) };
  const pages = new Map<string, DirectoryListing>();
  const given = endingOf(visitor.location.status) !== undefined;
  if (!given) {
    const found = await connector.search(profile);
    if (isFault(found)) return { kind: 'fault', fault: found };
    for (const page of found) if (!pages.has(page.externalId)) pages.set(page.externalId, page);
  }
  for (const { externalId } of [listing, ...visitor.duplicates]) {
    if (externalId === null || pages.has(externalId)) continue;
    const page = await connector.read(externalId);
    if (isFault(page)) return { kind: 'fault', fault: page };
    if (page) pages.set(externalId, page);
  }
  const linked = listing.externalId === null ? undefined : pages.get(listing.externalId);
  return { kind: 'looked', linked, candidates: [...pages.values()], ...(review && { review }) };
}

/** What came of the directory's review; nothing when none is awaited, or when the directory does not tell. */
async function reviewOf({ connector, listing }: Visitor): DirectoryResult<SubmissionReview | undefined> {
  if (!listing.underReview || listing.externalId === null) return undefined;
  const review = await connector.readReview(listing.externalId);
  return isFault(review) && review.fault === 'refused' ? undefined : review;
}

function mayAsk({ directory, listing, location, covered }: Visitor): boolean {
  if (directory.needsConnection && listing.connectStatus !== 'CONNECTED') return false;
  return covered || endingOf(location.status) !== undefined;
}
