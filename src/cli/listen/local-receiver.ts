import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../command.ts';
import type { Reply, Respond } from './replies.ts';
import type { ReceivedDelivery, Verification } from './verification.ts';

const maxBodySize = 1024 * 1024;

/** A received delivery with its verification result and response status. */
export type Arrival = Verification & { at: Date; status: number; remark?: string };

interface ReceiverParts {
  verify(delivery: ReceivedDelivery): Verification;
  respond: Respond;
  onArrival(arrival: Arrival): void;
}

/** A receiver on loopback. */
export class LocalReceiver {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async start(port: number, parts: ReceiverParts): Promise<LocalReceiver> {
    const server = createServer((request, response) => {
      receive(request, response, parts).catch((error) => {
        // The sender disconnected.
        if (!request.socket.destroyed) throw error;
      });
    });
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(
        `Cannot listen on port ${port} (${code}). Set another port with --port; 0 selects any free port.`,
      );
    }
    return new LocalReceiver(server);
  }

  /** Finishes requests in progress. */
  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function receive(request: IncomingMessage, response: ServerResponse, parts: ReceiverParts): Promise<void> {
  if (request.method !== 'POST') {
    return send(response, { status: 405, headers: { allow: 'POST' }, body: 'Deliveries are POST requests.' });
  }
  const at = new Date();
  const body = await readBody(request);
  const delivery = { headers: request.headers, body };
  const verification = parts.verify(delivery);
  const reply = verification.verified ? await parts.respond(delivery) : { status: 401, body: verification.reason };
  const { status, remark } = reply;
  parts.onArrival({ ...verification, at, status, ...(remark !== undefined && { remark }) });
  await send(response, reply);
}

async function send(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
  response.writeHead(status, headers);
  if (body === undefined || typeof body === 'string') response.end(body);
  else await pipeline(body, response);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxBodySize) throw new Error('The body is larger than any delivery.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
