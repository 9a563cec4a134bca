import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { reachOf } from '../../http/access.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { invalidField } from '../../problems.ts';
import { DatapointAnswer, datapointAnswer, datapointFields } from './datapoint.ts';
import { checkFilter, DatapointFilter } from './datapoint-filter.ts';
import { fieldMask, onlyFields, readFieldMask } from './field-mask.ts';
import { cursorOf, inboxSorts, readCursor } from './inbox-order.ts';
import {
  countInbox,
  type InboxEntry,
  type InboxPage,
  type InboxSearch,
  listInbox,
  searchInbox,
} from './inbox-store.ts';
import { repliesOf } from './reply-store.ts';
import { knownFilter } from './saved-filter-store.ts';

const deepestEntry = 10_000;
/** Few people want to know how many thousands there are, and counting them would take longer than the page itself. */
const mostCounted = 1000;
/** Of words all matches are read, up to here: beyond, going through the inbox in its order finds a page sooner. */
const mostMatches = 10_000;
const largestPage = 1000;

const InboxAnswer = Type.Object({
  page: Type.Integer(),
  pageSize: Type.Integer(),
  count: Type.Integer({ description: 'How many entries there are in all' }),
  countIsExact: Type.Boolean({
    description: `False when there are more: at most ${mostCounted} are counted, ${mostMatches} that have words looked for`,
  }),
  after: Type.Optional(Type.String({ description: 'Leads to the next page; absent on the last one' })),
  dataPoints: Type.Array(
    Type.Object({ ...Type.Partial(DatapointAnswer).properties, id: DatapointAnswer.properties.id }),
  ),
});

export function inboxRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/data-points',
    summary: 'The inbox: reviews, photos, questions and so on, the newest threads first',
    needs: 'INBOX_READ',
    query: Type.Object({
      page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'The first page is 0' }),
      max: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 50,
        description: `How many entries to answer with: at most ${largestPage}`,
      }),
      after: Type.Optional(
        Type.String({
          maxLength: 500,
          description: 'What the page before had in after: the next page at the same price however deep',
        }),
      ),
      sort: Type.Enum([...inboxSorts], {
        default: 'threadActionDate',
        description: 'rating leaves out what has no rating',
      }),
      order: Type.Enum(['ASC', 'DESC'], { default: 'DESC', description: 'DESC has the newest or best first' }),
      fieldMask,
      filterId: Type.Optional(Type.Integer({ ...Id, description: 'A saved filter; what is given beside it wins' })),
      ...DatapointFilter.properties,
    }),
    response: Type.Object({ inbox: InboxAnswer }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query, grants }) => {
      const max = pageSize(query.max, grants.has('UNCAPPED_DATAPOINTS'));
      const { page, after, sort, order, fieldMask: mask, filterId, max: _, ...given } = query;
      if (after === undefined && page * max > deepestEntry) throw tooDeep();
      const fields = readFieldMask(mask, datapointFields);
      const saved = filterId === undefined ? {} : (await knownFilter(database.pool, caller, filterId)).filter;
      const filter = { ...saved, ...given };
      checkFilter(filter);
      const search = { partnerId: caller.partnerId, reach: reachOf(caller), filter, sort, order };
      const where = after === undefined ? { offset: page * max } : { offset: 0, after: readCursor(after, sort, order) };
      const { counted, most, found } = await readInbox(database.pool, search, { ...where, limit: max + 1 });
      const entries = found.slice(0, max);
      const last = found.length > max ? entries.at(-1) : undefined;
      const showsReplies = fields.has('replies') || fields.has('comments');
      const replies = showsReplies
        ? await repliesOf(
            database.pool,
            entries.map(({ id }) => id),
          )
        : new Map();
      return {
        inbox: {
          page,
          pageSize: max,
          count: Math.min(counted, most),
          countIsExact: counted <= most,
          ...(last && { after: cursorOf(sort, order, last.position) }),
          dataPoints: entries.map((entry) => ({
            ...onlyFields(datapointAnswer(entry, replies.get(entry.id) ?? []), fields),
            id: entry.id,
          })),
        },
      };
    },
  });
}

async function readInbox(
  sql: Sql,
  search: InboxSearch,
  page: InboxPage,
): Promise<{ counted: number; most: number; found: InboxEntry[] }> {
  if (search.filter.query === undefined) {
    const [counted, found] = await Promise.all([
      countInbox(sql, search, mostCounted + 1),
      listInbox(sql, search, page),
    ]);
    return { counted, most: mostCounted, found };
  }
  const { counted, entries } = await searchInbox(sql, search, page, mostMatches + 1);
  return { counted, most: mostMatches, found: entries ?? (await listInbox(sql, search, page)) };
}

/** Versions without the cap get what they ask for, up to what is counted as well. */
function pageSize(asked: number, uncapped: boolean): number {
  if (uncapped) return Math.min(asked, deepestEntry);
  if (asked <= largestPage) return asked;
  throw invalidField('max', 'maximum', `max must be ${largestPage} or less, not ${asked}.`);
}

const tooDeep = () =>
  invalidField(
    'page',
    'maximum',
    `page × max must be ${deepestEntry} or less. To go further give after, as the page before has it.`,
  );
