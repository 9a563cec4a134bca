import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import { isPartnerMoving } from '../../database/faults.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { DeliveryMetrics } from '../../telemetry/metrics.ts';
import { enqueueReviews } from '../alerts/review-alerts-job.ts';
import { explainOutcome } from '../transport/outcome.ts';
import type { Attempt } from './attempt.ts';
import { type Health, type HealthPolicy, isUnchanged, type Observation, quickResponseMs } from './health.ts';
import { type ChangedHealth, type HealthReport, lockHealth, reportHealth } from './health-store.ts';
import {
  disableGoneWebhooks,
  goneReason,
  postponeDelivery,
  postponeUnsent,
  type Settlement,
  settleAttempts,
} from './settle.ts';

// The next batch collects while one is being written; these limit its delay and size.
const batchDelayMs = 30;
const minBatch = 256;
const maxBatch = 512;
const maxBackOffMs = 2000;
const unchanged: ChangedHealth = { healthByWebhook: new Map(), alertedPartners: new Set() };

interface SettlerParts {
  database: Database;
  policy: HealthPolicy;
  metrics: DeliveryMetrics;
  log: Logger;
  clock: DatabaseClock;
  auditDisabled: AuditDisabled;
  /** Called before a batch is written. */
  onFinished: (batch: readonly FinishedAttempt[]) => void;
  /** Called after a batch has been written. */
  onSettled: (batch: readonly FinishedAttempt[], result: SettleResult) => void;
}

/** Adds the webhook to the audit log, which belongs to the API. */
export type AuditDisabled = (
  transaction: Transaction,
  webhook: { webhookId: number; partnerId: number },
  reason: string,
) => Promise<void>;

interface SettleResult {
  /** Only webhooks whose health changed. */
  healthByWebhook: ReadonlyMap<number, Health>;
  /** Attempts that did not count because another worker holds the lease. */
  superseded: readonly FinishedAttempt[];
}

export interface FinishedAttempt extends Settlement {
  attempt: Attempt;
}

/**
 * Writes finished attempts in batches, one at a time, and retries until the database accepts them: an outage delays
 * attempts but loses none. If the process dies, unsettled deliveries are sent again under a new lease.
 */
export class Settler {
  readonly #parts: SettlerParts;
  #queue: FinishedAttempt[] = [];
  #writing: Promise<void> | undefined;
  #flush: (() => void) | undefined;
  #closing = false;

  constructor(parts: SettlerParts) {
    this.#parts = parts;
  }

  add(settlement: FinishedAttempt): void {
    this.#queue.push(settlement);
    if (!this.#writing) this.#writing = this.#write();
    else if (this.#queue.length >= minBatch) this.#flush?.();
  }

  /** Resolves when everything added so far has been written. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#flush?.();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#queue.length < minBatch && !this.#closing) await this.#waitForBatch();
      const batch = this.#queue.splice(0, maxBatch);
      this.#notify(() => this.#parts.onFinished(batch));
      await this.#writeBatch(batch);
    }
    this.#writing = undefined;
  }

  #waitForBatch(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, batchDelayMs);
      this.#flush = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #writeBatch(batch: readonly FinishedAttempt[]): Promise<void> {
    for (let backOffMs = 50; ; backOffMs = Math.min(maxBackOffMs, backOffMs * 2)) {
      const began = performance.now();
      let result: SettleResult;
      try {
        result = await this.#parts.database.transaction((transaction) => this.#settle(transaction, batch));
      } catch (error) {
        if (isRejected(error)) {
          await this.#writeHalves(batch, error);
          return;
        }
        this.#parts.log.warn({ event: 'settle.postponed', attempts: batch.length, backOffMs, err: error });
        await pause(backOffMs);
        continue;
      }
      this.#notify(() => this.#parts.metrics.recordSettlement(performance.now() - began));
      this.#notify(() => this.#parts.onSettled(batch, result));
      return;
    }
  }

  /** An error in a callback neither ends the settler nor writes a batch again. */
  #notify(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#parts.log.error({ event: 'settle.callback-failed', err: error });
    }
  }

