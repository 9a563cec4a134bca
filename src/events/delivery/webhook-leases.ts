import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import { LeasedWebhook } from './leased-webhook.ts';
import {
  findOrdered,
  type LeaseRequest,
  leaseWaitingWebhooks,
  registerWorker,
  releaseLeases,
  releaseOrphanedLeases,
  renewLeases,
} from './leases.ts';

// The lease of a webhook without deliveries is released after this time.
const idleMs = 2000;
const upkeepMs = 1000;

/** The webhooks leased by this worker; renews and releases the leases once a second. */
export class WebhookLeases {
  readonly #database: Database;
  readonly #leaseSeconds: number;
  readonly #log: Logger;
  readonly #clock: DatabaseClock;
  readonly #onRegistered: () => void;
  readonly #webhooks = new Map<number, LeasedWebhook>();
  readonly #heldUntil = new Map<number, number>();
  /** Whether any webhook is ordered, as of the last second. */
  hasOrdered = true;
  #session: { id: number; connection: pg.PoolClient } | undefined;
  #registering: Promise<number> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #upkeep: Promise<void> | undefined;

  /** `onRegistered`: the connection is new. After a failover, the database may have lost the last commits. */
  constructor(parts: {
    database: Database;
    leaseSeconds: number;
    log: Logger;
    clock: DatabaseClock;
    onRegistered: () => void;
  }) {
    this.#database = parts.database;
    this.#leaseSeconds = parts.leaseSeconds;
    this.#log = parts.log;
    this.#clock = parts.clock;
    this.#onRegistered = parts.onRegistered;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // During an outage it takes longer than the interval.
      this.#upkeep ??= this.#maintain().finally(() => {
        this.#upkeep = undefined;
      });
    }, upkeepMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#upkeep;
    const webhooks = [...this.#webhooks.values()];
    this.#webhooks.clear();
    if (webhooks.length > 0) await this.#releaseLeases(webhooks);
    const session = this.#session;
    this.#session = undefined;
    session?.connection.release(true);
  }

  webhooks(): Iterable<LeasedWebhook> {
    return this.#webhooks.values();
  }

  get(webhookId: number): LeasedWebhook | undefined {
    return this.#webhooks.get(webhookId);
  }

  /** Whether the lease is still valid by this process's monotonic clock. */
  holds(webhook: LeasedWebhook): boolean {
    return this.#webhooks.get(webhook.webhookId) === webhook && this.#until(webhook) > performance.now();
  }

  /** Called when a settlement shows that the lease was lost. */
  async revoke(webhook: LeasedWebhook): Promise<void> {
    if (this.#webhooks.get(webhook.webhookId) !== webhook) return;
    this.#forget(webhook);
    await this.#releaseLeases([webhook]);
  }

  /** Leases webhooks that have due deliveries and no valid lease. */
  async leaseDue(request: LeaseRequest): Promise<void> {
    const workerId = await this.#workerId();
    const now = performance.now();
    const leaseSeconds = this.#leaseSeconds;
    const leases = await leaseWaitingWebhooks(this.#database.pool, { ...request, workerId, leaseSeconds });
    for (const lease of leases) {
      this.#webhooks.set(lease.webhookId, new LeasedWebhook(lease, now));
      this.#heldUntil.set(lease.token, now + leaseSeconds * 1000);
    }
  }

  #until(webhook: LeasedWebhook): number {
    return this.#heldUntil.get(webhook.token) ?? 0;
  }

  async #maintain(): Promise<void> {
    try {
      await this.#workerId();
      await this.#clock.read(this.#database.pool);
      await this.#renew();
      await this.#findOrdered();
      await this.#releaseIdle();
      const ended = await releaseOrphanedLeases(this.#database.pool);
      if (ended > 0) this.#log.info({ event: 'leases.released', leases: ended });
    } catch (error) {
      this.#log.warn({ event: 'leases.not-renewed', err: error });
    }
  }

  /** A webhook that is not ordered any more can have deliveries left that were recorded before. */
  async #findOrdered(): Promise<void> {
    const { exists, waiting } = await findOrdered(this.#database.pool, [...this.#webhooks.keys()]);
    this.hasOrdered = exists;
    for (const webhookId of waiting) this.#webhooks.get(webhookId)?.serveOrdered();
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const due = now + (this.#leaseSeconds * 1000 * 2) / 3;
    const old = [...this.#webhooks.values()].filter((webhook) => this.#until(webhook) < due);
    if (old.length === 0) return;
    const renewed = await renewLeases(
      this.#database.pool,
      old.map(({ token }) => token),
      this.#leaseSeconds,
    );
    for (const webhook of old) {
      if (renewed.has(webhook.token)) this.#heldUntil.set(webhook.token, now + this.#leaseSeconds * 1000);
      else this.#forget(webhook);
    }
  }

  async #releaseIdle(): Promise<void> {
    const now = performance.now();
    const clock = this.#clock.now();
    // Leasing a paused webhook again reloads its health: a user may have resumed it.
    const idle = [...this.#webhooks.values()].filter(
      (webhook) => webhook.claimed === 0 && (now - webhook.lastUsedAt > idleMs || webhook.isPaused(clock)),
    );
    if (idle.length === 0) return;
    for (const webhook of idle) this.#forget(webhook);
    await this.#releaseLeases(idle);
  }

  async #releaseLeases(webhooks: readonly LeasedWebhook[]): Promise<void> {
    const tokens = webhooks.map(({ token }) => token);
    await releaseLeases(this.#database.pool, tokens).catch((error) =>
      this.#log.warn({ event: 'leases.not-released', leases: tokens.length, err: error }),
    );
  }

  #forget(webhook: LeasedWebhook): void {
    this.#webhooks.delete(webhook.webhookId);
    this.#heldUntil.delete(webhook.token);
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
      this.#onRegistered();
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
    for (const webhook of [...this.#webhooks.values()]) this.#forget(webhook);
  }
}
