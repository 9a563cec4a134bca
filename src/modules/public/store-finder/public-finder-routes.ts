import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { Id } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound } from '../../../problems.ts';
import {
  findPublicLocations,
  listPublicLocations,
  type OpeningHours,
  type Periods,
  type SpecialOpeningHours,
} from '../../locations/index.ts';
import { listFinderPosts } from '../../publishing/index.ts';
import { cacheFilters, filterResponse, filtersOf, StoreFinderFilter, shownBy } from './finder-filters.ts';
import {
  aroundOf,
  filterKeys,
  readFilters,
  searchFilter,
  searchLocations,
  searchQuery,
  showLocations,
} from './finder-search.ts';
import { propertiesFor, requestedFields, type ShownName, StoreFinderLocation, shownQuery } from './shown-location.ts';
import {
  findStoreFinder,
  requireFinder,
  type StoreFinder,
  StoreFinderSettings,
  settingsOf,
  settingsResponse,
  storeKeyParams,
} from './store-finder.ts';

/** Cache times: long for settings, short for responses that contain openNow. */
const longCacheSeconds = 300;
const shortCacheSeconds = 60;

const publicRead = { method: 'GET', access: 'public', params: storeKeyParams, problems: ['NOT_FOUND'] } as const;

/** Called from web pages. The store key is sufficient; the partner's public key is optional. */
export function publicFinderRoutes(server: FastifyInstance, { database }: Services): void {
  const cachedFilters = cacheFilters((finder) => filtersOf(database.pool, finder));

  const finderOf = async ({ partnerId }: Caller, storeKey: string): Promise<StoreFinder> =>
    requireFinder(await findStoreFinder(database.pool, partnerId, storeKey), storeKey);

  route(server, {
    ...publicRead,
    path: '/api/store-finders/:storeKey/settings',
    summary: 'Get the settings of a store finder',
    cacheSeconds: longCacheSeconds,
    response: StoreFinderSettings,
    handler: async ({ caller, params }) => settingsResponse(await finderOf(caller, params.storeKey)),
  });

  route(server, {
    ...publicRead,
    path: '/api/store-finders/:storeKey/filters',
    summary: 'List the filters of a store finder. Values are at most ten minutes old',
    cacheSeconds: longCacheSeconds,
    response: Type.Object({ filters: Type.Array(StoreFinderFilter) }),
    handler: async ({ caller, params }) => {
      const filters = await cachedFilters(await finderOf(caller, params.storeKey));
      return { filters: filters.map(filterResponse) };
    },
  });

  route(server, {
    ...publicRead,
    path: '/api/store-finders/:storeKey/locations/all',
    summary:
      'List all locations, including those without coordinates. Pass after of the previous page to continue. Large pages can be one minute old',
    cacheSeconds: longCacheSeconds,
    query: Type.Object({
      max: Type.Integer({ minimum: 1, maximum: 10_000, default: 5000, description: 'Page size' }),
      after: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Only locations with a greater id',
      }),
      ...shownQuery,
    }),
    response: Type.Object({
      locations: Type.Array(StoreFinderLocation),
      after: Type.Optional(Type.Integer({ description: 'Cursor of the next page; absent on the last page' })),
    }),
    linkedData: ({ locations }) => localBusinesses(locations),
    handler: async (request) => {
      const { caller, params, grants } = request;
      const { max, after, fieldMask, language } = request.query;
      const finder = await finderOf(caller, params.storeKey);
      const fields = withOpenNow(requestedFields(fieldMask, 'all'), grants.has('OPEN_NOW_ALWAYS'));
      if (fields.has('openNow')) request.cacheSeconds = shortCacheSeconds;
      // One more, to detect a further page.
      const limit = max + 1;
      const found = await listPublicLocations(database.pool, shownBy(finder), { after, limit }, propertiesFor(fields));
      const page = found.slice(0, max);
      const last = found.length > max ? page.at(-1) : undefined;
      const locations = await showLocations(database.pool, finder, page, { fields, language, now: new Date() });
      return { locations, ...(last && { after: last.id }) };
    },
  });

  route(server, {
    ...publicRead,
    path: '/api/store-finders/:storeKey/locations',
    summary: 'Search locations around a position, nearest first, or by name',
    cacheSeconds: shortCacheSeconds,
    query: Type.Object({ ...searchQuery.properties, ...shownQuery }),
    response: Type.Object({
      page: Type.Integer(),
      max: Type.Integer(),
      count: Type.Integer({ description: 'Number of matches, or of those counted' }),
      countIsExact: Type.Boolean({ description: 'false if there may be more matches than counted' }),
      locations: Type.Array(StoreFinderLocation),
    }),
    linkedData: ({ locations }) => localBusinesses(locations),
    handler: async ({ caller, params, query, grants }) => {
      const finder = await finderOf(caller, params.storeKey);
      const settings = settingsOf(finder);
      const requested = readFilters(query.filters, settings.filters);
      const chosen = requested.size > 0 ? filterKeys(requested, await cachedFilters(finder)) : {};
      const search = {
        filter: searchFilter(shownBy(finder), query, chosen),
        around: aroundOf(query, settings.defaultRadiusKm),
        openOnly: query.openNow,
        fields: withOpenNow(requestedFields(query.fieldMask, 'search'), query.openNow || grants.has('OPEN_NOW_ALWAYS')),
        language: query.language,
        offset: query.page * query.max,
        max: query.max,
      };
      const found = await searchLocations(database.pool, finder, search, new Date());
      return { page: query.page, max: query.max, ...found };
    },
  });

  route(server, {
    ...publicRead,
    path: '/api/store-finders/:storeKey/locations/:id',
    summary: 'Get a location with all fields that the finder shows',
    cacheSeconds: shortCacheSeconds,
    params: Type.Object({ ...storeKeyParams.properties, id: Id }),
    query: Type.Object(shownQuery),
    response: StoreFinderLocation,
    linkedData: localBusinessPage,
    handler: async ({ caller, params: { storeKey, id }, query }) => {
      const finder = await finderOf(caller, storeKey);
      const fields = requestedFields(query.fieldMask, 'details');
      const found = await findPublicLocations(database.pool, shownBy(finder), [id], propertiesFor(fields));
      const options = { fields, language: query.language, now: new Date(), onlyKnownHours: true };
      const [location] = await showLocations(database.pool, finder, [...found.values()], options);
      if (!location) throw notFound(`location ${id}`);
      if (!fields.has('posts')) return location;
      return { ...location, posts: await listFinderPosts(database.pool, finder.partnerId, id) };
    },
  });
}

