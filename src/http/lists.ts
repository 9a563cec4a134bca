import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import Type, { type TSchema } from 'typebox';
import { propertiesOf } from '../json-schema.ts';
import { invalidField } from '../problems.ts';
import type { Caller } from './authenticate.ts';
import { Id } from './ids.ts';
import type { Services } from './services.ts';

/** Parameters of every list. `x-parameter` is the name of the shared OpenAPI parameter. */
export const partnerQuery = {
  salesPartnerId: Type.Optional(
    Type.Integer({
      ...Id,
      'x-parameter': 'SalesPartnerId',
      description: 'Returns the list of this child partner. Requires the key of its parent partner.',
    }),
  ),
  includeChildren: Type.Optional(
    Type.Boolean({
      'x-parameter': 'IncludeChildren',
      description:
        'Includes the records of child partners, after the records of the partner itself. Requires the key of a parent partner.',
    }),
  ),
};

interface Page {
  offset?: number;
  page?: number;
  max?: number;
  after?: unknown;
  sort?: string;
  order?: string;
}

interface List {
  count: number;
  countIsExact?: boolean;
  after?: unknown;
  [name: string]: unknown;
}

/** Adds the partner parameters to the query of a list; its own parameters take precedence. */
export const withPartners = (query: TSchema): TSchema =>
  Type.Object({ ...partnerQuery, ...propertiesOf(query) } as Type.TProperties);

/** The partner parameters that a route handles itself. */
export const ownQueryOf = (query: TSchema | undefined): readonly string[] =>
  Object.keys(partnerQuery).filter((name) => name in propertiesOf(query));

/** Whether a route returns a page of records and their count. */
export function isListOf(response: TSchema, query: TSchema | undefined): boolean {
  const fields = propertiesOf(response);
  const listed = fields.inbox ? propertiesOf(fields.inbox) : fields;
  return 'count' in listed && 'max' in propertiesOf(query);
}

/** After the page is full, only the counts of further partners are needed. Connections remain for other requests. */
const concurrency = 4;

/** Runs a list handler for each partner and joins the results. */
export async function joinLists<T>(
  request: FastifyRequest,
  handler: (request: FastifyRequest) => Promise<T>,
): Promise<T> {
  const { partnersRead } = request;
  if (!partnersRead) return handler(request);
  const query = request.query as Page & { max: number };
  if (query.after !== undefined) {
    throw invalidField('after', 'together', 'after cannot be combined with includeChildren. Use offset or page.');
  }
  const offset = startOf(query);
  let skip = offset;
  let room = query.max;
  let joined: { response: T; list: List; entries: unknown[]; name: string } | undefined;
  let isCapped = false;
  const read = (partner: Caller, listOffset: number, max: number): Promise<T> => {
    const offsetQuery = query.offset !== undefined && { offset: listOffset };
    const own = { caller: partner, listOffset, query: { ...query, ...offsetQuery, max: Math.max(1, max) } };
    return handler(Object.assign(Object.create(request), own));
  };
  const waiting = [...partnersRead];
  for (let partner = waiting.shift(); partner; partner = isCapped || room === 0 ? undefined : waiting.shift()) {
    const wanted: number = room;
    const response = await read(partner, skip, wanted);
    const list = listOf(response);
    const name = Object.keys(list).find((one) => Array.isArray(list[one])) ?? '';
    const entries = (list[name] as unknown[]).slice(0, wanted);
    // Above 100,000 the count is an upper bound. Positions up to it stay empty, so that the next page skips the same number.
    const counted = list.countIsExact === false ? Math.max(0, list.count - skip) : 0;
    room -= Math.min(room, Math.max(entries.length, counted));
    skip = Math.max(0, skip - list.count);
    // The next page continues with the same partner.
    isCapped ||= typeof list.max === 'number' && list.max < wanted && entries.length === list.max;
    if (!joined) joined = { response, list, entries: [...entries], name };
    else {
      joined.entries.push(...entries);
      addCount(joined.list, list);
    }
  }
  if (!joined) return handler(request);
  const { response, list, entries, name } = joined;
  while (waiting.length > 0) {
    const counted = await Promise.all(waiting.splice(0, concurrency).map((partner) => read(partner, 0, 0)));
    for (const one of counted) addCount(list, listOf(one));
  }
  // The cursor is valid for the list of one partner only.
  delete list.after;
  Object.assign(list, {
    [name]: entries,
    ...('offset' in list && { offset }),
    ...('max' in list && { max: isCapped ? entries.length : query.max }),
    ...('pageSize' in list && { pageSize: query.max }),
  });
  return response;
}

function addCount(joined: List, list: List): void {
  joined.count += list.count;
  if (list.countIsExact === false) joined.countIsExact = false;
}

const startOf = ({ offset, page, max = 0 }: Page): number => offset ?? (page ?? 0) * max;

function listOf(response: unknown): List {
  const { inbox } = response as { inbox?: List };
  return inbox ?? (response as List);
}

/** Below this offset, OFFSET is fast enough. */
const minDeepOffset = 1000;
const ttlMs = 120_000;
const maxEntries = 10_000;

type PageEnds = LRUCache<string, { after: unknown }>;

/** Last entries of pages: the next page by offset is read with a cursor, at a cost independent of its depth. */
const endsOf = new WeakMap<Services, PageEnds>();

function endsFor({ server: { services } }: FastifyRequest): PageEnds {
  const ends = endsOf.get(services) ?? new LRUCache({ max: maxEntries, ttl: ttlMs });
  endsOf.set(services, ends);
  return ends;
}

function keyOf(request: FastifyRequest, { offset: _o, page: _p, max: _m, ...query }: Page, start: number): string {
  const { url = '' } = request.routeOptions;
  // With the key of a parent partner, the same list exists for each child partner.
  const caller = `${request.caller?.countedAs} ${request.caller?.partnerId}`;
  const names = [caller, url, JSON.stringify(request.params), JSON.stringify(query), request.client.version, start];
  return hash('sha256', names.join('\n'), 'base64url');
}

/** Runs a list handler. If this process served the previous page, `offset` and `page` are translated to `after`. */
export async function readDeepPage<T>(request: FastifyRequest, handler: () => Promise<T>): Promise<T> {
  const query = request.query as Page;
  const start = startOf(query);
  const isList = query.max !== undefined && query.after === undefined;
  if (!isList) return handler();
  const ends = endsFor(request);
  const known = start >= minDeepOffset ? ends.get(keyOf(request, query, start)) : undefined;
  if (known) request.query = { ...query, ...(query.offset !== undefined && { offset: 0 }), after: known.after };
  const response = await handler();
  const list = listOf(response ?? {});
  if (typeof list !== 'object' || !('countIsExact' in list)) return response;
  if (known && 'offset' in list) Object.assign(list, { offset: query.offset });
  // The handler may apply a smaller page size than requested.
  const { max = query.max, pageSize = max } = list as { max?: number; pageSize?: number };
  const next = start + (pageSize ?? 0);
  if (next < minDeepOffset || !isStable(list.after, query)) return response;
  ends.set(keyOf(request, query, next), { after: list.after });
  return response;
}

/** Whether a cursor stays valid when its entry changes: it contains the sort value, or the list is sorted by id. */
const isStable = (after: unknown, { sort, order }: Page): boolean =>
  typeof after === 'string' || (after !== undefined && (sort === 'id' || (sort === undefined && order === undefined)));

declare module 'fastify' {
  interface FastifyRequest {
    /** The offset in the list of the current partner. */
    listOffset?: number;
  }
}
