import { LinkedQueue, type QueueNode } from './linked-queue.ts';

export interface Expiring<T> extends QueueNode<T> {
  expiresAt: number;
  expire(): void;
}

const resolutionMs = 20;

/**
 * One timer for all exchanges. They have the same timeout, so they expire in the order in which they were added and only
 * the oldest needs a timer.
 */
export class Deadlines<T extends Expiring<T>> {
  readonly afterMs: number;
  readonly #queue = new LinkedQueue<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number) {
    this.afterMs = afterMs;
  }

  add(exchange: T, now: number): void {
    exchange.expiresAt = now + this.afterMs;
    this.#queue.push(exchange);
    if (this.#timer === undefined) this.#wakeIn(this.afterMs);
  }

  remove(exchange: T): void {
    this.#queue.remove(exchange);
  }

  expireAll(): void {
    for (let oldest = this.#queue.first; oldest; oldest = this.#queue.first) {
      this.#queue.remove(oldest);
      oldest.expire();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wakeIn(milliseconds: number): void {
    // After a stall of this process a response may be unread in the socket: let I/O run first.
    const wake = () => setImmediate(() => this.#sweep());
    this.#timer = setTimeout(wake, Math.max(milliseconds, resolutionMs)).unref();
  }

  #sweep(): void {
    const now = performance.now();
    for (let oldest = this.#queue.first; oldest; oldest = this.#queue.first) {
      if (oldest.expiresAt > now) {
        this.#wakeIn(oldest.expiresAt - now);
        return;
      }
      this.#queue.remove(oldest);
      oldest.expire();
    }
    this.#timer = undefined;
  }
}
