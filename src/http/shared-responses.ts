import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { createLimiter } from './rate-limits.ts';

interface Options {
  /** Shorter responses are not kept. */
  minLength?: number;
  /** Creating a response of 6 MB takes half a second of the processor. Shorter ones than this are not limited. */
  limitedLength?: number;
  freshMs?: number;
  /** Large responses that are created for an address in a minute. */
  most?: number;
}

interface Shared {
  body: string;
  type: string;
  cacheSeconds: number | undefined;
  freshUntil: number;
}

/** Time to create a response again; other requests get the previous one. */
const renewMs = 10_000;
const maxLength = 64 * 1024 * 1024;
const maxPaths = 10_000;
/** A page size can be large because of the fields of one request. */
const largePageMs = 600_000;

/**
 * Keeps large cacheable responses of public routes in memory, so that anonymous clients that repeat them do not slow down
 * the requests of other partners.
 */
export function shareLargeResponses(
  server: FastifyInstance,
  { minLength = 128 * 1024, limitedLength = 1024 * 1024, freshMs = 60_000, most = 60 }: Options = {},
): void {
  const responses = new LRUCache<string, Shared>({
    maxSize: maxLength,
    sizeCalculation: ({ body }) => body.length,
    ttl: freshMs + renewMs,
  });
  /** Page sizes that count as large: from half of the smallest one that was. */
  const largePages = new LRUCache<string, number>({ max: maxPaths, ttl: largePageMs });
  const largePageOf = (request: FastifyRequest) => largePages.get(pathOf(request)) ?? Number.POSITIVE_INFINITY;
  const limitCreated = createLimiter(server, { most, seconds: 60, actions: 'large responses' });

  const served = new WeakSet<FastifyRequest>();
  server.addHook('preHandler', async (request, reply) => {
    if (!isShareable(request)) return;
    const shared = responses.get(keyOf(request));
    if (shared && Date.now() < shared.freshUntil) {
      served.add(request);
      request.cacheSeconds = shared.cacheSeconds;
      return reply.type(shared.type).send(shared.body);
    }
    if (shared) shared.freshUntil = Date.now() + renewMs;
    else if (pageSizeOf(request) >= largePageOf(request)) await limitCreated(request);
  });
  server.addHook('onSend', (request, reply, body, done) => {
    const isLarge = typeof body === 'string' && body.length >= minLength;
    if (!isLarge || reply.statusCode !== 200 || !isShareable(request) || served.has(request)) return done();
    const type = String(reply.getHeader('content-type'));
    responses.set(keyOf(request), {
      body,
      type,
      cacheSeconds: request.cacheSeconds,
      freshUntil: Date.now() + freshMs,
    });
    if (body.length >= limitedLength)
      largePages.set(pathOf(request), Math.min(pageSizeOf(request) / 2, largePageOf(request)));
    done();
  });
}

const isShareable = ({ caller, routeOptions: { config } }: FastifyRequest): boolean =>
  caller !== null && config.access === 'public' && config.cacheSeconds !== undefined;

const pathOf = ({ params, routeOptions: { url } }: FastifyRequest): string => JSON.stringify([url, params]);

const pageSizeOf = ({ query }: FastifyRequest): number => (query as { max?: number }).max ?? 0;

/** The fields of the Vary header, and the version of partners without one in the request. */
const keyOf = ({ url, caller, client, headers: { accept = '' } }: FastifyRequest): string =>
  JSON.stringify([url, caller?.partnerId, client.version, accept]);
