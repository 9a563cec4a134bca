import type { Socket } from 'node:net';
import { type buildConnector, Client } from 'undici';
import type { Exchange } from './exchange.ts';
import type { InLine } from './line.ts';
import type { OriginPool } from './origin-pool.ts';
import { passOverContinue } from './unasked-continue.ts';

const idleMs = 30_000;
// Long enough to pay for its handshake, short enough to follow a change in DNS.
const lifetimeMs = 5 * 60_000;
// A receiver that announces when it will close is believed, less this much for the way.
const announcedLessMs = 1000;
const maxHeaderBytes = 16 * 1024;

/** One open connection to a receiver. It is never reopened: every new one goes through the guard. */
export class Connection implements InLine<Connection> {
  before: Connection | undefined;
  behind: Connection | undefined;
  isIdle = false;
  readonly #pool: OriginPool;
  readonly #socket: Socket;
  readonly #client: Client;
  readonly #retiresAt = performance.now() + lifetimeMs;
  #exchange: Exchange | undefined;
  #exchanges = 0;
  #isClosed = false;

  constructor(pool: OriginPool, socket: Socket) {
    this.#pool = pool;
    this.#socket = socket;
    passOverContinue(socket, () => this.#exchange?.awaitsAnswer === true);
    this.#client = new Client(pool.origin, {
      connect: handOverOnce(socket),
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      keepAliveTimeoutThreshold: announcedLessMs,
      maxHeaderSize: maxHeaderBytes,
    });
    this.#client.on('disconnect', () => {
      // An exchange under way hears of it from undici, and decides itself.
      if (this.#exchange?.isSettled) this.discard();
    });
  }

  get isReused(): boolean {
    return this.#exchanges > 1;
  }

  /** Whether it may carry another exchange. */
  get isFit(): boolean {
    return !this.#socket.destroyed && performance.now() < this.#retiresAt;
  }

  carry(exchange: Exchange): void {
    this.#exchanges += 1;
    this.#exchange = exchange;
    this.#client.dispatch(exchange.request, exchange);
  }

  discard(): void {
    this.#pool.discard(this);
  }

  /** False when it was closed before. */
  close(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.#client.destroy(null, () => {});
    // undici knows the socket only from the first exchange on.
    this.#socket.destroy();
    return true;
  }
}

function handOverOnce(socket: Socket): buildConnector.connector {
  let isHandedOver = false;
  return (_options, callback) => {
    const isAgain = isHandedOver;
    isHandedOver = true;
    // Not at once: undici looks for work only after its connector has returned.
    queueMicrotask(() => {
      if (isAgain) callback(Object.assign(new Error('The connection has closed.'), { code: 'ECONNRESET' }), null);
      else callback(null, socket);
    });
  };
}
