import { once } from 'node:events';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { type DeliveryKeys, VerificationError, verifyDelivery, type WaypostEvent } from '@waypost/receiver';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';

/** `onEvent` should only store the event: Waypost waits 15 s for the response and retries after an error. */
export async function startReceiver(
  port: number,
  keys: DeliveryKeys,
  onEvent: (event: WaypostEvent) => Promise<void>,
): Promise<Server> {
  const app = new Hono();
  app.post('/', bodyLimit({ maxSize: 1024 * 1024 }), async (context) => {
    const body = await context.req.arrayBuffer();
    await onEvent(verifyDelivery({ ...keys, body, headers: context.req.raw.headers }));
    return context.body(null, 204);
  });
  app.onError((error, context) => {
    if (error instanceof VerificationError) return context.text(error.message, 401);
    console.error(error);
    return context.body(null, 500);
  });

  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }) as Server;
  await once(server, 'listening');
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = '3000', WAYPOST_PRIVATE_KEY = '', WAYPOST_SECRET = '' } = process.env;
  await startReceiver(Number(PORT), { privateKey: WAYPOST_PRIVATE_KEY, secret: WAYPOST_SECRET }, async (event) =>
    console.log(event.type, event.id),
  );
}
