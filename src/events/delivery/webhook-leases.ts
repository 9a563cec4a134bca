import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import type { Lane } from './lanes.ts';
import { LeasedWebhook } from './leased-webhook.ts';
import { leaseWaitingWebhooks, registerWorker, releaseLeases, releaseOrphanedLeases, renewLeases } from './leases.ts';

// The lease of a webhook without deliveries is released after this time.
const idleMs = 2000;
const upkeepMs = 1000;

/** The webhooks leased by this worker; renews and releases the leases once a second. */
export class WebhookLeases {
  readonly #database: Database;
  readonly #leaseSeconds: number;
  readonly #log: Logger;
  readonly #clock: DatabaseClock;
  readonly #leased = new Map<number, LeasedWebhook>();
  readonly #heldUntil = new Map<number, number>();
  #session: { id: number; connection: pg.PoolClient } | undefined;
  #registering: Promise<number> | undefined;
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
      this.#upkeep = this.#upkeep.then(() => this.#maintain());
    }, upkeepMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#upkeep;
    const leased = [...this.#leased.values()];
    this.#leased.clear();
    if (leased.length > 0) await this.#releaseLeases(leased);
    const session = this.#session;
    this.#session = undefined;
    session?.connection.release(true);
  }

  leased(): Iterable<LeasedWebhook> {
    return this.#leased.values();
  }

  get(webhookId: number): LeasedWebhook | undefined {
    return this.#leased.get(webhookId);
  }

  /** Whether the lease is still valid by this process's monotonic clock. */
  holds(leased: LeasedWebhook): boolean {
    return this.#leased.get(leased.webhookId) === leased && this.#until(leased) > performance.now();
  }

  /** Called when a settlement shows that the lease was lost. */
  async revoke(leased: LeasedWebhook): Promise<void> {
    if (this.#leased.get(leased.webhookId) !== leased) return;
    this.#forget(leased);
    await this.#releaseLeases([leased]);
  }

  /** Leases webhooks that have due deliveries and no valid lease. */
  async leaseDue(request: { lane: Lane; limit: number; includeFailing: boolean }): Promise<void> {
    const workerId = await this.#workerId();
    const now = performance.now();
    const leaseSeconds = this.#leaseSeconds;
    const leases = await leaseWaitingWebhooks(this.#database.pool, { ...request, workerId, leaseSeconds });
    for (const lease of leases) {
      this.#leased.set(lease.webhookId, new LeasedWebhook(lease, now));
      this.#heldUntil.set(lease.token, now + leaseSeconds * 1000);
    }
  }

  #until(leased: LeasedWebhook): number {
    return this.#heldUntil.get(leased.token) ?? 0;
  }

  async #maintain(): Promise<void> {
    try {
      await this.#workerId();
      await this.#clock.read(this.#database.pool);
      await this.#renew();
      await this.#releaseIdle();
      const ended = await releaseOrphanedLeases(this.#database.pool);
      if (ended > 0) this.#log.info({ event: 'leases.inherited', leases: ended });
    } catch (error) {
      this.#log.warn({ event: 'leases.not-kept', err: error });
    }
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const due = now + (this.#leaseSeconds * 1000 * 2) / 3;
    const old = [...this.#leased.values()].filter((leased) => this.#until(leased) < due);
    if (old.length === 0) return;
    const renewed = await renewLeases(
      this.#database.pool,
      old.map(({ token }) => token),
      this.#leaseSeconds,
    );
    for (const leased of old) {
      if (renewed.has(leased.token)) this.#heldUntil.set(leased.token, now + this.#leaseSeconds * 1000);
      else this.#forget(leased);
    }
  }

  async #releaseIdle(): Promise<void> {
    const now = performance.now();
    const clock = this.#clock.now();
    // Leasing a paused webhook again reloads its health: a user may have resumed it.
    const idle = [...this.#leased.values()].filter(
      (leased) => leased.claimed === 0 && (now - leased.lastUsedAt > idleMs || leased.isPaused(clock)),
    );
    if (idle.length === 0) return;
    for (const leased of idle) this.#forget(leased);
    await this.#releaseLeases(idle);
  }

  async #releaseLeases(leased: readonly LeasedWebhook[]): Promise<void> {
    const tokens = leased.map(({ token }) => token);
    await releaseLeases(this.#database.pool, tokens).catch((error) =>
      this.#log.warn({ event: 'leases.not-ended', leases: tokens.length, err: error }),
    );
  }

  #forget(leased: LeasedWebhook): void {
    this.#leased.delete(leased.webhookId);
    this.#heldUntil.delete(leased.token);
  }

  #workerId(): Promise<number> {
    if (this.#session) return Promise.resolve(this.#session.id);
    this.#registering ??= this.#register().finally(() => {
      this.#registering = undefined;
    });
    return this.#registering;
  }

  async #register(): Promise<number> {
    const connection = await this.#database.pool.connect();
    try {
      const id = await registerWorker(connection);
      await this.#clock.read(connection);
      connection.once('error', () => this.#connectionLost(connection));
      connection.once('end', () => this.#connectionLost(connection));
      this.#session = { id, connection };
      return id;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  /** The advisory lock is gone with the connection: the leases are orphaned, and the worker must register again. */
  #connectionLost(connection: pg.PoolClient): void {
    if (this.#session?.connection !== connection) return;
    this.#session = undefined;
    connection.release(true);
    for (const leased of [...this.#leased.values()]) this.#forget(leased);
  }
}
