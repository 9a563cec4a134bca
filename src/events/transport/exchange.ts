import type { Deadlines, Expiring } from './deadlines.ts';
import { PendingConnection } from './dial.ts';
import { closedEarly, type Failure, failureOf, isReset, malformedResponse, timeoutFailure } from './failure.ts';
import type { Connection, OriginPool } from './origin-pool.ts';
import { type HttpOutcome, outcomeOfResponse, type Phases, type ReceiverResponse } from './outcome.ts';
import type { ResponseHead, ResponseListener } from './response-reader.ts';

/** One request and its response. */
export class Exchange implements ResponseListener, Expiring<Exchange> {
  previous: Exchange | undefined;
  next: Exchange | undefined;
  expiresAt = 0;
  isSettled = false;
  #isTimedOut = false;
  readonly request: SerializedRequest;
  /** Id of the partner that owns the webhook. */
  readonly owner: number | undefined;
  readonly #pool: OriginPool;
  readonly #deadlines: Deadlines<Exchange>;
  readonly #resolve: (outcome: HttpOutcome) => void;
  #pending: PendingConnection | undefined;
  #connection: Connection | undefined;
  #beganAt = 0;
  #sentAt = 0;
  #respondedAt = 0;
  #response: ReceiverResponse | undefined;
  #body: ResponseBody | undefined;

  constructor(
    request: SerializedRequest,
    pool: OriginPool,
    deadlines: Deadlines<Exchange>,
    resolve: (outcome: HttpOutcome) => void,
    owner?: number,
  ) {
    this.request = request;
    this.owner = owner;
    this.#pool = pool;
    this.#deadlines = deadlines;
    this.#resolve = resolve;
  }

  /** Starts the timeout, which includes waiting for a free connection. */
  begin(): void {
    this.#beganAt = performance.now();
    this.#deadlines.add(this, this.#beganAt);
  }

  startConnecting(): PendingConnection {
    this.#connection = undefined;
    this.#pending = new PendingConnection();
    return this.#pending;
  }

  sendOn(connection: Connection): void {
    this.#connection = connection;
    this.#sentAt = performance.now();
    connection.send(this);
  }

