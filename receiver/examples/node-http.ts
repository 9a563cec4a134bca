import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type DeliveryKeys, VerificationError, verifyDelivery, type WaypostEvent } from '@waypost/receiver';

const maxBodyBytes = 1024 * 1024;

/** `onEvent` should only store the event: Waypost waits 15 s for the response and retries after an error. */
export async function startReceiver(
  port: number,
  keys: DeliveryKeys,
  onEvent: (event: WaypostEvent) => Promise<void>,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      await onEvent(verifyDelivery({ ...keys, body, headers: request.headers }));
      response.writeHead(204).end();
    } catch (error) {
      if (error instanceof VerificationError) return response.writeHead(401).end(error.message);
      console.error(error);
      response.writeHead(500).end();
    }
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('The body is larger than 1 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = '3000', WAYPOST_PRIVATE_KEY = '', WAYPOST_SECRET = '' } = process.env;
  await startReceiver(Number(PORT), { privateKey: WAYPOST_PRIVATE_KEY, secret: WAYPOST_SECRET }, async (event) =>
    console.log(event.type, event.id),
  );
}
