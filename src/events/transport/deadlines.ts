import { type InLine, Line } from './line.ts';

export interface Expiring<T> extends InLine<T> {
  expiresAt: number;
  expire(): void;
}

// Deadlines that lie closer together than this are looked at together.
const graspMs = 20;

/**
 * One timer for any number of exchanges. All of them get the same time, so the order in which they came
 * is the order in which they expire, and only the oldest needs to be watched.
 */
export class Deadlines<T extends Expiring<T>> {
  readonly afterMs: number;
  readonly #line = new Line<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number) {
    this.afterMs = afterMs;
  }

  add(exchange: T, now: number): void {
    exchange.expiresAt = now + this.afterMs;
    this.#line.join(exchange);
    if (this.#timer === undefined) this.#wakeIn(this.afterMs);
  }

  remove(exchange: T): void {
    this.#line.leave(exchange);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wakeIn(milliseconds: number): void {
    // After a stall of this process an answer may lie unread in the socket: reading comes first.
    const wake = () => setImmediate(() => this.#sweep());
    this.#timer = setTimeout(wake, Math.max(milliseconds, graspMs)).unref();
  }

  #sweep(): void {
    const now = performance.now();
    for (let oldest = this.#line.first; oldest; oldest = this.#line.first) {
      if (oldest.expiresAt > now) {
        this.#wakeIn(oldest.expiresAt - now);
        return;
      }
      this.#line.leave(oldest);
      oldest.expire();
    }
    this.#timer = undefined;
  }
}
