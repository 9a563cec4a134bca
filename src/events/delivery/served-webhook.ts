import type { Health } from './breaker.ts';
import type { Ask, DueDelivery, Place } from './due-deliveries.ts';
import type { Places } from './gate.ts';
import { type Lane, lanes } from './lanes.ts';
import type { Lease } from './leases.ts';
import type { Target } from './target.ts';

// In a long queue too, rows of transactions that committed late can stand before the place reached.
const freshLookMs = 1000;

interface Progress {
  inHand: Set<number>;
  /** Put down since the present look began: its snapshot may be older, and show them as waiting still. */
  putDown: Set<number>;
  isLooking: boolean;
  reached: Place | null;
  lookedAfreshAt: number;
  /** Whether the next look may find something. */
  more: boolean;
}

/** A webhook under this worker's lease: how it stands, what is in hand of each lane, and how far it has been read. */
export class ServedWebhook implements Places {
  readonly webhookId: number;
  readonly token: number;
  standing: Health;
  #revision: number | undefined;
  underWay = 0;
  /** It has answered 410 and is being switched off. */
  isGone = false;
  lastUsedAt: number;
  readonly #lanes: Progress[];

  constructor({ webhookId, token, standing }: Lease, now: number) {
    this.webhookId = webhookId;
    this.token = token;
    this.standing = standing;
    this.lastUsedAt = now;
    this.#lanes = Object.values(lanes).map(() => ({
      inHand: new Set(),
      putDown: new Set(),
      isLooking: false,
      reached: null,
      lookedAfreshAt: now,
      more: true,
    }));
  }

  /** Somebody has changed the webhook; switching it on again, for one, gives it a new standing. */
  learn({ revision, standing }: Pick<Target, 'revision' | 'standing'>): void {
    // What the lease said is newer than a target that is remembered from an earlier lease.
    if (this.#revision !== undefined && this.#revision !== revision) {
      this.standing = standing;
      this.isGone = false;
    }
    this.#revision = revision;
  }

  get inHand(): number {
    return this.#lanes.reduce((sum, { inHand }) => sum + inHand.size, 0);
  }

  get isFailing(): boolean {
    return this.standing.consecutiveFailures > 0;
  }

  /** Whether its breaker lets deliveries of a lane through. */
  admits(lane: Lane, now: Date): boolean {
    return lane === lanes.requested || !this.isPaused(now);
  }

  isPaused(now: Date): boolean {
    const { openUntil } = this.standing;
    return openUntil !== null && openUntil > now;
  }

  expectMore(lane: Lane): void {
    this.#progress(lane).more = true;
  }

  mayHaveMore(lane: Lane): boolean {
    return this.#progress(lane).more;
  }

  /** How many more deliveries of a lane may be taken in hand now. */
  room(lane: Lane, windowShare: number): number {
    const { window, trips } = this.standing;
    // A breaker that is trying whether the destination is back sends one probe, whatever the lane.
    if (trips > 0 && lane !== lanes.requested) return this.inHand === 0 ? 1 : 0;
    return Math.max(0, Math.max(1, Math.floor(window / windowShare)) - this.#progress(lane).inHand.size);
  }

  ask(lane: Lane, limit: number, now: number): Ask {
    const progress = this.#progress(lane);
    progress.isLooking = true;
    progress.putDown.clear();
    if (progress.inHand.size === 0 || now - progress.lookedAfreshAt > freshLookMs) {
      progress.reached = null;
      progress.lookedAfreshAt = now;
    }
    // A fresh look passes what is in hand already.
    const passed = progress.reached ? 0 : progress.inHand.size;
    return { webhookId: this.webhookId, after: progress.reached, limit: limit + passed };
  }

  /** Takes in hand what a look has found and is not in hand yet. */
  take(lane: Lane, asked: number, found: readonly DueDelivery[], now: number): DueDelivery[] {
    const progress = this.#progress(lane);
    progress.isLooking = false;
    // A delivery that a user asks for changes its lane, maybe while it is being sent.
    const fresh = found.filter(({ eventId }) => !this.#isInHand(eventId) && !progress.putDown.has(eventId));
    for (const { eventId } of fresh) progress.inHand.add(eventId);
    progress.more = found.length >= asked;
    // Whoever has come to the end begins anew: rows of transactions that commit late stand before it.
    progress.reached = progress.more ? (found.at(-1) ?? null) : null;
    if (fresh.length > 0) this.lastUsedAt = now;
    return fresh;
  }

  putDown(lane: Lane, eventId: number): void {
    this.#progress(lane).inHand.delete(eventId);
    for (const progress of this.#lanes) if (progress.isLooking) progress.putDown.add(eventId);
  }

  #isInHand(eventId: number): boolean {
    return this.#lanes.some(({ inHand }) => inHand.has(eventId));
  }

  #progress(lane: Lane): Progress {
    return this.#lanes[lane] as Progress;
  }
}
