import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { DeliveryMetrics } from '../../telemetry/delivery-metrics.ts';
import { explainOutcome } from '../transport/outcome.ts';
import type { Attempt } from './attempt.ts';
import { type BreakerPolicy, type Health, type Observation, standsStill } from './breaker.ts';
import { countAttempts } from './count-attempts.ts';
import { type HealthReport, reportHealth } from './health-store.ts';
import { quickAnswerMs } from './send-window.ts';
import { postponeDelivery, postponeUnsent, type Settlement, settleAttempts } from './settle.ts';
import { switchOffGone } from './switch-off.ts';

// While one batch is being written the next one gathers; these bound how small and how large it gets.
const gatherMs = 30;
const enoughToWrite = 256;
const mostAtOnce = 512;
const longestBackOffMs = 2000;
const unchanged: ReadonlyMap<number, Health> = new Map();

export interface SettlerParts {
  database: Database;
  policy: BreakerPolicy;
  metrics: DeliveryMetrics;
  log: Logger;
  clock: DatabaseClock;
  /** Told of a batch before it is written. */
  onTried: (batch: readonly Tried[]) => void;
  /** Told once a batch is written. */
  onSettled: (batch: readonly Tried[], came: WhatCame) => void;
}

interface WhatCame {
  /** The standings that changed. */
  standings: ReadonlyMap<number, Health>;
  /** Tries that decided nothing, because their lease had passed to another worker. */
  superseded: readonly Tried[];
}

/** A try that was made, with how its destination stood then. */
export interface Tried extends Settlement {
  attempt: Attempt;
  standing: Health;
}

/**
 * Writes settled attempts in batches, one at a time, until each has been written: a database that is away for a
 * while delays them and loses none. A process that dies with some in hand has them sent again under a new lease.
 */
export class Settler {
  readonly #database: Database;
  readonly #policy: BreakerPolicy;
  readonly #metrics: DeliveryMetrics;
  readonly #log: Logger;
  readonly #clock: DatabaseClock;
  readonly #onTried: SettlerParts['onTried'];
  readonly #onSettled: SettlerParts['onSettled'];
  #queue: Tried[] = [];
  #writing: Promise<void> | undefined;
  #hurry: (() => void) | undefined;
  #closing = false;

  constructor(options: SettlerParts) {
    this.#database = options.database;
    this.#policy = options.policy;
    this.#metrics = options.metrics;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#onTried = options.onTried;
    this.#onSettled = options.onSettled;
  }

  add(settlement: Tried): void {
    this.#queue.push(settlement);
    if (!this.#writing) this.#writing = this.#write();
    else if (this.#queue.length >= enoughToWrite) this.#hurry?.();
  }

  /** Resolves when everything added so far has been written. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#hurry?.();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#queue.length < enoughToWrite && !this.#closing) await this.#gather();
      const batch = this.#queue.splice(0, mostAtOnce);
      this.#onTried(batch);
      await this.#writeOut(batch);
    }
    this.#writing = undefined;
  }

  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #writeOut(batch: readonly Tried[]): Promise<void> {
    for (let backOffMs = 50; ; backOffMs = Math.min(longestBackOffMs, backOffMs * 2)) {
      const began = performance.now();
      try {
        const came = await this.#database.transaction((transaction) => this.#settle(transaction, batch));
        this.#metrics.settled(performance.now() - began);
        this.#onSettled(batch, came);
        return;
      } catch (error) {
        if (isRejected(error)) {
          await this.#writeWhatCanBe(batch, error);
          return;
        }
        this.#log.warn({ event: 'settle.postponed', attempts: batch.length, backOffMs, err: error });
        await pause(backOffMs);
      }
    }
  }

  async #settle(transaction: Transaction, all: readonly Tried[]): Promise<WhatCame> {
    const unsent = all.filter(({ verdict }) => verdict.state === 'POSTPONED');
    const batch = unsent.length > 0 ? all.filter(({ verdict }) => verdict.state !== 'POSTPONED') : all;
    if (unsent.length > 0) await postponeUnsent(transaction, unsent);
    if (batch.length === 0) return { standings: unchanged, superseded: [] };
    const gone = batch
      .filter(({ outcome }) => outcome.kind === 'gone')
      .map(({ delivery: { webhookId }, url }) => ({ webhookId, url }));
    const reports = healthReports(this.#policy, batch);
    const [standings, superseded] = await Promise.all([
      reports.length > 0 ? reportHealth(transaction, this.#policy, reports, this.#clock.now()) : unchanged,
      settleAttempts(transaction, batch),
      countAttempts(transaction, batch),
      gone.length > 0 ? switchOffGone(transaction, gone) : undefined,
    ]);
    return { standings, superseded };
  }

  /** One attempt that the database will not take must not hold back the others for ever. */
  async #writeWhatCanBe(batch: readonly Tried[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await this.#writeOut(batch.slice(0, middle));
      await this.#writeOut(batch.slice(middle));
      return;
    }
    const [settlement] = batch;
    this.#log.error({ event: 'settle.refused', err: error, eventId: settlement?.delivery.eventId });
    if (settlement) {
      await postponeDelivery(this.#database.pool, settlement.delivery).catch((failure) =>
        this.#log.warn({ event: 'delivery.not-postponed', err: failure }),
      );
    }
    this.#onSettled(batch, { standings: unchanged, superseded: [] });
  }
}

/** The server understood the statement and refused its data (SQLSTATE classes 22 and 23): trying again is no use. */
function isRejected(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^2[23]\w{3}$/.test(code);
}

function healthReports(policy: BreakerPolicy, batch: readonly Tried[]): HealthReport[] {
  const seen = new Map<number, { last: Tried; observation: Observation }>();
  for (const settlement of batch) {
    const { delivery, outcome } = settlement;
    const entry = seen.get(delivery.webhookId) ?? { last: settlement, observation: { quick: 0, slow: 0, failed: 0 } };
    if (outcome.kind !== 'delivered') {
      entry.observation.failed++;
      entry.last = settlement;
    } else if (outcome.phases.totalMs <= quickAnswerMs) entry.observation.quick++;
    else entry.observation.slow++;
    seen.set(delivery.webhookId, entry);
  }
  const reports: HealthReport[] = [];
  for (const [webhookId, { last, observation }] of seen) {
    if (standsStill(policy, last.standing, observation)) continue;
    reports.push({ webhookId, seen: observation, lastError: explainOutcome(last.outcome)?.error ?? null });
  }
  return reports;
}
