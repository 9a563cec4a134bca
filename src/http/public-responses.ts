import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** CORS headers of public routes. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-api-version, x-request-id',
};

const preflight = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'content-type, idempotency-key, if-none-match, publicKey, x-api-version',
  'access-control-max-age': '86400',
};

const vary = 'publicKey, x-api-version';

/** Adds CORS headers to all responses of public routes, and an ETag with 304 to cacheable ones. */
export function publicResponses(server: FastifyInstance): void {
  server.decorateRequest('cacheSeconds', undefined);
  server.addHook('onSend', (request, reply, payload, done) => {
    const { access, isLinkedData, cacheSeconds: usual } = request.routeOptions.config;
    const cacheSeconds = request.cacheSeconds ?? usual;
    if (access !== 'public') return done();
    reply.headers(corsHeaders);
    if (cacheSeconds === undefined || reply.statusCode !== 200 || typeof payload !== 'string') return done();
    const etag = `"${hash('sha256', payload, 'base64url').slice(0, 22)}"`;
    const varies = isLinkedData ? `accept, ${vary}` : vary;
    reply.headers({ 'cache-control': `public, max-age=${cacheSeconds}`, vary: varies, etag });
    if (!matchesEtag(request.headers['if-none-match'], etag)) return done();
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    done(null, null);
  });
}

/** Browsers send a preflight request before a request with custom headers. */
export function registerPreflight(server: FastifyInstance, path: string): void {
  if (server.hasRoute({ method: 'OPTIONS', url: path })) return;
  server.options(path, async (_request, reply) => reply.code(204).headers(preflight).send());
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Cache lifetime of this response, if it differs from that of the route. */
    cacheSeconds: number | undefined;
  }
  interface FastifyContextConfig {
    /** Cache lifetime of the response of a public route. */
    cacheSeconds?: number;
  }
}

/** Whether the client accepts the encoding. */
export const acceptsEncoding = (header: string | undefined, encoding: string): boolean =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(header ?? '');

/** Whether If-None-Match contains the ETag. Proxies that compress a response turn it into a weak one (W/). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
