import { once } from 'node:events';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type DeliveryKeys, VerificationError, verifyDelivery, type WaypostEvent } from '@waypost/receiver';
import express, { type ErrorRequestHandler } from 'express';

/** `onEvent` should only store the event: Waypost waits 15 s for the response and retries after an error. */
export async function startReceiver(
  port: number,
  keys: DeliveryKeys,
  onEvent: (event: WaypostEvent) => Promise<void>,
): Promise<Server> {
  const app = express();
  // express.raw on this route, before any express.json: the signatures cover the raw bytes.
  app.post('/', express.raw({ type: () => true, limit: '1mb' }), async (request, response) => {
    await onEvent(verifyDelivery({ ...keys, body: request.body, headers: request.headers }));
    response.status(204).end();
  });
  const rejectUnverified: ErrorRequestHandler = (error, _request, response, next) => {
    if (error instanceof VerificationError) response.status(401).send(error.message);
    else next(error);
  };
  app.use(rejectUnverified);

  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = '3000', WAYPOST_PRIVATE_KEY = '', WAYPOST_SECRET = '' } = process.env;
  await startReceiver(Number(PORT), { privateKey: WAYPOST_PRIVATE_KEY, secret: WAYPOST_SECRET }, async (event) =>
    console.log(event.type, event.id),
  );
}
