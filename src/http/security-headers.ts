import type { FastifyInstance } from 'fastify';

/** Answers may show keys and are meant for programs: nothing keeps, frames, sniffs or runs them. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const strictTransport = 'max-age=31536000';

/** Set before a handler runs, so that a page may ask for a policy of its own. */
export function secureHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    reply.header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', strictTransport);
  });
}
