import type { FastifyInstance } from 'fastify';

/**
 * Closing waits for open connections, and clients like to keep theirs for the next request. Those that are idle when
 * it begins are closed by the framework; this lets go of the busy ones as soon as they have their answer.
 */
export function closeGracefully(server: FastifyInstance): void {
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
  });
  server.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  server.addHook('onResponse', async () => {
    if (isClosing) setImmediate(() => server.server.closeIdleConnections());
  });
}
