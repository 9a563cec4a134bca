import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { reachOf } from '../../http/access.ts';
import { Id } from '../../http/ids.ts';
import { checkOffset, countLimit, longList, longListSchema } from '../../http/long-list.ts';
import { pageQuery } from '../../http/pagination.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { describeLocations } from './describe-locations.ts';
import { classifications, writableFieldNames } from './location.ts';
import { everyField, fieldMaskOf, LocationAnswer } from './location-answer.ts';
import { locationFilter, readLocationFilter } from './location-filter.ts';
import { countLocations, listLocations, sortableFields } from './location-list-store.ts';
import { classificationOf } from './standing.ts';

/** A client that does not say which fields it wants gets all of them, of this many locations. */
const mostWithoutMask = 50;

export function locationListRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/locations',
    summary: `The locations that fit the filters; at most ${mostWithoutMask} of them without a field mask`,
    needs: 'LOCATION_READ',
    query: Type.Object({
      ...pageQuery,
      ...locationFilter,
      ids: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
      fieldMask: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          maxItems: 200,
          description: 'Names of the fields to answer with',
        }),
      ),
      sort: Type.Enum([...sortableFields], { default: 'id' }),
      order: Type.Enum(['ASC', 'DESC', 'asc', 'desc'], { default: 'ASC' }),
    }),
    response: longListSchema('locations', LocationAnswer),
    handler: async ({ caller, query }) => {
      checkOffset(query);
      const mask = query.fieldMask?.length ? fieldMaskOf(query.fieldMask) : everyField;
      const max = mask === everyField ? Math.min(query.max, mostWithoutMask) : query.max;
      const filter = await readLocationFilter(database.pool, caller.partnerId, query);
      const wanted = {
        partnerId: caller.partnerId,
        reach: reachOf(caller),
        filter: { ...filter, ...(query.ids && { ids: query.ids }) },
      };
      const order = { sort: query.sort, descending: query.order.toUpperCase() === 'DESC' };
      const { offset, after } = query;
      const page = { offset, limit: max + 1, ...(after !== undefined && { after }) };
      const found = await listLocations(database.pool, wanted, order, page, mask.properties);
      // All of them are on this page: there is nothing to count.
      const isAll = after === undefined && found.length <= max && (found.length > 0 || offset === 0);
      const counted = isAll ? offset + found.length : await countLocations(database.pool, wanted, countLimit);
      const answers = await describeLocations(database.pool, caller, found.slice(0, max), mask);
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

const fields = writableFieldNames.map((name) => ({ name, classification: classificationOf(name) }));
