import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type DeliveryKeys, VerificationError, verifyDelivery, type WaypostEvent } from '@waypost/receiver';
import fastify from 'fastify';

/** `onEvent` should only store the event: Waypost waits 15 s for the response and retries after an error. */
export async function startReceiver(
  port: number,
  keys: DeliveryKeys,
  onEvent: (event: WaypostEvent) => Promise<void>,
): Promise<Server> {
  const app = fastify({ bodyLimit: 1024 * 1024 });
  // The signatures cover the raw bytes. Use a separate plugin if other routes need parsed JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post<{ Body: Buffer | undefined }>('/', async (request, reply) => {
    await onEvent(verifyDelivery({ ...keys, body: request.body, headers: request.headers }));
    return reply.code(204).send();
  });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof VerificationError) return reply.code(401).send(error.message);
    throw error;
  });

  await app.listen({ port, host: '127.0.0.1' });
  return app.server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = '3000', WAYPOST_PRIVATE_KEY = '', WAYPOST_SECRET = '' } = process.env;
  await startReceiver(Number(PORT), { privateKey: WAYPOST_PRIVATE_KEY, secret: WAYPOST_SECRET }, async (event) =>
    console.log(event.type, event.id),
  );
}
