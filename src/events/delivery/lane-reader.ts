import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DatabaseClock } from '../../database/database-clock.ts';
import type { DeliveryMetrics } from '../../telemetry/metrics.ts';
import type { DueDelivery, Lane, ReadRequest } from './delivery-queue.ts';
import type { LeasedWebhook } from './leased-webhook.ts';
import type { WebhookLeases } from './webhook-leases.ts';

/**
 * Delay before the next poll of a busy lane, so that each poll finds a batch; longer when the lane is fully read and
 * requests are in flight anyway. An idle lane reacts to a wake-up without delay.
 */
function pollDelayMs(found: number, isFullyRead: boolean): number {
  if (found < 8) return 2;
  if (isFullyRead && found >= 32 && found < 128) return 30;
  return found < 64 ? 15 : 0;
}
const minRatePollMs = 20;
const maxLeasesPerPoll = 256;
const minBackOffMs = 50;
const maxBackOffMs = 2000;

interface LaneReaderParts {
  leases: WebhookLeases;
  lane: Lane;
  /** Reads due deliveries of this lane. */
  read: (requests: readonly ReadRequest[]) => Promise<DueDelivery[]>;
  windowDivisor: number;
  pollMs: number;
  metrics: DeliveryMetrics;
  log: Logger;
  clock: DatabaseClock;
  /** How many more deliveries of this lane can be claimed. */
  free: () => number;
  /** The same for destinations that are failing. */
  freeForFailing: () => number;
  /** The same for the webhooks of one partner. */
  freeForPartner: (partnerId: number) => number;
  /** Partners for whose webhooks it is not positive. */
  partnersAtLimit: () => readonly number[];
  /** Starts the deliveries. Those that do not fit yet are released. Returns the number of started deliveries. */
  onClaimed: (webhook: LeasedWebhook, due: readonly DueDelivery[]) => Promise<number>;
}