const withOpenNow = (names: ReadonlySet<ShownName>, isAsked: boolean): ReadonlySet<ShownName> =>
  isAsked ? new Set([...names, 'openNow']) : names;

const context = 'https://schema.org';
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Structured data for search engines: https://schema.org/LocalBusiness */
const localBusinessPage = (location: StoreFinderLocation) => ({
  '@context': context,
  ...localBusiness(location),
});

const localBusinesses = (locations: readonly StoreFinderLocation[]) => ({
  '@context': context,
  '@graph': locations.map(localBusiness),
});

function localBusiness(location: StoreFinderLocation) {
  const {
    lat,
    lng,
    streetAndNumber,
    openingHours = [],
    specialOpeningHours = [],
    photos = [],
    services = [],
  } = location;
  return {
    '@type': 'LocalBusiness',
    identifier: location.identifier ?? String(location.id),
    name: location.name,
    description: location.descriptionLong ?? location.descriptionShort,
    address: {
      '@type': 'PostalAddress',
      streetAddress: [streetAndNumber, location.addressExtra].filter(Boolean).join(', ') || undefined,
      postalCode: location.zip,
      addressLocality: location.city,
      addressRegion: location.province,
      addressCountry: location.country,
    },
    // Coordinates of hidden addresses are too imprecise for a pin.
    ...(streetAndNumber !== undefined &&
      lat !== undefined &&
      lng !== undefined && { geo: { '@type': 'GeoCoordinates', latitude: lat, longitude: lng } }),
    telephone: location.phone,
    email: location.email,
    url: location.website,
    ...someOf(
      'image',
      photos.map(({ url }) => url),
    ),
    ...someOf('openingHoursSpecification', openingHours.flatMap(weekly)),
    ...someOf('specialOpeningHoursSpecification', specialOpeningHours.flatMap(special)),
    ...someOf(
      'makesOffer',
      services.map(({ title }) => ({ '@type': 'Offer', itemOffered: { '@type': 'Service', name: title } })),
    ),
  };
}

const someOf = (name: string, entries: readonly unknown[]) => (entries.length > 0 ? { [name]: entries } : {});

const weekly = ({ dayOfWeek, ...hours }: OpeningHours) =>
  periodsOf(hours).map((period) => ({ ...period, dayOfWeek: `${context}/${days[dayOfWeek - 1]}` }));

const special = ({ date, ...hours }: SpecialOpeningHours) =>
  periodsOf(hours).map((period) => ({ ...period, validFrom: date, validThrough: date }));

/** Closed days have opens = closes. */
function periodsOf({ closed, from1, to1, from2, to2 }: Periods) {
  const pairs = closed
    ? [['00:00', '00:00']]
    : [
        [from1, to1],
        [from2, to2],
      ];
  return pairs.flatMap(([opens, closes]) =>
    opens !== undefined && closes !== undefined
      ? [{ '@type': 'OpeningHoursSpecification', opens, closes: closes === '24:00' ? '23:59' : closes }]
      : [],
  );
}
