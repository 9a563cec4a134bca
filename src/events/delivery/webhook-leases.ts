import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import { singleFlight } from '../../values/single-flight.ts';
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

interface WebhookLeasesParts {
  database: Database;
  leaseSeconds: number;
  log: Logger;
  clock: DatabaseClock;
  /** The connection is new. After a failover, the database may have lost the last commits. */
  onRegistered: () => void;
}

/** The webhooks leased by this worker; renews and releases the leases once a second. */
export class WebhookLeases {
  readonly #parts: WebhookLeasesParts;
  readonly #webhooks = new Map<number, LeasedWebhook>();
  /** Whether any webhook is ordered, as of the last second. */
  hasOrdered = true;
  #session: { id: number; connection: pg.PoolClient } | undefined;
  readonly #register = singleFlight(() => this.#openSession());
  #timer: NodeJS.Timeout | undefined;
  #upkeep: Promise<void> | undefined;

  constructor(parts: WebhookLeasesParts) {
    this.#parts = parts;
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
    return this.#webhooks.get(webhook.webhookId) === webhook && webhook.leasedUntil > performance.now();
  }

  /** Called when a settlement shows that the lease was lost. */
  async revoke(webhook: LeasedWebhook): Promise<void> {
    if (this.#webhooks.get(webhook.webhookId) !== webhook) return;
    this.#webhooks.delete(webhook.webhookId);
    await this.#releaseLeases([webhook]);
  }

  /** Leases webhooks that have due deliveries and no valid lease. */
  async leaseDue(request: LeaseRequest): Promise<void> {
    const workerId = await this.#workerId();
    const now = performance.now();
    const { database, leaseSeconds } = this.#parts;
    const leases = await leaseWaitingWebhooks(database.pool, { ...request, workerId, leaseSeconds });
    for (const lease of leases) {
      const webhook = new LeasedWebhook(lease, now);
      webhook.leasedUntil = now + leaseSeconds * 1000;
      this.#webhooks.set(lease.webhookId, webhook);
    }
  }

  async #maintain(): Promise<void> {
    const { database, clock, log } = this.#parts;
    try {
      await this.#workerId();
      await clock.read(database.pool);
      await this.#renew();
      await this.#findOrdered();
      await this.#releaseIdle();
      const ended = await releaseOrphanedLeases(database.pool);
      if (ended > 0) log.info({ event: 'leases.released', leases: ended });
    } catch (error) {
      log.warn({ event: 'leases.not-renewed', err: error });
    }
  }

  /** A webhook that is not ordered any more can have deliveries left that were recorded before. */
  async #findOrdered(): Promise<void> {
    const { exists, waiting } = await findOrdered(this.#parts.database.pool, [...this.#webhooks.keys()]);
    this.hasOrdered = exists;
    for (const webhookId of waiting) this.#webhooks.get(webhookId)?.serveOrdered();
  }

  async #renew(): Promise<void> {
    const { database, leaseSeconds } = this.#parts;
    const now = performance.now();
    const due = now + (leaseSeconds * 1000 * 2) / 3;
    const old = [...this.#webhooks.values()].filter(({ leasedUntil }) => leasedUntil < due);
    if (old.length === 0) return;
    const tokens = old.map(({ token }) => token);
    const renewed = await renewLeases(database.pool, tokens, leaseSeconds);
    for (const webhook of old) {
      if (renewed.has(webhook.token)) webhook.leasedUntil = now + leaseSeconds * 1000;
      else this.#webhooks.delete(webhook.webhookId);
    }
  }

  async #releaseIdle(): Promise<void> {
    const now = performance.now();
    const clock = this.#parts.clock.now();
    // Leasing a paused webhook again reloads its health: a user may have resumed it.
    const idle = [...this.#webhooks.values()].filter(
      (webhook) => webhook.claimed === 0 && (now - webhook.lastUsedAt > idleMs || webhook.isPaused(clock)),
    );
    if (idle.length === 0) return;
    for (const { webhookId } of idle) this.#webhooks.delete(webhookId);
    await this.#releaseLeases(idle);
  }

  async #releaseLeases(webhooks: readonly LeasedWebhook[]): Promise<void> {
    const tokens = webhooks.map(({ token }) => token);
    await releaseLeases(this.#parts.database.pool, tokens).catch((error) =>
      this.#parts.log.warn({ event: 'leases.not-released', leases: tokens.length, err: error }),
    );
  }

  async #workerId(): Promise<number> {
    return this.#session?.id ?? (await this.#register());
  }

  async #openSession(): Promise<number> {
    const { database, clock, onRegistered } = this.#parts;
    const connection = await database.pool.connect();
    try {
      const id = await registerWorker(connection);
      await clock.read(connection);
      connection.once('error', () => this.#connectionLost(connection));
      connection.once('end', () => this.#connectionLost(connection));
      this.#session = { id, connection };
      onRegistered();
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
    this.#webhooks.clear();
  }
}
