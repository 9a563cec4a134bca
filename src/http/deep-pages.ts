import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Services } from './services.ts';

/** Below this offset, OFFSET is fast enough. */
const minDeepOffset = 1000;
const ttlMs = 120_000;
const maxEntries = 10_000;

interface Page {
  offset?: number;
  page?: number;
  max?: number;
  after?: unknown;
}

interface List {
  after?: unknown;
}

type PageEnds = LRUCache<string, { after: unknown }>;

/** Last entries of pages: the next page by offset is read with a cursor, at a cost independent of its depth. */
const endsOf = new WeakMap<Services, PageEnds>();

function endsFor({ server: { services } }: FastifyRequest): PageEnds {
  const ends = endsOf.get(services) ?? new LRUCache({ max: maxEntries, ttl: ttlMs });
  endsOf.set(services, ends);
  return ends;
}

const startOf = ({ offset, page, max = 0 }: Page): number => offset ?? (page ?? 0) * max;

function keyOf(request: FastifyRequest, { offset: _o, page: _p, max: _m, ...query }: Page, start: number): string {
  const { url = '' } = request.routeOptions;
  const caller = request.caller?.countedAs ?? '';
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
  const list = listOf(response);
  if (!list) return response;
  if (known && 'offset' in list) Object.assign(list, { offset: query.offset });
  // The handler may apply a smaller page size than requested.
  const { max = query.max, pageSize = max } = list as { max?: number; pageSize?: number };
  const next = start + (pageSize ?? 0);
  if (list.after === undefined || next < minDeepOffset) return response;
  ends.set(keyOf(request, query, next), { after: list.after });
  return response;
}

function listOf(response: unknown): List | undefined {
  const { inbox } = (response ?? {}) as { inbox?: List };
  const list = inbox ?? response;
  return typeof list === 'object' && list !== null && 'countIsExact' in list ? (list as List) : undefined;
}
