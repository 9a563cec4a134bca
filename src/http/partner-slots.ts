import { Problem } from '../problems.ts';

interface SlotLimits {
  perPartner: number;
  total: number;
  /** What takes the slots, for the error message. */
  what: string;
  retryAfterSeconds: number;
}

/** Limits slow requests in progress, so that those of one partner do not delay the rest of the API. */
export class PartnerSlots {
  readonly #limits: SlotLimits;
  readonly #running: number[] = [];

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  async run<T>(partnerId: number, work: () => Promise<T>): Promise<T> {
    const { perPartner, total, what, retryAfterSeconds } = this.#limits;
    const own = this.#running.filter((id) => id === partnerId).length;
    if (own >= perPartner || this.#running.length >= total) {
      const message = `Too many ${what} are in progress. Try again when they have finished.`;
      throw new Problem('QUOTA_LIMIT_EXCEED', { message, retryAfterSeconds });
    }
    this.#running.push(partnerId);
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(partnerId), 1);
    }
  }
}
