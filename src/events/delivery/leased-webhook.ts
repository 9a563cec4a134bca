import { TokenBucket } from '../../values/token-bucket.ts';
import type { ConcurrencyCount } from './concurrency-limiter.ts';
import { type Cursor, type DueDelivery, type Lane, lanes, type ReadRequest } from './delivery-queue.ts';
import type { Health } from './health.ts';
import type { Lease } from './leases.ts';
import type { Target } from './target.ts';

// Interval of reads from the start of the lane: transactions that commit late add rows before the cursor.
const restartIntervalMs = 1000;

interface LaneState {
  claimed: Set<number>;
  /** Released since the current read began: its snapshot may be older and still contain them. */
  releasedDuringRead: Set<number>;
  isReading: boolean;
  cursor: Cursor | null;
  restartedAt: number;
  /** Whether the next read may return rows. */
  more: boolean;
}

/** A webhook leased by this worker: its health, claimed deliveries and cursor per lane. */
export class LeasedWebhook implements ConcurrencyCount {
  readonly webhookId: number;
  readonly partnerId: number;
  readonly token: number;
  health: Health;
  #revision: number | undefined;
  inFlight = 0;
  /** The longest time of a request. */
  longestRequestMs = 0;
  /** The receiver responded with 410. The webhook is being disabled, unless its settings have changed since. */
  isGone = false;
  lastUsedAt: number;
  /** End of the lease, by the monotonic clock of this process. */
  leasedUntil = 0;
  /** The last probe of the half-open breaker was a retry or a replay. */
  #wasLastProbeRepeated = false;
  /** Was ordered at some time during the lease. */
  #isOrdered: boolean;
  #maxPerSecond: number | null = null;
  #rate: TokenBucket | undefined;
  readonly #lanes: LaneState[];

