import type { Connection } from './connection.ts';
import { Line } from './line.ts';

const usualLimit = 512;

/** Idle connections to all hosts together, the one unused longest first: thousands of hosts must not hold them all. */
export class IdleConnections {
  readonly #line = new Line<Connection>();
  #limit = usualLimit;

  add(connection: Connection): void {
    this.#line.join(connection);
    this.#keepToLimit();
  }

  remove(connection: Connection): void {
    this.#line.leave(connection);
  }

  /** From now on none is kept. */
  close(): void {
    this.#limit = 0;
    this.#keepToLimit();
  }

  #keepToLimit(): void {
    while (this.#line.first && this.#line.size > this.#limit) this.#line.first.discard();
  }
}
