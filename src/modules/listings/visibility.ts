import type { Listing } from './listing.ts';

export type CountedListing = Pick<Listing, 'directoryType' | 'syncStatus' | 'matchingFields' | 'comparableFields'>;

export interface ListingFigures {
  listingsCount: number;
  listingsInSync: number;
  /** 0 to 100; null before the first comparison. */
  visibilityIndex: number | null;
}

/** Listings are weighted by their directory. */
export function listingFigures(
  listings: readonly CountedListing[],
  weightOf: (directoryType: string) => number,
): ListingFigures {
  let matching = 0;
  let comparable = 0;
  for (const listing of listings) {
    const weight = weightOf(listing.directoryType);
    matching += listing.matchingFields * weight;
    comparable += listing.comparableFields * weight;
  }
  return {
    listingsCount: listings.length,
    listingsInSync: listings.filter(({ syncStatus }) => syncStatus === 'IN_SYNC').length,
    visibilityIndex: comparable === 0 ? null : Math.round((100 * matching) / comparable),
  };
}
