import type { Connection } from './connection.ts';
import { Line } from './line.ts';

const usualLimit = 512;
const sweepMs = 5000;

/** Idle connections to all hosts together, the one unused longest first: thousands of hosts must not hold them all. */
export class IdleConnections {
  readonly #line = new Line<Connection>();
  #limit = usualLimit;
  #sweeping: NodeJS.Timeout | undefined;

  add(connection: Connection): void {
    this.#line.join(connection);
    this.#keepToLimit();
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  remove(connection: Connection): void {
    this.#line.leave(connection);
  }

  /** From now on none is kept. */
  close(): void {
    this.#limit = 0;
    clearInterval(this.#sweeping);
    this.#keepToLimit();
  }

  /** Closes those that have been idle for so long that they are not used again. */
  #sweep(): void {
    while (this.#line.first && !this.#line.first.isFit) this.#line.first.discard();
  }

  #keepToLimit(): void {
    while (this.#line.first && this.#line.size > this.#limit) this.#line.first.discard();
  }
}
