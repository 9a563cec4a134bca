import type { Sql } from '../../../database/connection.ts';
import {
  countPublicLocations,
  findPublicLocations,
  listByName,
  listNearest,
  type MapFilter,
  openAt,
  type SearchArea,
} from '../../locations/index.ts';
import { hoursOf, showLocations } from './show-locations.ts';
import { propertiesFor, type ShownName, type StoreFinderLocation } from './shown-location.ts';
import type { StoreFinder } from './store-finder.ts';

export interface Search {
  filter: MapFilter;
  around: SearchArea | undefined;
  /** Only locations that are open now. */
  openOnly: boolean;
  /** Fields of the results. */
  fields: ReadonlySet<ShownName>;
  language: string | undefined;
  offset: number;
  max: number;
}

interface SearchResult {
  count: number;
  countIsExact: boolean;
  locations: StoreFinderLocation[];
}

type Candidate = { id: number; distance?: number };

/** openNow is computed from opening hours, for the nearest locations up to this number. */
const maxExamined = 5000;
const examineBatch = 250;

/** Sorted by distance if a position is given, otherwise by name. */
export async function searchLocations(sql: Sql, finder: StoreFinder, search: Search, now: Date): Promise<SearchResult> {
  const { filter, around, openOnly, fields, language, offset, max } = search;
  const { found, ...counted } = openOnly
    ? await findOpen(sql, search, now)
    : await findAny(sql, filter, around, { offset, limit: max });
  const ids = found.map(({ id }) => id);
  const read = await findPublicLocations(sql, filter, ids, propertiesFor(fields));
  const results = found.flatMap(({ id }) => read.get(id) ?? []);
  const distances = new Map(found.map(({ id, distance }) => [id, distance]));
  const locations = await showLocations(sql, finder, results, { fields, language, now, distances });
  return { ...counted, locations };
}

async function findAny(
  sql: Sql,
  filter: MapFilter,
  around: SearchArea | undefined,
  page: { offset: number; limit: number },
) {
  const [counted, found] = await Promise.all([
    countPublicLocations(sql, filter, around),
    candidates(sql, filter, around, page),
  ]);
  return { found, ...counted };
}

const candidates = (
  sql: Sql,
  filter: MapFilter,
  around: SearchArea | undefined,
  page: { offset: number; limit: number },
): Promise<Candidate[]> => (around ? listNearest(sql, filter, around, page) : listByName(sql, filter, page));

/** Examines candidates until the page is full and it is known whether another page follows. */
async function findOpen(sql: Sql, { filter, around, offset, max }: Search, now: Date) {
  const isOpen = openAt(now);
  const found = await candidates(sql, filter, around, { offset: 0, limit: maxExamined });
  const open: Candidate[] = [];
  let examined = 0;
  while (examined < found.length && open.length <= offset + max) {
    const batch = found.slice(examined, examined + examineBatch);
    const ids = batch.map(({ id }) => id);
    const read = await findPublicLocations(sql, filter, ids, propertiesFor(['openNow']));
    open.push(...batch.filter(({ id }) => isOpen(hoursOf(read.get(id))) === true));
    examined += batch.length;
  }
  const isAll = found.length < maxExamined;
  const { count: shown } = isAll ? { count: found.length } : await countPublicLocations(sql, filter, around);
  // Locations that were not examined may be open.
  return {
    found: open.slice(offset, offset + max),
    count: open.length + shown - examined,
    countIsExact: isAll && examined === found.length,
  };
}