  connectFailed(failure: Failure): void {
    if (!this.#isTimedOut) this.fail(failure);
  }

  fail({ reason, detail, isLocalFailure }: Failure, phases = this.#phases()): void {
    if (this.isSettled) return;
    const outcome: HttpOutcome = { kind: 'unreachable', reason, detail, phases };
    if (isLocalFailure) outcome.isLocalFailure = true;
    if (this.#response) outcome.response = this.#completed(this.#response);
    this.#settle(outcome);
  }

  expire(): void {
    const timeout = timeoutFailure(this.#stage, this.#deadlines.afterMs);
    const isLocalFailure = this.#connection ? undefined : this.#pending?.isLocalFailure;
    if (isLocalFailure) void this.#expireWhileConnecting(timeout, isLocalFailure);
    else this.fail(timeout);
    if (this.#connection) this.#connection.discard();
    else this.#pending?.abort();
  }

  /** Slow name servers of one domain are the receiver's fault; a resolver or proxy that fails for all is a local failure. */
  async #expireWhileConnecting(timeout: Failure, isLocalFailure: () => Promise<boolean>): Promise<void> {
    this.#isTimedOut = true;
    const phases = this.#phases();
    this.fail((await isLocalFailure()) ? { ...timeout, isLocalFailure: true } : timeout, phases);
  }

  onHead({ status, headers }: ResponseHead): void {
    this.#respondedAt = performance.now();
    this.#response = { status, headers, body: ResponseBody.empty, truncated: false };
  }

  onBody(bytes: Buffer): void {
    if (!this.#response) return;
    this.#body ??= new ResponseBody();
    if (this.#body.add(bytes)) return;
    this.#response.truncated = true;
    this.#complete(this.#response);
    this.#connection?.discard();
  }

  onEnd(keepAliveMs: number): void {
    if (this.#response) this.#complete(this.#response);
    this.#connection?.release(keepAliveMs);
  }

  onMalformed(cause: string): void {
    this.fail(malformedResponse(cause));
    this.#connection?.discard();
  }

  connectionLost(error: NodeJS.ErrnoException | undefined): void {
    const connection = this.#connection;
    if (this.isSettled || !connection) return;
    // The receiver may have closed an idle connection just as it was reused. No response bytes arrived, so
    // send again on a new connection.
    if (connection.isReused && !connection.hasReceivedData && (!error || isReset(error))) {
      this.#pool.replace(connection, this);
      return;
    }
    this.fail(error ? failureOf(error, this.#stage) : closedEarly(this.#stage));
    connection.discard();
  }

  get isFinished(): boolean {
    return this.isSettled || this.#isTimedOut;
  }

  get #stage() {
    if (this.#response) return 'body';
    if (this.#connection?.hasReceivedData) return 'head';
    return this.#connection ? 'response' : (this.#pending?.stage ?? 'waiting');
  }

  #complete(response: ReceiverResponse): void {
    this.#settle(outcomeOfResponse(this.#completed(response), this.#phases(), Date.now));
  }

  #completed(response: ReceiverResponse): ReceiverResponse {
    if (this.#body) response.body = this.#body.bytes();
    return response;
  }

  #phases(): Phases {
    const now = performance.now();
    const totalMs = now - this.#beganAt;
    if (!this.#connection) return { ...this.#pending?.phasesUntil(now), totalMs };
    const firstByteMs = (this.#response ? this.#respondedAt : now) - this.#sentAt;
    return this.#pending ? { ...this.#pending.phases, firstByteMs, totalMs } : { firstByteMs, totalMs };
  }

  #settle(outcome: HttpOutcome): void {
    this.isSettled = true;
    this.#deadlines.remove(this);
    this.#resolve(outcome);
  }
}

const limit = 16 * 1024;

/** Stores the first 16 KiB of a response body. */
class ResponseBody {
  static readonly empty: Buffer = Buffer.alloc(0);
  #kept = ResponseBody.empty;
  #length = 0;

  /** Returns false when the body exceeds the limit. */
  add(chunk: Buffer): boolean {
    const remaining = limit - this.#length;
    const part = chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
    if (this.#length === 0) {
      // Usually a view of the socket buffer; copied if it would keep a large buffer alive.
      this.#kept = part.buffer.byteLength > 2 * limit ? Buffer.from(part) : part;
    } else {
      this.#grow(this.#length + part.length);
      this.#kept.set(part, this.#length);
    }
    this.#length += part.length;
    return part === chunk;
  }

  bytes(): Buffer {
    return this.#kept.length === this.#length ? this.#kept : this.#kept.subarray(0, this.#length);
  }

  // One growing buffer: a body sent byte by byte would otherwise be thousands of objects.
  #grow(needed: number): void {
    if (needed <= this.#kept.length) return;
    const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * this.#kept.length)));
    larger.set(this.#kept.subarray(0, this.#length));
    this.#kept = larger;
  }
}

/**
 * Serializes the request for a single write. Custom headers are checked when they are set, and the URL is ASCII after the
 * address guard, so nothing has to be escaped.
 */
export function serializeRequest(url: URL, headers: Readonly<Record<string, string>>, body: string): SerializedRequest {
  const bytes = Buffer.byteLength(body);
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
  head += `content-length: ${bytes}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  // latin1 is faster to write and equal to UTF-8 for ASCII.
  return { text: `${head}\r\n${body}`, encoding: bytes === body.length ? 'latin1' : 'utf8' };
}

/** All headers of a request, in the order of the message. An object would move numeric names to the front. */
export function serializedHeaders(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
): { name: string; value: string }[] {
  const { text } = serializeRequest(url, headers, body);
  const [, ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  return lines.map((line) => {
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon), value: line.slice(colon + 2) };
  });
}

interface SerializedRequest {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}
