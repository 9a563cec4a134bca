import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { VerificationError, verifyDelivery, type WaypostEvent } from '../../../receiver/receiver.ts';
import { CommandError } from '../command.ts';

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

interface ReceivedDelivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

type Verification =
  | { verified: true; event: WaypostEvent; by: readonly ('private key' | 'secret')[] }
  | { verified: false; reason: string };

/** Each webhook has its own secret. The secret of an existing webhook is unknown and not checked. */
export function verify(
  { headers, body }: ReceivedDelivery,
  privateKey: string,
  secrets: ReadonlyMap<string, string>,
): Verification {
  try {
    const event = verifyDelivery({ body, privateKey });
    const secret = secrets.get(event.type);
    if (secret === undefined) return { verified: true, event, by: ['private key'] };
    verifyDelivery({ body, headers, privateKey, secret });
    return { verified: true, event, by: ['private key', 'secret'] };
  } catch (error) {
    if (error instanceof VerificationError) return { verified: false, reason: error.message };
    throw error;
  }
}

interface Reply {
  status: number;
  /** A note for the output, for example why the delivery failed. */
  remark?: string;
  headers?: Record<string, string>;
  body?: Readable | string;
}

/** Creates the response to a verified delivery. */
export type Respond = (delivery: ReceivedDelivery) => Promise<Reply>;

// The default delivery timeout of Waypost.
const timeoutMs = 15_000;

// Hop-by-hop headers, which are not forwarded.
const hopByHopHeaders = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
const returnedHeaders = ['content-type', 'retry-after'];

export const accept: Respond = async () => ({ status: 204 });

/** Fails some deliveries, to test retries. */
export function failing(rate: number, status: number, otherwise: Respond): Respond {
  return async (delivery) =>
    Math.random() < rate ? { status, remark: 'on purpose', body: 'Failed on purpose.' } : otherwise(delivery);
}

/** Forwards deliveries unchanged and returns the response. */
export function forwarding(url: string): Respond {
  return async ({ headers, body }) => {
    try {
      const response = await request(url, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name))),
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const kept = Object.entries(response.headers).filter(([name]) => returnedHeaders.includes(name));
      const passed = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
      return { status: response.statusCode, remark: `from ${url}`, headers: passed, body: response.body };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 502, remark: `${url} is unavailable (${code ?? message})`, body: 'Could not be forwarded.' };
    }
  };
}
