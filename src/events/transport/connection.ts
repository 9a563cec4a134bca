import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import type { Exchange } from './exchange.ts';
import type { InLine } from './line.ts';
import type { OriginPool } from './origin-pool.ts';

const idleMs = 30_000;
// Long enough to pay for its handshake, short enough to follow a change in DNS.
const lifetimeMs = 5 * 60_000;
// A receiver that announces when it will close is believed, less this much for the way.
const announcedLessMs = 1000;

/** One open connection to a receiver, one exchange at a time. It is never reopened: every new one goes through the guard. */
export class Connection implements InLine<Connection> {
  before: Connection | undefined;
  behind: Connection | undefined;
  isIdle = false;
  readonly #pool: OriginPool;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  readonly #retiresAt = performance.now() + lifetimeMs;
  #exchange: Exchange | undefined;
  #exchanges = 0;
  #isHeard = false;
  #isClosed = false;
  /** When it has been idle for too long, or the receiver will close it. */
  #closesAt = Number.POSITIVE_INFINITY;

  constructor(pool: OriginPool, socket: Socket) {
    this.#pool = pool;
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#isHeard = true;
      // Nobody has asked: it does not know any more whose answer is whose.
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

  /** Whether anything has come back for the exchange under way. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Whether it may carry another exchange. */
  get isFit(): boolean {
    const now = performance.now();
    return !this.#socket.destroyed && now < this.#closesAt && now < this.#retiresAt;
  }

  carry(exchange: Exchange): void {
    this.#exchanges += 1;
    this.#exchange = exchange;
    this.#isHeard = false;
    this.#reader.begin(exchange);
    const { text, encoding } = exchange.request;
    this.#socket.write(text, encoding);
  }

  /** Its exchange is over. It stays open if the receiver keeps it, and has taken the whole request. */
  free(keptForMs: number): void {
    this.#exchange = undefined;
    if (keptForMs <= announcedLessMs || this.#socket.writableLength > 0) {
      this.discard();
      return;
    }
    this.#closesAt = performance.now() + Math.min(idleMs, keptForMs - announcedLessMs);
    this.#pool.release(this);
  }

  discard(): void {
    this.#pool.discard(this);
  }

  /** False when it was closed before. */
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
