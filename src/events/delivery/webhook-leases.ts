import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import type { Lane } from './lanes.ts';
import { endLeases, endLeasesOfTheDead, leaseWaitingWebhooks, renewLeases, signOn } from './leases.ts';
import { ServedWebhook } from './served-webhook.ts';

// A webhook that has had nothing to send for this long is left to whoever comes first.
const idleMs = 2000;
const upkeepMs = 1000;

/** The webhooks that this worker serves, and the upkeep that keeps them its own. */
export class WebhookLeases {
  readonly #database: Database;
  readonly #leaseSeconds: number;
  readonly #log: Logger;
  readonly #clock: DatabaseClock;
  readonly #served = new Map<number, ServedWebhook>();
  readonly #heldUntil = new Map<number, number>();
  #session: { id: number; connection: pg.PoolClient } | undefined;
  #signingOn: Promise<number> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #upkeep: Promise<void> = Promise.resolve();

  constructor(parts: { database: Database; leaseSeconds: number; log: Logger; clock: DatabaseClock }) {
    this.#database = parts.database;
    this.#leaseSeconds = parts.leaseSeconds;
    this.#log = parts.log;
    this.#clock = parts.clock;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#upkeep = this.#upkeep.then(() => this.#keep());
    }, upkeepMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#upkeep;
    const served = [...this.#served.values()];
    this.#served.clear();
    if (served.length > 0) await this.#end(served);
    const session = this.#session;
    this.#session = undefined;
    session?.connection.release(true);
  }

  served(): Iterable<ServedWebhook> {
    return this.#served.values();
  }

  get(webhookId: number): ServedWebhook | undefined {
    return this.#served.get(webhookId);
  }

  /** Whether the lease surely outlives this moment, by this process's own clock. */
  holds(served: ServedWebhook): boolean {
    return this.#served.get(served.webhookId) === served && this.#until(served) > performance.now();
  }

  /** A settlement has shown that the webhook is somebody else's by now, or should be. */
  async lose(served: ServedWebhook): Promise<void> {
    if (this.#served.get(served.webhookId) !== served) return;
    this.#forget(served);
    await this.#end([served]);
  }

  /** Leases webhooks with due deliveries that nobody serves. */
  async seek(request: { lane: Lane; limit: number; failingToo: boolean }): Promise<void> {
    const workerId = await this.#workerId();
    const now = performance.now();
    const leaseSeconds = this.#leaseSeconds;
    const leases = await leaseWaitingWebhooks(this.#database.pool, { ...request, workerId, leaseSeconds });
    for (const lease of leases) {
      this.#served.set(lease.webhookId, new ServedWebhook(lease, now));
      this.#heldUntil.set(lease.token, now + leaseSeconds * 1000);
    }
  }

  #until(served: ServedWebhook): number {
    return this.#heldUntil.get(served.token) ?? 0;
  }

  async #keep(): Promise<void> {
    try {
      await this.#workerId();
      await this.#clock.read(this.#database.pool);
      await this.#renew();
      await this.#giveUpIdle();
      const ended = await endLeasesOfTheDead(this.#database.pool);
      if (ended > 0) this.#log.info({ event: 'leases.inherited', leases: ended });
    } catch (error) {
      this.#log.warn({ event: 'leases.not-kept', err: error });
    }
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const due = now + (this.#leaseSeconds * 1000 * 2) / 3;
    const old = [...this.#served.values()].filter((served) => this.#until(served) < due);
    if (old.length === 0) return;
    const renewed = await renewLeases(
      this.#database.pool,
      old.map(({ token }) => token),
      this.#leaseSeconds,
    );
    for (const served of old) {
      if (renewed.has(served.token)) this.#heldUntil.set(served.token, now + this.#leaseSeconds * 1000);
      else this.#forget(served);
    }
  }

  async #giveUpIdle(): Promise<void> {
    const now = performance.now();
    const clock = this.#clock.now();
    // A paused webhook is read anew when it is leased again: a user may have resumed it by then.
    const idle = [...this.#served.values()].filter(
      (served) => served.inHand === 0 && (now - served.lastUsedAt > idleMs || served.isPaused(clock)),
    );
    if (idle.length === 0) return;
    for (const served of idle) this.#forget(served);
    await this.#end(idle);
  }

  async #end(served: readonly ServedWebhook[]): Promise<void> {
    const tokens = served.map(({ token }) => token);
    await endLeases(this.#database.pool, tokens).catch((error) =>
      this.#log.warn({ event: 'leases.not-ended', leases: tokens.length, err: error }),
    );
  }

  #forget(served: ServedWebhook): void {
    this.#served.delete(served.webhookId);
    this.#heldUntil.delete(served.token);
  }

  #workerId(): Promise<number> {
    if (this.#session) return Promise.resolve(this.#session.id);
    this.#signingOn ??= this.#signOn().finally(() => {
      this.#signingOn = undefined;
    });
    return this.#signingOn;
  }

  async #signOn(): Promise<number> {
    const connection = await this.#database.pool.connect();
    try {
      const id = await signOn(connection);
      await this.#clock.read(connection);
      connection.once('error', () => this.#signedOff(connection));
      connection.once('end', () => this.#signedOff(connection));
      this.#session = { id, connection };
      return id;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  /** The server takes this worker for dead now: what it served is served by others, or by itself under a new name. */
  #signedOff(connection: pg.PoolClient): void {
    if (this.#session?.connection !== connection) return;
    this.#session = undefined;
    connection.release(true);
    for (const served of [...this.#served.values()]) this.#forget(served);
  }
}
