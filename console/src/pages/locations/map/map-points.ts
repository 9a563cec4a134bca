import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ApiProblem } from '../../../api/api-problem.ts';
import { callWith } from '../../../api/call.ts';
import { type LocationSearch, locationFilters } from '../location-filters.ts';
import type { LocationStatus } from '../location-values.ts';

export interface MapPoint {
  id: number;
  name: string;
  city: string;
  status: LocationStatus | undefined;
  lat: number;
  lng: number;
}

interface MapPoints {
  points: MapPoint[];
  /** Locations without coordinates. */
  unplaced: number;
  /** More locations match than are drawn. */
  isCut: boolean;
}

const pageSize = 500;
const mostPages = 20;

/** Loads all matching locations, page by page. */
export function useMapPoints(search: LocationSearch) {
  const filters = locationFilters.query(search);
  return useQuery<MapPoints, ApiProblem>({
    queryKey: ['GET /api/locations', filters, 'map'],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const points: MapPoint[] = [];
      let unplaced = 0;
      let after: number | undefined;
      for (let page = 0; page < mostPages; page += 1) {
        const query = {
          ...filters,
          max: pageSize,
          fieldMask: ['name', 'city', 'status', 'lat', 'lng'],
          ...(after !== undefined && { after }),
        };
        const found = await callWith('GET /api/locations', { query }, { signal });
        for (const { id, name = '', city = '', status, lat, lng } of found.locations) {
          if (lat === undefined || lng === undefined) unplaced += 1;
          else points.push({ id, name, city, status, lat, lng });
        }
        after = found.after;
        if (after === undefined) break;
      }
      return { points, unplaced, isCut: after !== undefined };
    },
  });
}