  constructor({ webhookId, partnerId, token, health, maxPerSecond, ordered }: Lease, now: number) {
    this.webhookId = webhookId;
    this.partnerId = partnerId;
    this.token = token;
    this.health = health;
    this.lastUsedAt = now;
    this.#isOrdered = ordered;
    this.#limitRate(maxPerSecond, now);
    this.#lanes = Object.values(lanes).map(() => ({
      claimed: new Set(),
      releasedDuringRead: new Set(),
      isReading: false,
      cursor: null,
      restartedAt: now,
      more: true,
    }));
  }

  /** Adopts the target's health if the webhook was changed, for example re-enabled. */
  refresh({
    revision,
    health,
    maxPerSecond,
    ordered,
  }: Pick<Target, 'revision' | 'health' | 'maxPerSecond' | 'ordered'>): void {
    // On the first call the lease's health is newer than that of a cached target.
    if (this.#revision !== undefined && this.#revision !== revision) {
      this.health = health;
      this.isGone = false;
    }
    this.#revision = revision;
    this.#isOrdered ||= ordered;
    this.#limitRate(maxPerSecond, performance.now());
  }

  /** `revision`: of the settings with which the receiver responded with 410. */
  markGone(revision: number): void {
    if (revision === this.#revision) this.isGone = true;
  }

  get claimed(): number {
    return this.#lanes.reduce((sum, { claimed }) => sum + claimed.size, 0);
  }

  get isFailing(): boolean {
    return this.health.consecutiveFailures > 0;
  }

  /** Whether the breaker allows deliveries of this lane. */
  admits(lane: Lane, now: Date): boolean {
    return lane === lanes.requested || !this.isPaused(now);
  }

  isPaused(now: Date): boolean {
    const { openUntil } = this.health;
    return openUntil !== null && openUntil > now;
  }

  /** Deliveries wait that were recorded while the webhook was ordered. */
  serveOrdered(): void {
    this.#isOrdered = true;
  }

  expectMore(lane: Lane): void {
    this.#state(lane).more = true;
  }

  mayHaveMore(lane: Lane): boolean {
    return this.#state(lane).more && (lane !== lanes.ordered || this.#isOrdered);
  }

  /** How many more deliveries of this lane can be claimed. */
  capacity(lane: Lane, windowDivisor: number, now = performance.now()): number {
    const ofWindow = Math.max(1, Math.floor(this.health.window / windowDivisor)) - this.#state(lane).claimed.size;
    return Math.max(0, Math.min(ofWindow, this.#probesLeft(lane), this.#tokens(now)));
  }

  /** Time until the rate limit of the webhook allows the next delivery. */
  rateWaitMs(now: number): number {
    return this.#rate?.waitMs(now) ?? 0;
  }

  #tokens(now: number): number {
    return this.#rate?.available(now) ?? Number.POSITIVE_INFINITY;
  }

  #limitRate(maxPerSecond: number | null, now: number): void {
    if (maxPerSecond === this.#maxPerSecond) return;
    this.#maxPerSecond = maxPerSecond;
    if (maxPerSecond === null) {
      this.#rate = undefined;
      return;
    }
    // At most a tenth of a second's deliveries at once.
    const requests = Math.max(1, maxPerSecond / 10);
    this.#rate = new TokenBucket({ requests, perSeconds: requests / maxPerSecond }, now);
  }

  /**
   * A half-open breaker allows one probe over all lanes. After a retry or a replay, a first attempt is next if one may be
   * waiting: otherwise an event that always fails could be every probe and keep the breaker open.
   */
  #probesLeft(lane: Lane): number {
    if (this.health.trips === 0 || lane === lanes.requested) return Number.POSITIVE_INFINITY;
    const mayHaveFirst = this.mayHaveMore(lanes.first) || this.mayHaveMore(lanes.ordered);
    const isReserved = this.#wasLastProbeRepeated && mayHaveFirst && !isFirstAttempt(lane);
    return this.claimed === 0 && !isReserved ? 1 : 0;
  }

  nextRead(lane: Lane, limit: number, now: number): ReadRequest {
    const state = this.#state(lane);
    state.isReading = true;
    state.releasedDuringRead.clear();
    if (state.claimed.size === 0 || now - state.restartedAt > restartIntervalMs) {
      state.cursor = null;
      state.restartedAt = now;
    }
    // After a cursor there are hardly any: `claim` skips them.
    const claimed = state.cursor ? [] : [...state.claimed];
    return { webhookId: this.webhookId, after: state.cursor, limit, claimed };
  }

  /** Claims and returns the rows that are not claimed yet; of a half-open breaker only one, if no other lane has one. */
  claim(lane: Lane, asked: number, found: readonly DueDelivery[], now: number): DueDelivery[] {
    const state = this.#state(lane);
    state.isReading = false;
    // Checked over all lanes: a retry requested by a user changes the lane, possibly while the delivery is in flight.
    const free = found.filter(({ eventId }) => !this.#isClaimed(eventId) && !state.releasedDuringRead.has(eventId));
    const fresh = free.slice(0, Math.min(this.#probesLeft(lane), this.#tokens(now)));
    this.#rate?.take(fresh.length);
    for (const { eventId } of fresh) state.claimed.add(eventId);
    const isSkipped = fresh.length < free.length;
    state.more = isSkipped || found.length >= asked;
    // At the end of the lane, start over: transactions that commit late add rows before the cursor. `OrderedQueue` has
    // positions of its own.
    state.cursor = state.more && !isSkipped && lane !== lanes.ordered ? (found.at(-1) ?? null) : null;
    if (fresh.length > 0) {
      this.lastUsedAt = now;
      if (lane !== lanes.requested) this.#wasLastProbeRepeated = !isFirstAttempt(lane);
    }
    return fresh;
  }

  release(lane: Lane, eventId: number): void {
    this.#state(lane).claimed.delete(eventId);
    for (const state of this.#lanes) if (state.isReading) state.releasedDuringRead.add(eventId);
  }

  #isClaimed(eventId: number): boolean {
    return this.#lanes.some(({ claimed }) => claimed.has(eventId));
  }

  #state(lane: Lane): LaneState {
    return this.#lanes[lane] as LaneState;
  }
}

const isFirstAttempt = (lane: Lane) => lane === lanes.first || lane === lanes.ordered;
