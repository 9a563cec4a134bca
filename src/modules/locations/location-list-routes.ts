import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Grant } from '../../api/versions/version-change.ts';
import type { Sql } from '../../database/connection.ts';
import type { Counted } from '../../database/counting.ts';
import { reachOf } from '../../http/access.ts';
import { Id } from '../../http/ids.ts';
import {
  type CursorPage,
  cursorList,
  isDescending,
  longListSchema,
  maxPageSize,
  orderQuery,
  type PageQuery,
  pageQuery,
} from '../../http/pagination.ts';
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
  type LocationQuery,
  listPage,
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
      const { counted, found } = await readList(database.pool, locationQuery, order, query, mask);
      const responses = await describeLocations(database.autocommit, request, found.entries, mask);
      const isShortened = responses.length < found.entries.length;
      const max = isShortened ? responses.length : query.max;
      if (isShortened) request.warnings.push(itemLimitWarning(query.max, max));
      const page = { entries: responses, after: isShortened ? responses.at(-1)?.id : found.after };
      return cursorList('locations', { ...query, max }, counted, page, (response) => response);
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
  page: PageQuery,
  mask: FieldMask,
): Promise<{ counted: Counted; found: CursorPage<FoundLocation> }> {
  const properties = mask === everyField ? undefined : mask.properties;
  if (locationQuery.filter.query !== undefined) return searchLocations(sql, locationQuery, order, page, properties);
  const found = await listPage(sql, locationQuery, order, page, properties);
  const { offset, after } = page;
  const { length } = found.entries;
  // On the last page the count is known without a query.
  const isLastPage = after === undefined && found.after === undefined && (length > 0 || offset === 0);
  const counted = isLastPage
    ? { count: offset + length, countIsExact: true }
    : await countLocations(sql, locationQuery);
  return { counted, found };
}

/** API versions from before the cap allow up to maxUncapped locations. */
function pageLimit(isMasked: boolean, grants: ReadonlySet<Grant>): PageLimit {
  if (grants.has('UNCAPPED_LOCATIONS')) return { limit: maxUncapped };
  return isMasked ? { limit: maxPageSize } : { limit: maxWithoutMask, hint: `; with a fieldMask it is ${maxPageSize}` };
}

const fields = writableFieldNames.map((name) => ({ name, classification: classificationOf(name) }));
