import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { managesAccount, reachOf } from '../../../http/access.ts';
import { Id } from '../../../http/ids.ts';
import { countIsExact, directionOf, orderQuery } from '../../../http/pagination.ts';
import { cappedWarning } from '../../../http/query-parameters.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { datapointFields, datapointResponse, fieldMask, MaskedDatapoint, readFieldMask } from './datapoint.ts';
import { checkFilter, filterQuery, readFilterQuery, withoutEmptyLists } from './datapoint-filter.ts';
import { cursorOf, inboxSorts, positionOf, readCursor, withIsoTimes } from './inbox-entry.ts';
import { repliesOf } from './reply-store.ts';
import { requireFilter } from './saved-filter-store.ts';
import { readInbox } from './search-inbox.ts';

const maxPageSize = 1000;
const maxUncappedPageSize = 10_000;

const InboxResponse = Type.Object({
  page: Type.Integer(),
  pageSize: Type.Integer(),
  count: Type.Integer({ description: 'Total number of datapoints that match' }),
  countIsExact,
  after: Type.Optional(Type.String({ description: 'Cursor of the next page; absent on the last page' })),
  dataPoints: Type.Array(MaskedDatapoint),
});

export function inboxRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/data-points',
    summary: 'List the datapoints of the inbox, newest threads first',
    needs: 'INBOX_READ',
    query: Type.Object({
      page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Page number, starting at 0' }),
      max: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 50,
        description: `Page size, at most ${maxPageSize}`,
      }),
      after: Type.Optional(
        Type.String({
          maxLength: 500,
          description: 'Cursor from after of the previous page. Deep pages are as fast as the first',
        }),
      ),
      sort: Type.Enum([...inboxSorts], {
        default: 'threadActionDate',
        description: 'rating excludes datapoints without a rating',
      }),
      order: orderQuery('DESC', 'DESC lists the newest or best first'),
      fieldMask,
      filterId: Type.Optional(
        Type.Integer({ ...Id, description: 'A saved filter. Other parameters override its fields' }),
      ),
      ...filterQuery,
    }),
    response: Type.Object({ inbox: InboxResponse }),
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { caller, query } = request;
      const max = pageSize(request);
      const { page, after, sort, order: asked, fieldMask: mask, filterId, max: _, ...given } = query;
      const order = directionOf(asked);
      const fields = mask?.length ? readFieldMask(mask, datapointFields) : undefined;
      const saved = filterId === undefined ? {} : (await requireFilter(database.pool, caller, filterId)).filter;
      const filter = { ...withoutEmptyLists(saved), ...readFilterQuery(given) };
      checkFilter(filter);
      const search = {
        partnerId: caller.partnerId,
        reach: reachOf(caller),
        filter,
        publicLabelsOnly: !managesAccount(caller),
        sort,
        order,
      };
      const where =
        after === undefined
          ? { offset: request.listOffset ?? page * max }
          : { offset: 0, after: readCursor(after, sort, order) };
      const {
        entries: found,
        count,
        countIsExact: isExact,
      } = await readInbox(database.pool, search, { ...where, limit: max + 1 });
      const entries = found.slice(0, max);
      const last = found.length > max ? entries.at(-1) : undefined;
      const showsReplies = !fields || fields.has('replies') || fields.has('comments');
      const ids = entries.map(({ id }) => id);
      const replies = showsReplies ? await repliesOf(database.pool, ids) : new Map();
      return {
        inbox: {
          page,
          pageSize: max,
          count,
          countIsExact: isExact,
          ...(last && { after: cursorOf(sort, order, positionOf(sort, last)) }),
          dataPoints: entries.map((entry) =>
            datapointResponse(withIsoTimes(entry), replies.get(entry.id) ?? [], fields),
          ),
        },
      };
    },
  });
}

/** Versions without the page size cap are limited to what one response can hold. */
function pageSize({
  query: { max },
  grants,
  warnings,
}: Pick<FastifyRequest, 'grants' | 'warnings'> & { query: { max: number } }): number {
  const limit = grants.has('UNCAPPED_DATAPOINTS') ? maxUncappedPageSize : maxPageSize;
  if (max <= limit) return max;
  warnings.push(cappedWarning('max', max, limit));
  return limit;
}
