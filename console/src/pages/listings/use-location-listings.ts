import { useApi } from '../../api/use-api.ts';
import { isCounted, type Listing } from './listing-values.ts';

/** Includes duplicates and inactive listings. */
export const useLocationListings = (id: number, options: { refetchInterval?: number; enabled?: boolean } = {}) =>
  useApi('GET /api/locations/{id}/listings', { path: { id }, query: { max: 100 } }, { staleTime: 0, ...options });

/** The number of listings in the figures of a location. */
export const countedListings = (listings: readonly Listing[] = []): number => listings.filter(isCounted).length;
