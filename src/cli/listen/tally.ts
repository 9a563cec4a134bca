import type { Arrival } from './local-receiver.ts';

/** Counts what has come, for the last line. */
export class Tally {
  #verified = 0;
  #unverified = 0;
  #failed = 0;

  count({ verified, status }: Arrival): void {
    if (!verified) this.#unverified += 1;
    else this.#verified += 1;
    if (verified && status >= 300) this.#failed += 1;
  }

  summary(): string {
    const parts = [`${this.#verified} verified`];
    if (this.#failed > 0) parts.push(`${this.#failed} of them answered with an error`);
    if (this.#unverified > 0) parts.push(`${this.#unverified} not verified`);
    return `${this.#verified + this.#unverified} deliveries received: ${parts.join(', ')}.`;
  }
}
