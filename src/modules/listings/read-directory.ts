import {
  type Directory,
  type DirectoryConnector,
  type DirectoryListing,
  type DirectoryResult,
  isFault,
  type ListingProfile,
  type SubmissionReview,
} from '../directories/index.ts';
import type { DirectoryReading } from './judge-check.ts';
import type { Listing } from './listing.ts';
import { removalSteps } from './status-transitions.ts';

interface DirectoryQuery {
  directory: Directory;
  connector: DirectoryConnector;
  listing: Listing;
  /** Known duplicates that have not been removed. */
  duplicates: readonly Listing[];
  location: { status: string };
  profile: ListingProfile;
  covered: boolean;
}

/** Reads the linked listing and other candidates for the location from the directory. */
export async function readDirectory(query: DirectoryQuery): Promise<DirectoryReading> {
  const { directory, connector, listing, profile } = query;
  if (!mayRead(query)) return { kind: 'skipped' };
  const review = await reviewOf(query);
  if (isFault(review)) return { kind: 'fault', fault: review };
  if (!directory.supports.onlineListing) return { kind: 'skipped', ...(review && { review }) };
  const candidates = new Map<string, DirectoryListing>();
  const isRemoved = removalSteps(query.location.status) !== undefined;
  if (!isRemoved) {
    const found = await connector.search(profile);
    if (isFault(found)) return { kind: 'fault', fault: found };
    for (const one of found) if (!candidates.has(one.externalId)) candidates.set(one.externalId, one);
  }
  for (const { externalId } of [listing, ...query.duplicates]) {
    if (externalId === null || candidates.has(externalId)) continue;
    const found = await connector.read(externalId);
    if (isFault(found)) return { kind: 'fault', fault: found };
    if (found) candidates.set(externalId, found);
  }
  const linked = listing.externalId === null ? undefined : candidates.get(listing.externalId);
  return { kind: 'read', linked, candidates: [...candidates.values()], ...(review && { review }) };
}

/** Undefined when no review is pending, or when the directory does not report reviews. */
async function reviewOf({ connector, listing }: DirectoryQuery): DirectoryResult<SubmissionReview | undefined> {
  if (!listing.underReview || listing.externalId === null) return undefined;
  const review = await connector.readReview(listing.externalId);
  return isFault(review) && review.fault === 'refused' ? undefined : review;
}

function mayRead({ directory, listing, location, covered }: DirectoryQuery): boolean {
  if (directory.needsConnection && listing.connectStatus !== 'CONNECTED') return false;
  return covered || removalSteps(location.status) !== undefined;
}
