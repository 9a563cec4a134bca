import type { FastifyInstance } from 'fastify';

/** Responses can contain keys and are not meant to be displayed by a browser. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const strictTransport = 'max-age=31536000';

/** Set in onRequest, so that a handler can override them. */
export function secureHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    reply.header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', strictTransport);
  });
}