  async #settle(transaction: Transaction, all: readonly FinishedAttempt[]): Promise<SettleResult> {
    const unsent = all.filter(({ verdict }) => verdict.state === 'POSTPONED');
    const batch = unsent.length > 0 ? all.filter(({ verdict }) => verdict.state !== 'POSTPONED') : all;
    if (unsent.length > 0) await postponeUnsent(transaction, unsent);
    if (batch.length === 0) return { healthByWebhook: unchanged.healthByWebhook, superseded: [] };
    const { policy, clock, auditDisabled } = this.#parts;
    const gone = batch
      .filter(({ outcome }) => outcome.kind === 'gone')
      .map(({ attempt, delivery: { webhookId }, leaseToken }) => ({
        webhookId,
        revision: attempt.target.revision,
        leaseToken,
      }));
    const expected = healthReports(policy, batch);
    // One round trip. Changes of a webhook lock it before its health as well.
    const [disabled, locked, { settled, lost }] = await Promise.all([
      gone.length > 0 ? disableGoneWebhooks(transaction, gone) : [],
      expected.length > 0
        ? lockHealth(
            transaction,
            expected.map(({ webhookId }) => webhookId),
          )
        : [],
      settleAttempts(transaction, batch),
    ]);
    for (const webhook of disabled) await auditDisabled(transaction, webhook, goneReason);
    const newRevisions = new Map(disabled.map(({ webhookId, revision }) => [webhookId, revision]));
    const reports = (settled === batch ? expected : healthReports(policy, settled)).map((report) => ({
      ...report,
      revision: newRevisions.get(report.webhookId) ?? report.revision,
    }));
    const { healthByWebhook, alertedPartners } =
      reports.length > 0 ? await reportHealth(transaction, policy, locked, reports, clock.now()) : unchanged;
    // Last: a job with the same key stays locked until the commit.
    await enqueueReviews(transaction, [...alertedPartners, ...disabled.map(({ partnerId }) => partnerId)]);
    return { healthByWebhook, superseded: lost };
  }

  /** Splits a rejected batch to isolate the attempt that the database rejects, and postpones that delivery. */
  async #writeHalves(batch: readonly FinishedAttempt[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await this.#writeBatch(batch.slice(0, middle));
      await this.#writeBatch(batch.slice(middle));
      return;
    }
    const [settlement] = batch;
    this.#parts.log.error({ event: 'settle.refused', err: error, eventId: settlement?.delivery.eventId });
    if (settlement) {
      await postponeDelivery(this.#parts.database.pool, settlement.delivery).catch((failure) =>
        this.#parts.log.warn({ event: 'delivery.not-postponed', err: failure }),
      );
    }
    this.#notify(() => this.#parts.onSettled(batch, { healthByWebhook: unchanged.healthByWebhook, superseded: [] }));
  }
}

/** The server rejected the data (SQLSTATE classes 22 and 23), or the partner is being moved: retrying cannot succeed. */
function isRejected(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && (/^2[23]\w{3}$/.test(code) || isPartnerMoving(error));
}

/** One report per webhook, of the attempts with its newest settings in the batch. */
function healthReports(policy: HealthPolicy, batch: readonly FinishedAttempt[]): HealthReport[] {
  const seen = new Map<number, { last: FinishedAttempt; observation: Observation; hasTwoLeases: boolean }>();
  for (const settlement of batch) {
    const { delivery, outcome, attempt } = settlement;
    let entry = seen.get(delivery.webhookId);
    const newer = entry ? attempt.target.revision - entry.last.attempt.target.revision : 1;
    if (newer < 0) continue;
    if (!entry || newer > 0) {
      entry = { last: settlement, observation: { quick: 0, slow: 0, failed: 0 }, hasTwoLeases: false };
    }
    entry.hasTwoLeases ||= attempt.webhook !== entry.last.attempt.webhook;
    if (outcome.kind !== 'delivered') {
      entry.observation.failed++;
      entry.last = settlement;
    } else if (outcome.phases.totalMs <= quickResponseMs) entry.observation.quick++;
    else entry.observation.slow++;
    seen.set(delivery.webhookId, entry);
  }
  const reports: HealthReport[] = [];
  for (const [webhookId, { last, observation, hasTwoLeases }] of seen) {
    const { webhook, target } = last.attempt;
    // The health after the previous batch, which can be newer than the attempt. That of a lost lease may be outdated.
    if (!hasTwoLeases && isUnchanged(policy, webhook.health, observation)) continue;
    const { partnerId, revision } = target;
    const lastError = explainOutcome(last.outcome)?.error ?? null;
    reports.push({ webhookId, partnerId, revision, seen: observation, lastError });
  }
  return reports;
}
