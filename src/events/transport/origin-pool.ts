import type { TargetPolicy } from './address-guard.ts';
import { Connection } from './connection.ts';
import { dial } from './dial.ts';
import type { Exchange } from './exchange.ts';
import type { IdleConnections } from './idle-connections.ts';

/** What all pools of a sender have in common. */
export interface PoolTerms {
  readonly policy: TargetPolicy;
  readonly connectionsPerHost: number;
  readonly idle: IdleConnections;
  /** Called when a pool has neither connections nor work left. */
  readonly forget: (pool: OriginPool) => void;
}

/** The connections to one origin: at most so many, the last used first; those who wait, in the order they came. */
export class OriginPool {
  readonly origin: string;
  readonly #url: URL;
  readonly #terms: PoolTerms;
  readonly #idle: Connection[] = [];
  readonly #waiting: Exchange[] = [];
  // Those being opened included.
  #open = 0;

  constructor(url: URL, terms: PoolTerms) {
    this.origin = url.origin;
    this.#url = url;
    this.#terms = terms;
  }

  carry(exchange: Exchange): void {
    if (this.#waiting.length === 0 && this.#hasRoom()) this.#start(exchange);
    else this.#waiting.push(exchange);
  }

  /** The answer is complete, and the connection free for the next. */
  release(connection: Connection): void {
    connection.isIdle = true;
    this.#idle.push(connection);
    this.#terms.idle.add(connection);
    this.#serveWaiting();
  }

  discard(connection: Connection): void {
    if (!this.#remove(connection)) return;
    this.#serveWaiting();
    this.#forgetIfUnused();
  }

  /** Sends once more, on a connection of its own in the place of one that turned out dead. */
  replace(dead: Connection, exchange: Exchange): void {
    this.#remove(dead);
    void this.#openFor(exchange);
  }

  #hasRoom(): boolean {
    return this.#idle.length > 0 || this.#open < this.#terms.connectionsPerHost;
  }

  #start(exchange: Exchange): void {
    exchange.begin();
    const connection = this.#takeIdle();
    if (connection) exchange.sendOn(connection);
    else void this.#openFor(exchange);
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.at(-1); connection; connection = this.#idle.at(-1)) {
      if (!connection.isFit) {
        this.#remove(connection);
        continue;
      }
      connection.isIdle = false;
      this.#idle.pop();
      this.#terms.idle.remove(connection);
      return connection;
    }
    return undefined;
  }

  async #openFor(exchange: Exchange): Promise<void> {
    this.#open += 1;
    const opened = await dial(this.#url, this.#terms.policy, exchange.awaitConnection(), exchange.owner);
    if ('reason' in opened) {
      this.#open -= 1;
      exchange.failToOpen(opened);
      this.#serveWaiting();
      this.#forgetIfUnused();
      return;
    }
    const connection = new Connection(this, opened);
    if (exchange.isOver) this.discard(connection);
    else exchange.sendOn(connection);
  }

  #remove(connection: Connection): boolean {
    if (!connection.close()) return false;
    this.#open -= 1;
    if (connection.isIdle) {
      this.#idle.splice(this.#idle.lastIndexOf(connection), 1);
      this.#terms.idle.remove(connection);
    }
    return true;
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      const next = this.#waiting.shift();
      if (next) this.#start(next);
    }
  }

  #forgetIfUnused(): void {
    if (this.#open === 0) this.#terms.forget(this);
  }
}
