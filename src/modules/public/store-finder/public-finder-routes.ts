import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { Id } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound } from '../../../problems.ts';
import { listShown, readShown } from '../../locations/index.ts';
import { filterKeys, readFilters } from './asked-filters.ts';
import { FilterMemory } from './filter-memory.ts';
import { filterAnswer, filtersOf, StoreFinderFilter, shownBy } from './finder-filters.ts';
import { searchLocations } from './finder-search.ts';
import { localBusinesses, localBusinessPage } from './local-business.ts';
import { aroundOf, offsetOf, searchFilter, searchQuery } from './search-query.ts';
import { showLocations } from './show-locations.ts';
import { askedNames, propertiesFor, type ShownName, StoreFinderLocation, shownQuery } from './shown-location.ts';
import { type StoreFinder, StoreFinderSettings, settingsAnswer, settingsOf, storeKeyParams } from './store-finder.ts';
import { findStoreFinder } from './store-finder-store.ts';

/** What seldom changes, and what says whether something is open now. */
const calmSeconds = 300;
const livelySeconds = 60;

/** What pages read. The store key alone is enough; the partner's public key may be sent. */
export function publicFinderRoutes(server: FastifyInstance, { database }: Services): void {
  const memory = new FilterMemory((finder) => filtersOf(database.pool, finder));

  const finderOf = async ({ partnerId }: Caller, storeKey: string): Promise<StoreFinder> => {
    const finder = await findStoreFinder(database.pool, partnerId, storeKey);
    if (!finder) throw notFound(`store finder ${storeKey}`);
    return finder;
  };

  route(server, {
    method: 'GET',
    path: '/api/store-finders/:storeKey/settings',
    summary: 'What a store finder looks like',
    access: 'public',
    cacheSeconds: calmSeconds,
    params: storeKeyParams,
    response: StoreFinderSettings,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params }) => settingsAnswer(await finderOf(caller, params.storeKey)),
  });

  route(server, {
    method: 'GET',
    path: '/api/store-finders/:storeKey/filters',
    summary: 'By what a search can be narrowed; the values are ten minutes old at most',
    access: 'public',
    cacheSeconds: calmSeconds,
    params: storeKeyParams,
    response: Type.Object({ filters: Type.Array(StoreFinderFilter) }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params }) => {
      const filters = await memory.of(await finderOf(caller, params.storeKey));
      return { filters: filters.map(filterAnswer) };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/store-finders/:storeKey/locations/all',
    summary: 'Every location, also without coordinates, page by page: give after, as the page before has it',
    access: 'public',
    cacheSeconds: calmSeconds,
    params: storeKeyParams,
    query: Type.Object({
      max: Type.Integer({ minimum: 1, maximum: 10_000, default: 5000, description: 'How many entries to answer with' }),
      after: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Only entries behind this id',
      }),
      ...shownQuery,
    }),
    response: Type.Object({
      locations: Type.Array(StoreFinderLocation),
      after: Type.Optional(Type.Integer({ description: 'Leads to the next page; absent on the last one' })),
    }),
    problems: ['NOT_FOUND'],
    linkedData: ({ locations }) => localBusinesses(locations),
    handler: async ({ caller, params, query: { max, after, fieldMask, language }, grants }) => {
      const finder = await finderOf(caller, params.storeKey);
      const asked = withOpenNow(askedNames(fieldMask, 'all'), grants.has('OPEN_NOW_ALWAYS'));
      // One more, to see whether there are more.
      const limit = max + 1;
      const found = await listShown(database.pool, shownBy(finder), { after, limit }, propertiesFor(asked));
      const page = found.slice(0, max);
      const last = found.length > max ? page.at(-1) : undefined;
      const locations = await showLocations(database.pool, finder, page, { asked, language, now: new Date() });
      return { locations, ...(last && { after: last.id }) };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/store-finders/:storeKey/locations',
    summary: 'Search locations: around a place, the nearest first, or by name',
    access: 'public',
    cacheSeconds: livelySeconds,
    params: storeKeyParams,
    query: Type.Object({ ...searchQuery.properties, ...shownQuery }),
    response: Type.Object({
      page: Type.Integer(),
      max: Type.Integer(),
      count: Type.Integer({ description: 'How many there are, or have been counted' }),
      countIsExact: Type.Boolean({ description: 'False when there are more than were counted' }),
      locations: Type.Array(StoreFinderLocation),
    }),
    problems: ['NOT_FOUND'],
    linkedData: ({ locations }) => localBusinesses(locations),
    handler: async ({ caller, params, query, grants }) => {
      const finder = await finderOf(caller, params.storeKey);
      const settings = settingsOf(finder);
      const asked = readFilters(query.filters, settings.filters);
      const chosen = asked.size > 0 ? filterKeys(asked, await memory.of(finder)) : {};
      const search = {
        filter: searchFilter(shownBy(finder), query, chosen),
        around: aroundOf(query, settings.defaultRadiusKm),
        openOnly: query.openNow,
        asked: withOpenNow(askedNames(query.fieldMask, 'search'), query.openNow || grants.has('OPEN_NOW_ALWAYS')),
        language: query.language,
        offset: offsetOf(query),
        max: query.max,
      };
      const found = await searchLocations(database.pool, finder, search, new Date());
      return { page: query.page, max: query.max, ...found };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/store-finders/:storeKey/locations/:id',
    summary: 'A location with everything that the finder shows of it',
    access: 'public',
    cacheSeconds: livelySeconds,
    params: Type.Object({ ...storeKeyParams.properties, id: Id }),
    query: Type.Object(shownQuery),
    response: StoreFinderLocation,
    problems: ['NOT_FOUND'],
    linkedData: localBusinessPage,
    handler: async ({ caller, params: { storeKey, id }, query }) => {
      const finder = await finderOf(caller, storeKey);
      const asked = askedNames(query.fieldMask, 'details');
      const found = await readShown(database.pool, shownBy(finder), [id], propertiesFor(asked));
      const wanted = { asked, language: query.language, now: new Date(), onlyKnownHours: true };
      const [location] = await showLocations(database.pool, finder, [...found.values()], wanted);
      if (!location) throw notFound(`location ${id}`);
      return location;
    },
  });
}

const withOpenNow = (names: ReadonlySet<ShownName>, isAsked: boolean): ReadonlySet<ShownName> =>
  isAsked ? new Set([...names, 'openNow']) : names;