/** Reads due deliveries of one lane while there are any and capacity is available. */
export class LaneReader {
  readonly #parts: LaneReaderParts;
  #mayHaveNewRows = true;
  /** The last poll left rows unread for lack of capacity, and capacity is available now. */
  #hasCapacity = false;
  #isWaitingForCapacity = false;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #wakeUp: (() => void) | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(parts: LaneReaderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeUp?.();
    await this.#running;
  }

  /** New rows may have been recorded. */
  wake(): void {
    this.#mayHaveNewRows = true;
    this.#wakeUp?.();
  }

  /** Called after a settlement. Polls again if the last poll left rows unread for lack of capacity. */
  capacityAvailable(): void {
    if (!this.#isWaitingForCapacity) return;
    this.#hasCapacity = true;
    this.#wakeUp?.();
  }

  async #run(): Promise<void> {
    let backOffMs = minBackOffMs;
    while (!this.#stopped) {
      try {
        const found = await this.#poll();
        backOffMs = minBackOffMs;
        const delay = found > 0 ? pollDelayMs(found, this.#isFullyRead()) : 0;
        if (delay > 0) await pause(delay);
        if (found === 0) await this.#sleep(this.#parts.pollMs, this.#rateWaitMs());
      } catch (error) {
        this.#parts.log.warn({ event: 'lane.not-read', lane: this.#parts.lane, backOffMs, err: error });
        await pause(backOffMs);
        backOffMs = Math.min(maxBackOffMs, backOffMs * 2);
        this.#mayHaveNewRows = true;
      }
    }
  }

  #isFullyRead(): boolean {
    const { lane, leases } = this.#parts;
    return ![...leases.webhooks()].some((webhook) => webhook.mayHaveMore(lane));
  }

  /** Time until the rate limit of a webhook with unread rows allows the next delivery. */
  #rateWaitMs(): number {
    const { lane, leases } = this.#parts;
    const now = performance.now();
    const waits = [...leases.webhooks()].map((webhook) => (webhook.mayHaveMore(lane) ? webhook.rateWaitMs(now) : 0));
    return Math.min(...waits.filter((wait) => wait > 0).map((wait) => Math.max(wait, minRatePollMs)));
  }

  async #poll(): Promise<number> {
    const { lane, leases, metrics } = this.#parts;
    const began = performance.now();
    // A lane that is never idle must still look for webhooks without a lease.
    const mayHaveNewRows = this.#mayHaveNewRows || began - this.#leasedAt > this.#parts.pollMs;
    this.#mayHaveNewRows = false;
    this.#hasCapacity = false;
    this.#isWaitingForCapacity = false;
    if (mayHaveNewRows) for (const webhook of leases.webhooks()) webhook.expectMore(lane);
    const [found] = await Promise.all([
      this.#read([...leases.webhooks()]),
      mayHaveNewRows ? this.#leaseMore() : undefined,
    ]);
    metrics.recordClaim(lane, performance.now() - began, found);
    return found;
  }

  async #leaseMore(): Promise<void> {
    const { lane, leases } = this.#parts;
    const limit = Math.min(maxLeasesPerPoll, this.#parts.free());
    if (limit <= 0) {
      this.#isWaitingForCapacity = true;
      return;
    }
    this.#leasedAt = performance.now();
    const before = new Set(leases.webhooks());
    const exceptPartners = this.#parts.partnersAtLimit();
    if (exceptPartners.length > 0) this.#isWaitingForCapacity = true;
    await leases.leaseDue({ lane, limit, includeFailing: this.#parts.freeForFailing() > 0, exceptPartners });
    const newlyLeased = [...leases.webhooks()].filter((webhook) => !before.has(webhook));
    if (newlyLeased.length === 0) return;
    // Only a share was leased: poll again for webhooks that the other workers did not lease.
    this.#mayHaveNewRows = true;
    await this.#read(newlyLeased);
  }

  /** Divides the free capacity among the webhooks that may have due deliveries, and reads their rows. */
  async #read(candidates: readonly LeasedWebhook[]): Promise<number> {
    const { lane, windowDivisor, leases } = this.#parts;
    const free = Math.floor(this.#parts.free());
    const freeForFailing = Math.min(free, this.#parts.freeForFailing());
    const clock = this.#parts.clock.now();
    const promising = candidates.filter(
      (webhook) =>
        webhook.mayHaveMore(lane) && webhook.admits(lane, clock) && (freeForFailing > 0 || !webhook.isFailing),
    );
    if (promising.length > 0) this.#isWaitingForCapacity = true;
    const now = performance.now();
    const withCapacity = promising.filter((webhook) => webhook.capacity(lane, windowDivisor, now) > 0);
    const open: LeasedWebhook[] = [];
    const partnerShares = new Map<number, number>();
    for (const [partnerId, webhooks] of Map.groupBy(withCapacity, (webhook) => webhook.partnerId)) {
      const freeForPartner = this.#parts.freeForPartner(partnerId);
      const ofPartner = sample(webhooks, freeForPartner);
      partnerShares.set(partnerId, Math.floor(freeForPartner / ofPartner.length));
      open.push(...ofPartner);
    }
    if (free <= 0 || open.length === 0) return 0;
    const failing = sample(
      open.filter((webhook) => webhook.isFailing),
      freeForFailing,
    );
    const chosen = sample([...open.filter((webhook) => !webhook.isFailing), ...failing], free);
    const share = Math.max(1, Math.floor(free / chosen.length));
    const failingShare = Math.max(1, Math.floor(freeForFailing / failing.length));
    const requests = chosen.map((webhook) =>
      webhook.nextRead(
        lane,
        Math.min(
          webhook.isFailing ? failingShare : share,
          partnerShares.get(webhook.partnerId) ?? 1,
          webhook.capacity(lane, windowDivisor, now),
        ),
        now,
      ),
    );
    const due = Map.groupBy(await this.#parts.read(requests), ({ webhookId }) => webhookId);
    let found = 0;
    for (const [index, webhook] of chosen.entries()) {
      const fresh = webhook.claim(lane, requests[index]?.limit ?? 0, due.get(webhook.webhookId) ?? [], now);
      if (fresh.length === 0) continue;
      const started = leases.holds(webhook) ? await this.#dispatch(webhook, fresh) : undefined;
      if (started === undefined) for (const { eventId } of fresh) webhook.release(lane, eventId);
      found += started ?? 0;
    }
    return found;
  }

  /** After an error the deliveries stay in the queue, and the other webhooks are still processed. */
  async #dispatch(webhook: LeasedWebhook, due: readonly DueDelivery[]): Promise<number | undefined> {
    try {
      return await this.#parts.onClaimed(webhook, due);
    } catch (error) {
      this.#parts.log.warn({ event: 'webhook.not-served', webhookId: webhook.webhookId, err: error });
      return undefined;
    }
  }

  /** Waits for a wake-up, or for the rate limit of a webhook, at most this long: the poll covers lost notifications. */
  #sleep(milliseconds: number, rateWaitMs: number): Promise<void> {
    if (this.#mayHaveNewRows || this.#hasCapacity || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          if (milliseconds <= rateWaitMs) this.#mayHaveNewRows = true;
          this.#wakeUp = undefined;
          resolve();
        },
        Math.min(milliseconds, rateWaitMs),
      );
      this.#wakeUp = () => {
        clearTimeout(timer);
        this.#wakeUp = undefined;
        resolve();
      };
    });
  }
}

function sample<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  const start = Math.floor(Math.random() * items.length);
  return Array.from({ length: count }, (_, n) => items[(start + n) % items.length] as T);
}
