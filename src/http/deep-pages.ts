import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Services } from './services.ts';

/** From here on it pays to know where the page before ended. */
const deepFrom = 1000;
const remembersMs = 120_000;
const mostRemembered = 10_000;

interface Page {
  offset?: number;
  page?: number;
  max?: number;
  after?: unknown;
}

interface Listed {
  after?: unknown;
}

type Ends = LRUCache<string, { after: unknown }>;

/** Where pages ended: the next page by offset is read behind that entry, at the same price however deep. */
const endsOf = new WeakMap<Services, Ends>();

function endsFor({ server: { services } }: FastifyRequest): Ends {
  const ends = endsOf.get(services) ?? new LRUCache({ max: mostRemembered, ttl: remembersMs });
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

/**
 * Runs the handler of a list. A client that reads on page by page by `offset` or `page` gets what `after` would give it,
 * as long as this process knows where the page before ended.
 */
export async function readDeepPage<T>(request: FastifyRequest, handler: () => Promise<T>): Promise<T> {
  const query = request.query as Page;
  const start = startOf(query);
  const isList = query.max !== undefined && query.after === undefined;
  if (!isList) return handler();
  const ends = endsFor(request);
  const known = start >= deepFrom ? ends.get(keyOf(request, query, start)) : undefined;
  if (known) request.query = { ...query, ...(query.offset !== undefined && { offset: 0 }), after: known.after };
  const answer = await handler();
  const listed = listOf(answer);
  if (!listed) return answer;
  if (known && 'offset' in listed) Object.assign(listed, { offset: query.offset });
  // What the handler applied, which may be less than what was asked for.
  const { max = query.max, pageSize = max } = listed as { max?: number; pageSize?: number };
  const next = start + (pageSize ?? 0);
  if (listed.after === undefined || next < deepFrom) return answer;
  ends.set(keyOf(request, query, next), { after: listed.after });
  return answer;
}

function listOf(answer: unknown): Listed | undefined {
  const { inbox } = (answer ?? {}) as { inbox?: Listed };
  const listed = inbox ?? answer;
  return typeof listed === 'object' && listed !== null && 'countIsExact' in listed ? (listed as Listed) : undefined;
}
