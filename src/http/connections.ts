import type { FastifyInstance } from 'fastify';

/** Limits how long a client can hold an idle connection. */
export const connectionLimits = {
  /** From the first byte of a request to the last; also applies to a connection that sends nothing. */
  requestTimeout: 30_000,
  /** Longer than the 60 s of common load balancers, which must close first. */
  keepAliveTimeout: 72_000,
};

/** Options of the Node HTTP server. */
export const serverLimits = { headersTimeout: 20_000, connectionsCheckingInterval: 5000 };

// Time for requests that are already in transit.
const arrivalMs = 1000;
const maxMs = 15_000;
const checkMs = 50;

/**
 * Fastify closes idle connections. This closes busy ones after their response, and finally those without a complete
 * request.
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
      if (inFlight > 0 ? passedMs < maxMs : passedMs < arrivalMs) return;
      if (inFlight > 0) server.log.warn({ event: 'server.requests-abandoned', requests: inFlight });
      server.server.closeAllConnections();
    }, checkMs);
  });
  server.addHook('onClose', async () => clearInterval(closing));
  server.addHook('onRequest', (_request, reply, done) => {
    inFlight++;
    reply.raw.once('close', () => inFlight--);
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done();
  });
  server.addHook('onResponse', (_request, _reply, done) => {
    if (isClosing) setImmediate(() => server.server.closeIdleConnections());
    done();
  });
}
