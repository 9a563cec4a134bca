import { useApi } from '../../api/use-api.ts';

/** Every listing of a location, duplicates and inactive ones as well: what the tab counts and its table shows. */
export const useLocationListings = (id: number, options: { refetchInterval?: number; enabled?: boolean } = {}) =>
  useApi('GET /api/locations/{id}/listings', { path: { id }, query: { max: 100 } }, { staleTime: 0, ...options });
