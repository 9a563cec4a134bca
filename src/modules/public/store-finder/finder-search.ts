import type { Sql } from '../../../database/connection.ts';
import {
  type Around,
  countShown,
  listByName,
  listNearest,
  type MapFilter,
  openAt,
  readShown,
} from '../../locations/index.ts';
import { hoursOf, showLocations } from './show-locations.ts';
import { propertiesFor, type ShownName, type StoreFinderLocation } from './shown-location.ts';
import type { StoreFinder } from './store-finder.ts';

/** What a visitor looks for, in words of the platform. */
export interface Search {
  filter: MapFilter;
  around: Around | undefined;
  /** Only those that are open. */
  openOnly: boolean;
  /** The fields of every result. */
  asked: ReadonlySet<ShownName>;
  language: string | undefined;
  offset: number;
  max: number;
}

interface Found {
  count: number;
  countIsExact: boolean;
  locations: StoreFinderLocation[];
}

type Place = { id: number; distance?: number };

/** Whether one is open takes its hours: so many are looked at, the nearest first. */
const mostExamined = 5000;
const examinedAtOnce = 250;

/** By distance where there is a place to start from, else by name. */
export async function searchLocations(sql: Sql, finder: StoreFinder, search: Search, now: Date): Promise<Found> {
  const { filter, around, openOnly, asked, language, offset, max } = search;
  const { places, ...counted } = openOnly
    ? await findOpen(sql, search, now)
    : await findAny(sql, filter, around, { offset, limit: max });
  const ids = places.map(({ id }) => id);
  const read = await readShown(sql, filter, ids, propertiesFor(asked));
  const results = places.flatMap(({ id }) => read.get(id) ?? []);
  const distances = new Map(places.map(({ id, distance }) => [id, distance]));
  const locations = await showLocations(sql, finder, results, { asked, language, now, distances });
  return { ...counted, locations };
}

async function findAny(
  sql: Sql,
  filter: MapFilter,
  around: Around | undefined,
  page: { offset: number; limit: number },
) {
  const [counted, places] = await Promise.all([countShown(sql, filter, around), candidates(sql, filter, around, page)]);
  return { places, ...counted };
}

const candidates = (
  sql: Sql,
  filter: MapFilter,
  around: Around | undefined,
  page: { offset: number; limit: number },
): Promise<Place[]> => (around ? listNearest(sql, filter, around, page) : listByName(sql, filter, page));

/** Goes through what fits until the page is full and it is clear whether another one follows. */
async function findOpen(sql: Sql, { filter, around, offset, max }: Search, now: Date) {
  const isOpen = openAt(now);
  const places = await candidates(sql, filter, around, { offset: 0, limit: mostExamined });
  const open: Place[] = [];
  let examined = 0;
  while (examined < places.length && open.length <= offset + max) {
    const batch = places.slice(examined, examined + examinedAtOnce);
    const ids = batch.map(({ id }) => id);
    const read = await readShown(sql, filter, ids, propertiesFor(['openNow']));
    open.push(...batch.filter(({ id }) => isOpen(hoursOf(read.get(id))) === true));
    examined += batch.length;
  }
  const isAll = places.length < mostExamined;
  const { count: shown } = isAll ? { count: places.length } : await countShown(sql, filter, around);
  // Those that were not examined may be open.
  return {
    places: open.slice(offset, offset + max),
    count: open.length + shown - examined,
    countIsExact: isAll && examined === places.length,
  };
}
