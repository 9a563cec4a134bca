import type { Logger } from 'pino';
import type { Sql } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import type { DeliveryMetrics } from '../../telemetry/delivery-metrics.ts';
import { type DueDelivery, readDueDeliveries } from './due-deliveries.ts';
import type { Lane } from './lanes.ts';
import type { ServedWebhook } from './served-webhook.ts';
import type { WebhookLeases } from './webhook-leases.ts';

/**
 * Looks of a busy lane are spaced, so that each finds a batch: wider when it has been read to its end, where sending goes
 * on meanwhile. An idle lane answers a wake-up at once.
 */
function breatherMs(found: number, isReadToTheEnd: boolean): number {
  if (found < 8) return 2;
  if (isReadToTheEnd && found >= 32 && found < 128) return 30;
  return found < 64 ? 15 : 0;
}
// The most webhooks that one look leases; the next ones come with the next look.
const mostLeasesAtOnce = 256;
const shortestBackOffMs = 50;
const longestBackOffMs = 2000;

export interface LaneReaderParts {
  sql: Sql;
  leases: WebhookLeases;
  lane: Lane;
  windowShare: number;
  pollMs: number;
  metrics: DeliveryMetrics;
  log: Logger;
  clock: DatabaseClock;
  /** How many more deliveries of this lane may be taken in hand. */
  free: () => number;
  /** How many more of destinations that fail. */
  freeForFailing: () => number;
  /** Answers how many were taken in hand; it puts down the others. */
  onDue: (served: ServedWebhook, due: readonly DueDelivery[]) => Promise<number>;
}

/** Reads one lane's due deliveries as long as there are any and there is room for them. */
export class LaneReader {
  readonly #parts: LaneReaderParts;
  /** There may be rows that nobody has seen yet. */
  #news = true;
  /** The last look left rows behind for want of room, and there is room now. */
  #room = false;
  #hungry = false;
  #soughtAt = Number.NEGATIVE_INFINITY;
  #rouse: (() => void) | undefined;
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
    this.#rouse?.();
    await this.#running;
  }

  /** There may be something new to read. */
  wake(): void {
    this.#news = true;
    this.#rouse?.();
  }

  /** Something was settled: where the last look had to leave rows behind, there may be room for them now. */
  madeRoom(): void {
    if (!this.#hungry) return;
    this.#room = true;
    this.#rouse?.();
  }

  async #run(): Promise<void> {
    let backOffMs = shortestBackOffMs;
    while (!this.#stopped) {
      try {
        const found = await this.#look();
        backOffMs = shortestBackOffMs;
        const breather = found > 0 ? breatherMs(found, this.#isReadToTheEnd()) : 0;
        if (breather > 0) await this.#rest(breather);
        if (found === 0) await this.#sleep(this.#parts.pollMs);
      } catch (error) {
        this.#parts.log.warn({ event: 'lane.not-read', lane: this.#parts.lane, backOffMs, err: error });
        await this.#rest(backOffMs);
        backOffMs = Math.min(longestBackOffMs, backOffMs * 2);
        this.#news = true;
      }
    }
  }

  #isReadToTheEnd(): boolean {
    const { lane, leases } = this.#parts;
    return ![...leases.served()].some((served) => served.mayHaveMore(lane));
  }

  async #look(): Promise<number> {
    const { lane, leases, metrics } = this.#parts;
    const began = performance.now();
    // A lane that is never idle must look for newcomers all the same.
    const news = this.#news || began - this.#soughtAt > this.#parts.pollMs;
    this.#news = false;
    this.#room = false;
    this.#hungry = false;
    if (news) for (const served of leases.served()) served.expectMore(lane);
    const [found] = await Promise.all([this.#read([...leases.served()]), news ? this.#seek() : undefined]);
    metrics.looked(lane, performance.now() - began, found);
    return found;
  }

  async #seek(): Promise<void> {
    const { lane, leases } = this.#parts;
    const limit = Math.min(mostLeasesAtOnce, this.#parts.free());
    if (limit <= 0) {
      this.#hungry = true;
      return;
    }
    this.#soughtAt = performance.now();
    const before = new Set(leases.served());
    await leases.seek({ lane, limit, failingToo: this.#parts.freeForFailing() > 0 });
    const leased = [...leases.served()].filter((served) => !before.has(served));
    if (leased.length === 0) return;
    // This was a share; what the other workers leave over is there to be found by the next look.
    this.#news = true;
    await this.#read(leased);
  }

  /** Asks every served webhook that may have something for its share of the room. */
  async #read(candidates: readonly ServedWebhook[]): Promise<number> {
    const { sql, lane, windowShare, leases } = this.#parts;
    const free = Math.floor(this.#parts.free());
    const freeForFailing = Math.min(free, this.#parts.freeForFailing());
    const clock = this.#parts.clock.now();
    const promising = candidates.filter(
      (served) => served.mayHaveMore(lane) && served.admits(lane, clock) && (freeForFailing > 0 || !served.isFailing),
    );
    if (promising.length > 0) this.#hungry = true;
    const open = promising.filter((served) => served.room(lane, windowShare) > 0);
    if (free <= 0 || open.length === 0) return 0;
    const failing = sample(
      open.filter((served) => served.isFailing),
      freeForFailing,
    );
    const chosen = sample([...open.filter((served) => !served.isFailing), ...failing], free);
    const share = Math.max(1, Math.floor(free / chosen.length));
    const failingShare = Math.max(1, Math.floor(freeForFailing / failing.length));
    const now = performance.now();
    const asks = chosen.map((served) =>
      served.ask(lane, Math.min(served.isFailing ? failingShare : share, served.room(lane, windowShare)), now),
    );
    const due = Map.groupBy(await readDueDeliveries(sql, lane, asks), ({ webhookId }) => webhookId);
    let found = 0;
    for (const [index, served] of chosen.entries()) {
      const fresh = served.take(lane, asks[index]?.limit ?? 0, due.get(served.webhookId) ?? [], now);
      if (fresh.length === 0) continue;
      const taken = leases.holds(served) ? await this.#handOver(served, fresh) : undefined;
      if (taken === undefined) for (const { eventId } of fresh) served.putDown(lane, eventId);
      found += taken ?? 0;
    }
    return found;
  }

  /** What cannot be taken in hand now stays in the queue; the webhooks behind it get their turn all the same. */
  async #handOver(served: ServedWebhook, due: readonly DueDelivery[]): Promise<number | undefined> {
    try {
      return await this.#parts.onDue(served, due);
    } catch (error) {
      this.#parts.log.warn({ event: 'webhook.not-served', webhookId: served.webhookId, err: error });
      return undefined;
    }
  }

  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Until somebody wakes this reader, at most so long; the poll makes up for wake-ups that were lost. */
  #sleep(milliseconds: number): Promise<void> {
    if (this.#news || this.#room || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#news = true;
        this.#rouse = undefined;
        resolve();
      }, milliseconds);
      this.#rouse = () => {
        clearTimeout(timer);
        this.#rouse = undefined;
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
