import type { Ask, DueDelivery } from './due-deliveries.ts';
import { type Lane, lanes } from './lanes.ts';
import type { Lease } from './leases.ts';
import { initialWindow } from './send-window.ts';

// Rows of transactions that committed late can appear behind the place reached; a fresh look finds them.
const freshLookMs = 1000;

interface Progress {
  inHand: Set<number>;
  reached: { dueAt: Date; eventId: number } | null;
  lookedAfreshAt: number;
  /** Whether the next look may find something. */
  more: boolean;
}

/** A webhook under this worker's lease: what is in hand of each lane, and how far it has been read. */
export class ServedWebhook {
  readonly webhookId: number;
  readonly token: number;
  window = initialWindow;
  consecutiveFailures = 0;
  trips = 0;
  lastUsedAt: number;
  readonly #lanes: Progress[];

  constructor({ webhookId, token }: Lease, now: number) {
    this.webhookId = webhookId;
    this.token = token;
    this.lastUsedAt = now;
    this.#lanes = Object.values(lanes).map(() => ({
      inHand: new Set(),
      reached: null,
      lookedAfreshAt: now,
      more: true,
    }));
  }

  get inHand(): number {
    return this.#lanes.reduce((sum, { inHand }) => sum + inHand.size, 0);
  }

  expectMore(lane: Lane): void {
    this.#progress(lane).more = true;
  }

  /** How many more deliveries of a lane may be taken in hand now. */
  room(lane: Lane, windowShare: number): number {
    const { more, inHand } = this.#progress(lane);
    return more ? Math.max(0, this.#width(windowShare) - inHand.size) : 0;
  }

  /** Whether a lane is kept from taking more in hand by its window alone. */
  isFull(lane: Lane, windowShare: number): boolean {
    const { more, inHand } = this.#progress(lane);
    return more && inHand.size >= this.#width(windowShare);
  }

  ask(lane: Lane, limit: number, now: number): Ask {
    const progress = this.#progress(lane);
    if (progress.inHand.size === 0 || now - progress.lookedAfreshAt > freshLookMs) {
      progress.reached = null;
      progress.lookedAfreshAt = now;
    }
    // A fresh look passes what is in hand already.
    return {
      webhookId: this.webhookId,
      after: progress.reached,
      limit: progress.reached ? limit : limit + progress.inHand.size,
    };
  }

  /** Takes in hand what a look has found and is not in hand yet. */
  take(lane: Lane, asked: number, found: readonly DueDelivery[], now: number): DueDelivery[] {
    const progress = this.#progress(lane);
    const fresh = found.filter(({ eventId }) => !progress.inHand.has(eventId));
    for (const { eventId } of fresh) progress.inHand.add(eventId);
    const last = found.at(-1);
    if (last) {
      progress.reached = { dueAt: last.dueAt, eventId: last.eventId };
      this.window = last.window;
      this.consecutiveFailures = last.consecutiveFailures;
      this.trips = last.trips;
    }
    progress.more = found.length >= asked;
    if (fresh.length > 0) this.lastUsedAt = now;
    return fresh;
  }

  putDown(lane: Lane, eventId: number): void {
    this.#progress(lane).inHand.delete(eventId);
  }

  #width(windowShare: number): number {
    return this.trips > 0 ? 1 : Math.max(1, Math.floor(this.window / windowShare));
  }

  #progress(lane: Lane): Progress {
    return this.#lanes[lane] as Progress;
  }
}
