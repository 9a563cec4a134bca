import type { Connection } from './connection.ts';
import { LinkedQueue } from './linked-queue.ts';

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
