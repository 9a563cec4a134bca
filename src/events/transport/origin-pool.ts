import type { Socket } from 'node:net';
import type { ClientIdentity } from '../signing/webhook-credentials.ts';
import type { TargetPolicy } from './address-guard.ts';
import { dial } from './dial.ts';
import type { EgressProxy } from './egress-proxy.ts';
import type { Exchange } from './exchange.ts';
import { LinkedQueue, type QueueNode } from './linked-queue.ts';
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
  /** Whether any bytes of the current response have arrived. */
  hasReceivedData = false;
  readonly #pool: OriginPool;
  readonly #socket: Socket;
  readonly #reader = new ResponseReader();
  readonly #retiresAt = performance.now() + lifetimeMs;
  #exchange: Exchange | undefined;
  #exchanges = 0;
  #isClosed = false;
  /** End of the idle time or of the receiver's keep-alive time. */
  #closesAt = Number.POSITIVE_INFINITY;

  constructor(pool: OriginPool, socket: Socket) {
    this.#pool = pool;
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.hasReceivedData = true;
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

  get isUsable(): boolean {
    const now = performance.now();
    return !this.#socket.destroyed && now < this.#closesAt && now < this.#retiresAt;
  }

  send(exchange: Exchange): void {
    this.#exchanges += 1;
    this.#exchange = exchange;
    this.hasReceivedData = false;
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

const maxIdle = 512;
const sweepMs = 5000;

/** Idle connections of all hosts, least recently used first, with a common limit. */
export class IdleConnections {
  readonly #queue = new LinkedQueue<Connection>();
  #limit = maxIdle;
  #sweeping: NodeJS.Timeout | undefined;

  add(connection: Connection): void {
    this.#queue.push(connection);
    this.#enforceLimit();
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  remove(connection: Connection): void {
    this.#queue.remove(connection);
  }

  /** Closes all idle connections and keeps none from now on. */
  close(): void {
    this.#limit = 0;
    clearInterval(this.#sweeping);
    this.#enforceLimit();
  }

  #sweep(): void {
    while (this.#queue.first && !this.#queue.first.isUsable) this.#queue.first.discard();
  }

  #enforceLimit(): void {
    while (this.#queue.first && this.#queue.size > this.#limit) this.#queue.first.discard();
  }
}

export interface PoolOptions {
  readonly policy: TargetPolicy;
  readonly proxy: EgressProxy | undefined;
  readonly connectionsPerHost: number;
  readonly idle: IdleConnections;
  /** Called when a pool has no connections and no work left. */
  readonly removePool: (pool: OriginPool) => void;
}

/** Connections to one origin with one client certificate, or without, most recently used first, with a limit; waiting exchanges run in order. */
export class OriginPool {
  readonly key: string;
  readonly #url: URL;
  readonly #options: PoolOptions;
  readonly #identity: ClientIdentity | undefined;
  readonly #idle: Connection[] = [];
  readonly #waiting: Exchange[] = [];
  // Includes connections that are being opened.
  #open = 0;

  constructor(key: string, url: URL, options: PoolOptions, identity?: ClientIdentity) {
    this.key = key;
    this.#identity = identity;
    this.#url = url;
    this.#options = options;
  }

  submit(exchange: Exchange): void {
    exchange.begin();
    if (this.#waiting.length === 0 && this.#hasCapacity()) this.#start(exchange);
    else this.#waiting.push(exchange);
  }

  /** Returns a connection to the pool after a complete response. */
  release(connection: Connection): void {
    connection.isIdle = true;
    this.#idle.push(connection);
    this.#options.idle.add(connection);
    this.#startWaiting();
  }

  discard(connection: Connection): void {
    if (!this.#remove(connection)) return;
    this.#startWaiting();
    this.#removeIfUnused();
  }

  /** Sends the exchange again on a new connection instead of a dead one. */
  replace(dead: Connection, exchange: Exchange): void {
    this.#remove(dead);
    void this.#openFor(exchange);
  }

  #hasCapacity(): boolean {
    return this.#idle.length > 0 || this.#open < this.#options.connectionsPerHost;
  }

  #start(exchange: Exchange): void {
    const connection = this.#takeIdle();
    if (connection) exchange.sendOn(connection);
    else void this.#openFor(exchange);
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.at(-1); connection; connection = this.#idle.at(-1)) {
      if (!connection.isUsable) {
        this.#remove(connection);
        continue;
      }
      connection.isIdle = false;
      this.#idle.pop();
      this.#options.idle.remove(connection);
      return connection;
    }
    return undefined;
  }

  async #openFor(exchange: Exchange): Promise<void> {
    this.#open += 1;
    const { owner } = exchange;
    const { policy, proxy } = this.#options;
    const options = { owner, identity: this.#identity, proxy, alpn: 'http/1.1' } as const;
    const opened = await dial(this.#url, policy, exchange.startConnecting(), options);
    if ('reason' in opened) {
      this.#open -= 1;
      exchange.connectFailed(opened);
      this.#startWaiting();
      this.#removeIfUnused();
      return;
    }
    const connection = new Connection(this, opened);
    if (exchange.isFinished) this.discard(connection);
    else exchange.sendOn(connection);
  }

  #remove(connection: Connection): boolean {
    if (!connection.close()) return false;
    this.#open -= 1;
    if (connection.isIdle) {
      this.#idle.splice(this.#idle.lastIndexOf(connection), 1);
      this.#options.idle.remove(connection);
    }
    return true;
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#hasCapacity()) {
      const next = this.#waiting.shift();
      if (!next || next.isFinished) continue;
      // Those that were submitted together expire together: the next one must not be sent just before.
      if (performance.now() < next.expiresAt) this.#start(next);
      else next.expire();
    }
  }

  #removeIfUnused(): void {
    if (this.#open === 0) this.#options.removePool(this);
  }
}
