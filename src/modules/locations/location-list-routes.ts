import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Grant } from '../../api/versions/version-change.ts';
import type { Sql } from '../../database/connection.ts';
import type { Counted } from '../../database/counting.ts';
import { reachOf } from '../../http/access.ts';
import { Id } from '../../http/ids.ts';
import { isDescending, longList, longListSchema, maxPageSize, orderQuery, pageQuery } from '../../http/pagination.ts';
import type { PageLimit } from '../../http/query-parameters.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { itemLimitWarning } from '../catalog/index.ts';
import { classificationOf } from './derived-fields.ts';
import { classifications } from './location.ts';
import { writableFieldNames } from './location-fields.ts';
import { locationFilter, readLocationFilter } from './location-filter.ts';
import {
  countLocations,
  type FoundLocation,
  type LocationOrder,
  type LocationPage,
  type LocationQuery,
  listLocations,
  searchLocations,
  sortableFields,
} from './location-list-store.ts';
import {
  describeLocations,
  everyField,
  type FieldMask,
  fieldMaskQuery,
  LocationResponse,
  requestedFields,
} from './location-response.ts';

/** Maximum page size without fieldMask, because each location is returned with all fields. */
const maxWithoutMask = 50;

/** Up to this number, search results are sorted in memory. Above it, the sort index is scanned. */
const maxSortedInMemory = 1000;

const maxUncapped = 10_000;

/** No fixed maximum: `pageLimit` caps the value by API version and fieldMask. */
const maxQuery = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 50,
  description: `Page size: at most ${maxPageSize}, or ${maxWithoutMask} without fieldMask`,
});

export function locationListRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/locations',
    summary: `List locations; at most ${maxWithoutMask} per page without fieldMask`,
    needs: 'LOCATION_READ',
    query: Type.Object({
      ...pageQuery,
      max: maxQuery,
      ...locationFilter,
      ids: Type.Optional(Type.Array(Id, { maxItems: 1000, 'x-also': ['locationIds', 'locationId', 'id'] })),
      ...fieldMaskQuery,
      sort: Type.Enum([...sortableFields], { default: 'id' }),
      order: orderQuery('ASC'),
    }),
    response: longListSchema('locations', LocationResponse),
    pageLimit: ({ query, grants }) => pageLimit(Boolean(query.fieldMask?.length), grants),
    handler: async (request) => {
      const { caller, query, grants } = request;
      const mask = requestedFields(query.fieldMask, grants);
      const filter = await readLocationFilter(database.pool, caller, query);
      const locationQuery = {
        partnerId: caller.partnerId,
        reach: reachOf(caller),
        filter: { ...filter, ...(query.ids && { ids: query.ids }) },
      };
      const order = { sort: query.sort, descending: isDescending(query.order) };
      const { offset, max: limit, after } = query;
      const wanted = { offset, limit: limit + 1, ...(after !== undefined && { after }) };
      const { counted, found } = await readList(database.pool, locationQuery, order, wanted, mask);
      const page = found.slice(0, limit);
      const responses = await describeLocations(database.autocommit, request, page, mask);
      const isShortened = responses.length < page.length;
      const max = isShortened ? responses.length : limit;
      if (isShortened) request.warnings.push(itemLimitWarning(limit, max));
      // longList detects a next page by one extra entry. The last response is repeated, so that no other is built.
      const withExtra = found.length > max ? [...responses, ...responses.slice(-1)] : responses;
      return longList('locations', { offset, max }, counted, withExtra, (response) => response);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/locations/fields',
    summary: 'List the fields of a location with their completeness level',
    needs: 'LOCATION_READ',
    response: Type.Object({
      fields: Type.Array(
        Type.Object({
          name: Type.String(),
          classification: Type.Enum([...classifications]),
        }),
      ),
    }),
    handler: async () => ({ fields }),
  });
}

async function readList(
  sql: Sql,
  locationQuery: LocationQuery,
  order: LocationOrder,
  page: LocationPage,
  mask: FieldMask,
): Promise<{ counted: Counted; found: FoundLocation[] }> {
  const properties = mask === everyField ? undefined : mask.properties;
  if (locationQuery.filter.query !== undefined) {
    const { counted, found } = await searchLocations(
      sql,
      locationQuery,
      order,
      page,
      properties,
      maxSortedInMemory + 1,
    );
    const isExact = counted <= maxSortedInMemory;
    return {
      counted: isExact ? { count: counted, countIsExact: true } : await countLocations(sql, locationQuery),
      found,
    };
  }
  const found = await listLocations(sql, locationQuery, order, page, properties);
  const { offset, limit, after } = page;
  // On the last page the count is known without a query.
  const isLastPage = after === undefined && found.length < limit && (found.length > 0 || offset === 0);
  const counted = isLastPage
    ? { count: offset + found.length, countIsExact: true }
    : await countLocations(sql, locationQuery);
  return { counted, found };
}

/** API versions from before the cap allow up to maxUncapped locations. */
function pageLimit(isMasked: boolean, grants: ReadonlySet<Grant>): PageLimit {
  if (grants.has('UNCAPPED_LOCATIONS')) return { limit: maxUncapped };
  return isMasked ? { limit: maxPageSize } : { limit: maxWithoutMask, hint: `; with a fieldMask it is ${maxPageSize}` };
}

const fields = writableFieldNames.map((name) => ({ name, classification: classificationOf(name) }));
