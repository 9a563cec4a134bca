import { useApi } from '../../api/use-api.ts';

/** Includes duplicates and inactive listings. */
export const useLocationListings = (id: number, options: { refetchInterval?: number; enabled?: boolean } = {}) =>
  useApi('GET /api/locations/{id}/listings', { path: { id }, query: { max: 100 } }, { staleTime: 0, ...options });
