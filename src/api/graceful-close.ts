import type { FastifyInstance } from 'fastify';

// Requests that are on their way when the server stops listening have this long to arrive.
const arrivalMs = 1000;
const longestMs = 15_000;
const checkMs = 50;

/**
 * Closing waits for open connections, and clients like to keep theirs for the next request. Those that are idle when
 * it begins are closed by the framework; this closes the busy ones as soon as they have their response, and then those
 * that hold a connection without sending a whole request.
 */
export function closeGracefully(server: FastifyInstance): void {
  let isClosing = false;
  let inFlight = 0;
  let closing: NodeJS.Timeout | undefined;
  server.addHook('preClose', async () => {
    isClosing = true;
    const began = performance.now();
    closing = setInterval(() => {
      const passedMs = performance.now() - began;
      if (inFlight > 0 ? passedMs < longestMs : passedMs < arrivalMs) return;
      if (inFlight > 0) server.log.warn({ event: 'server.requests-abandoned', requests: inFlight });
      server.server.closeAllConnections();
    }, checkMs);
  });
  server.addHook('onClose', async () => clearInterval(closing));
  server.addHook('onRequest', async (_request, reply) => {
    inFlight++;
    reply.raw.once('close', () => inFlight--);
  });
  server.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  server.addHook('onResponse', async () => {
    if (isClosing) setImmediate(() => server.server.closeIdleConnections());
  });
}
