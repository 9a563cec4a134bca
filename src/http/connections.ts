import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Limits how long a client can hold an idle connection. */
export const connectionLimits = {
  /** Longer than the 60 s of common load balancers, which must close first. */
  keepAliveTimeout: 72_000,
};

/** Options of the Node HTTP server. The time for headers also applies to a connection that sends nothing. */
export const serverLimits = { headersTimeout: 20_000, connectionsCheckingInterval: 5000 };

/** The slowest upload has 8 KiB/s. A time limit for the whole body would reject large uploads. */
const slowestBody = { periodMs: 30_000, minBytes: 30 * 8 * 1024 };

/** Ends requests whose body does not arrive completely in a period, unless enough of it arrived. */
export function rejectSlowBodies({ server }: FastifyInstance, { periodMs, minBytes } = slowestBody): void {
  server.on('request', (request: IncomingMessage) => {
    const { socket, headers } = request;
    if (!('transfer-encoding' in headers) && !Number(headers['content-length'])) return;
    let received = socket.bytesRead;
    const timer = setInterval(() => {
      const isSlow = socket.bytesRead < received + minBytes;
      received = socket.bytesRead;
      if (!isSlow && !request.complete) return;
      clearInterval(timer);
      if (!request.complete) server.emit('clientError', timedOut(), socket);
    }, periodMs).unref();
    request.once('close', () => clearInterval(timer));
  });
}

/** The error of Node for requests that exceed its own limits. */
const timedOut = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

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
