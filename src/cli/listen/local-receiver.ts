import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VerificationError, verifyDelivery, type WaypostEvent } from '../../../receiver/receiver.ts';
import { CommandError } from '../command.ts';

const maxBodySize = 1024 * 1024;

/** A received delivery with its verification result and response status. */
export type Arrival = Verification & { at: Date } & Pick<Reply, 'status' | 'remark' | 'attempts'>;

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
      const respond = ({ status, headers, body }: Reply) => {
        // A connection that is kept alive would delay the end of a closed server.
        if (!server.listening) response.setHeader('connection', 'close');
        response.writeHead(status, headers).end(body);
      };
      receive(request, parts).then(respond, (error) => {
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

async function receive(request: IncomingMessage, parts: ReceiverParts): Promise<Reply> {
  if (request.method !== 'POST') {
    return { status: 405, headers: { allow: 'POST' }, body: 'Deliveries are POST requests.' };
  }
  const at = new Date();
  const body = await readBody(request);
  const delivery = { headers: request.headers, body };
  const verification = parts.verify(delivery);
  const reply: Reply = verification.verified
    ? await parts.respond(delivery, { ...verification, at })
    : { status: 401, body: verification.reason };
  const { status, remark, attempts } = reply;
  parts.onArrival({
    ...verification,
    at,
    status,
    ...(remark !== undefined && { remark }),
    ...(attempts && { attempts }),
  });
  return reply;
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

export interface ReceivedDelivery {
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

/** A verified delivery while it is processed. */
export type VerifiedDelivery = Extract<Verification, { verified: true }> & { at: Date };

/** A request to the local server. */
export interface ForwardAttempt {
  /** 502 or 504 if there was no response. */
  status: number;
  statusText: string;
  tookMs: number;
  /** Why there was no response. */
  failure?: string;
  /** Headers of the response that Waypost uses. */
  headers: Record<string, string>;
  /** The beginning of the response. */
  body: Buffer;
  isComplete: boolean;
}

export interface Reply {
  status: number;
  /** A note for the output, for example why the delivery failed. */
  remark?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Requests to the URL of --forward-to. */
  attempts?: readonly ForwardAttempt[];
}

/** Creates the response to a verified delivery. */
export type Respond = (delivery: ReceivedDelivery, verified: VerifiedDelivery) => Promise<Reply>;

export const accept: Respond = async () => ({ status: 204 });

/** Fails some deliveries, to test retries. */
export function failing(rate: number, status: number, otherwise: Respond): Respond {
  return async (delivery, verified) =>
    Math.random() < rate ? { status, remark: 'on purpose', body: 'Failed on purpose.' } : otherwise(delivery, verified);
}
