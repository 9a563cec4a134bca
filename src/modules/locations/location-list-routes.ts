import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Grant } from '../../api/versions/version-change.ts';
import type { Sql } from '../../database/connection.ts';
import type { Counted } from '../../database/counting.ts';
import { reachOf } from '../../http/access.ts';
import { Id } from '../../http/ids.ts';
import { longList, longListSchema } from '../../http/long-list.ts';
import { isDescending, maxPageSize, orderQuery, pageQuery } from '../../http/pagination.ts';
import { cappedWarning } from '../../http/query-parameters.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { describeLocations } from './describe-locations.ts';
import { classifications, writableFieldNames } from './location.ts';
import { askedFields, everyField, type FieldMask, fieldMaskQuery, LocationAnswer } from './location-answer.ts';
import { locationFilter, readLocationFilter } from './location-filter.ts';
import {
  countLocations,
  type FoundLocation,
  type LocationOrder,
  type LocationPage,
  listLocations,
  searchLocations,
  sortableFields,
  type Wanted,
} from './location-list-store.ts';
import { classificationOf } from './standing.ts';

/** A client that does not say which fields it wants gets all of them, of this many locations. */
const mostWithoutMask = 50;

/** So many locations with a word are all read and put in order; of more, the list is read in its order. */
const mostInOrder = 1000;

const largestUncapped = 10_000;

/** How many there may be depends on the version. */
const anyMax = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 50,
  description: `How many entries to answer with: at most ${maxPageSize}, without a field mask ${mostWithoutMask}`,
});

export function locationListRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/locations',
    summary: `The locations that fit the filters; at most ${mostWithoutMask} of them without a field mask`,
    needs: 'LOCATION_READ',
    query: Type.Object({
      ...pageQuery,
      max: anyMax,
      ...locationFilter,
      ids: Type.Optional(Type.Array(Id, { maxItems: 1000, 'x-also': ['locationIds', 'locationId', 'id'] })),
      ...fieldMaskQuery,
      sort: Type.Enum([...sortableFields], { default: 'id' }),
      order: orderQuery('ASC'),
    }),
    response: longListSchema('locations', LocationAnswer),
    handler: async (request) => {
      const { caller, query, grants } = request;
      const mask = askedFields(query.fieldMask, grants);
      const max = pageSize(request, mask);
      const filter = await readLocationFilter(database.pool, caller, query);
      const wanted = {
        partnerId: caller.partnerId,
        reach: reachOf(caller),
        filter: { ...filter, ...(query.ids && { ids: query.ids }) },
      };
      const order = { sort: query.sort, descending: isDescending(query.order) };
      const { offset, after } = query;
      const page = { offset, limit: max + 1, ...(after !== undefined && { after }) };
      const { counted, found } = await readList(database.pool, wanted, order, page, mask.properties);
      const answers = await describeLocations(database.pool, request, found.slice(0, max), mask);
      const followed = found.length > max ? [...answers, ...answers.slice(-1)] : answers;
      return longList('locations', { offset, max }, counted, followed, (answer) => answer);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/locations/fields',
    summary: 'The fields of a location, and the level of the profile that each counts for',
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
  wanted: Wanted,
  order: LocationOrder,
  page: LocationPage,
  properties: ReadonlySet<string>,
): Promise<{ counted: Counted; found: FoundLocation[] }> {
  if (wanted.filter.query !== undefined) {
    const { counted, found } = await searchLocations(sql, wanted, order, page, properties, mostInOrder + 1);
    const isAll = counted <= mostInOrder;
    return { counted: isAll ? { count: counted, countIsExact: true } : await countLocations(sql, wanted), found };
  }
  const found = await listLocations(sql, wanted, order, page, properties);
  const { offset, limit, after } = page;
  // All of them are on this page: there is nothing to count.
  const isAll = after === undefined && found.length < limit && (found.length > 0 || offset === 0);
  const counted = isAll ? { count: offset + found.length, countIsExact: true } : await countLocations(sql, wanted);
  return { counted, found };
}

/** Versions without the cap get what they ask for, up to what one response can hold. */
function pageSize(
  { query: { max }, grants, warnings }: { query: { max: number }; grants: ReadonlySet<Grant>; warnings: string[] },
  mask: FieldMask,
): number {
  const isMasked = mask !== everyField;
  const isUncapped = grants.has('UNCAPPED_LOCATIONS');
  const limit = isUncapped ? largestUncapped : isMasked ? maxPageSize : mostWithoutMask;
  if (max <= limit) return max;
  const unless = isMasked || isUncapped ? '' : `; with a fieldMask it is ${maxPageSize}`;
  warnings.push(cappedWarning('max', max, limit, unless));
  return limit;
}

const fields = writableFieldNames.map((name) => ({ name, classification: classificationOf(name) }));
