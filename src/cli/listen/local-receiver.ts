import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
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
  const { body, isComplete } = await readBeginning(request, maxBodySize);
  if (!isComplete) throw new Error('The body is larger than any delivery.');
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

interface Reply {
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

interface Forwarding {
  retries: number;
  /** Ends the retries of deliveries in progress. */
  stopped: AbortSignal;
  /** `retryInMs` is undefined after the last attempt. */
  onAttempt(delivery: VerifiedDelivery, attempts: readonly ForwardAttempt[], retryInMs: number | undefined): void;
}

/** How long Waypost waits for the response to a delivery. */
export const timeoutSeconds = 15;
const totalMs = (timeoutSeconds - 1) * 1000;
const firstRetryMs = 500;
// Waypost logs this much of a response.
const maxResponseSize = 16 * 1024;

// Hop-by-hop headers, which are not forwarded.
const hopByHopHeaders = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
const returnedHeaders = ['content-type', 'retry-after'];

/** Forwards deliveries unchanged, with retries, and returns the last response. */
export function forwarding(url: string, { retries, stopped, onAttempt }: Forwarding): Respond {
  return async (delivery, verified) => {
    const end = performance.now() + totalMs;
    const attempts: ForwardAttempt[] = [];
    for (;;) {
      const attempt = await send(url, delivery, end - performance.now());
      attempts.push(attempt);
      const retryInMs = stopped.aborted ? undefined : retryDelay(attempts, retries, end - performance.now());
      onAttempt(verified, attempts, retryInMs);
      if (retryInMs === undefined) return replyOf(url, attempt, attempts);
      await pause(retryInMs, undefined, { signal: stopped }).catch(() => undefined);
      if (stopped.aborted) return replyOf(url, attempt, attempts);
    }
  };
}

export const isSuccess = ({ status }: { status: number }) => status >= 200 && status < 300;

/** Exponential, while there is time for the next response. 410 disables the webhook and is not retried. */
function retryDelay(attempts: readonly ForwardAttempt[], retries: number, leftMs: number): number | undefined {
  const last = attempts.at(-1);
  if (!last || isSuccess(last) || last.status === 410 || attempts.length > retries) return undefined;
  const delay = firstRetryMs * 2 ** (attempts.length - 1);
  return delay + last.tookMs + firstRetryMs < leftMs ? delay : undefined;
}

function replyOf(url: string, { status, failure, headers, body }: ForwardAttempt, attempts: ForwardAttempt[]): Reply {
  return { status, remark: failure ?? `from ${shownUrl(url)}`, headers, body, attempts };
}

/** Without user, password and parameters, which can be secret. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

async function send(url: string, { headers, body }: ReceivedDelivery, timeoutMs: number): Promise<ForwardAttempt> {
  const start = performance.now();
  const tookMs = () => Math.round(performance.now() - start);
  try {
    const response = await request(url, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name))),
      body,
      signal: AbortSignal.timeout(Math.max(1, Math.round(timeoutMs))),
    });
    const returned = Object.entries(response.headers).filter(([name]) => returnedHeaders.includes(name));
    const received = await readBeginning(response.body, maxResponseSize);
    return {
      status: response.statusCode,
      statusText: response.statusText,
      tookMs: tookMs(),
      headers: Object.fromEntries(returned.map(([name, value]) => [name, headerText(String(value))])),
      ...received,
    };
  } catch (error) {
    return { ...failedAttempt(shownUrl(url), error as NodeJS.ErrnoException, timeoutMs), tookMs: tookMs() };
  }
}

/** Other characters cannot be returned in a header. */
const headerText = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '?');

function failedAttempt(url: string, { code, name, message }: NodeJS.ErrnoException, timeoutMs: number) {
  const isTimeout = name === 'TimeoutError';
  const failure = isTimeout
    ? `${url} did not respond within ${Math.round(timeoutMs / 100) / 10} s`
    : `${url} is unavailable (${code ?? message})`;
  return {
    status: isTimeout ? 504 : 502,
    statusText: '',
    failure,
    headers: {},
    body: Buffer.from(`${failure}.`),
    isComplete: true,
  };
}

async function readBeginning(
  body: AsyncIterable<Buffer>,
  maxSize: number,
): Promise<{ body: Buffer; isComplete: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxSize) return { body: Buffer.concat(chunks).subarray(0, maxSize), isComplete: false };
  }
  return { body: Buffer.concat(chunks), isComplete: true };
}
