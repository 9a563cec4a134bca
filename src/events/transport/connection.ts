import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';
import type { QueueNode } from './linked-queue.ts';
import type { OriginPool } from './origin-pool.ts';
import { ResponseReader } from './response-reader.ts';

const idleMs = 30_000;
// Long enough to amortize the handshake, short enough to follow DNS changes.
const lifetimeMs = 5 * 60_000;
// Stop using a connection this long before the announced keep-alive time ends.
const keepAliveMarginMs = 1000;

/** One open connection to a receiver, one exchange at a time. Never reopened: each new connection passes the address guard. */
export class Connection implements QueueNode<Connection> {
  previous: Connection | undefined;
  next: Connection | undefined;
  isIdle = false;
  readonly #pool: OriginPool;
  readonly #socket: Socket;
  readonly #reader = new ResponseReader();
  readonly #retiresAt = performance.now() + lifetimeMs;
  #exchange: Exchange | undefined;
  #exchanges = 0;
  #hasReceivedData = false;
  #isClosed = false;
  /** End of the idle time or of the receiver's keep-alive time. */
  #closesAt = Number.POSITIVE_INFINITY;

  constructor(pool: OriginPool, socket: Socket) {
    this.#pool = pool;
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#hasReceivedData = true;
      // Unsolicited data: the connection is out of sync.
      if (this.#reader.isIdle) this.discard();
      else this.#reader.read(bytes);
    });
    socket.on('end', () => {
      if (!this.#reader.end()) this.#broken();
    });
    socket.on('error', (error) => this.#broken(error));
    socket.on('close', () => this.#broken());
  }

  get isReused(): boolean {
    return this.#exchanges > 1;
  }

  /** Whether any bytes of the current response have arrived. */
  get hasReceivedData(): boolean {
    return this.#hasReceivedData;
  }

  get isUsable(): boolean {
    const now = performance.now();
    return !this.#socket.destroyed && now < this.#closesAt && now < this.#retiresAt;
  }

  send(exchange: Exchange): void {
    this.#exchanges += 1;
    this.#exchange = exchange;
    this.#hasReceivedData = false;
    this.#reader.begin(exchange);
    const { text, encoding } = exchange.request;
    this.#socket.write(text, encoding);
  }

  /** Ends the exchange. The connection is kept if the receiver allows it and the request was written completely. */
  release(keepAliveMs: number): void {
    this.#exchange = undefined;
    if (keepAliveMs <= keepAliveMarginMs || this.#socket.writableLength > 0) {
      this.discard();
      return;
    }
    this.#closesAt = performance.now() + Math.min(idleMs, keepAliveMs - keepAliveMarginMs);
    this.#pool.release(this);
  }

  discard(): void {
    this.#pool.discard(this);
  }

  /** Returns false if it was already closed. */
  close(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.#reader.stop();
    this.#socket.destroy();
    return true;
  }

  #broken(error?: NodeJS.ErrnoException): void {
    if (this.#isClosed) return;
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (exchange) exchange.connectionLost(error);
    else this.discard();
  }
}
