import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Database } from '../../database/connection.ts';
import { DatabaseClock } from '../../database/database-clock.ts';
import type { DeliveryMetrics } from '../../telemetry/metrics.ts';
import { storedTrace, storedTraceFields } from '../../telemetry/tracing.ts';
import { deliveriesChannel, orderedChannel } from '../outbox/record-event.ts';
import type { Sealer } from '../signing/sealer.ts';
import { longestRequestMs } from '../transport/http-transport.ts';
import type { Outcome } from '../transport/outcome.ts';
import type { Sender } from '../transport/sender.ts';
import { Attempt, endAttemptSpan, startAttemptSpan } from './attempt.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import {
  type DueDelivery,
  type Lane,
  LargeTexts,
  lanes,
  openQueueDatabase,
  type ReadRequest,
  readDueDeliveries,
} from './delivery-queue.ts';
import type { Health } from './health.ts';
import { LaneReader } from './lane-reader.ts';
import type { LeasedWebhook } from './leased-webhook.ts';
import { LocalFailures } from './local-failures.ts';
import { OrderedQueue } from './ordered-queue.ts';
import { judge, type Verdict } from './retry-policy.ts';
import { type AuditDisabled, type FinishedAttempt, Settler } from './settler.ts';
import { type SendTarget, signedRequest, TargetCache } from './target.ts';
import { WebhookLeases } from './webhook-leases.ts';

// Upper limit of the poll interval for retries, replays and requests: they have no wake-up notification.
const maxRetryPollMs = 250;
// Claim more deliveries than can be in flight, so that the next one is ready when a request completes.
const claimedPerRequest = 8;

interface WorkerParts {
  config: Config;
  database: Database;
  sealer: Sealer;
  sender: Sender;
  metrics: DeliveryMetrics;
  log: Logger;
  userAgent: string;
  auditDisabled: AuditDisabled;
}

/** Sends due deliveries: lease → read → sign → send → judge → settle. */
export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #queue: Database;
  readonly #clock = new DatabaseClock();
  readonly #leases: WebhookLeases;
  readonly #limiter: ConcurrencyLimiter;
  readonly #settler: Settler;
  readonly #targets: TargetCache;
  readonly #largeTexts: LargeTexts;
  readonly #localFailures = new LocalFailures();
  readonly #readers: LaneReader[];
  // Number of claimed deliveries per lane.
  readonly #claimed = Object.values(lanes).map(() => 0);
  readonly #claimedByPartner = new Map<number, number>();
  // Number of claimed deliveries whose webhook was failing when they were claimed.
  #failingClaimed = 0;
  #stopping = false;
  /** Set after the time limit of a stop. Another worker sends the unfinished deliveries again. */
  #abandoned = false;
  #unsubscribe: (() => void)[] = [];
  #onIdle: (() => void) | undefined;

  constructor(parts: WorkerParts) {
    const { config, database, metrics, log, auditDisabled } = parts;
    this.#parts = parts;
    this.#queue = openQueueDatabase(database.url);
    this.#limiter = new ConcurrencyLimiter({ perWebhook: config.webhookConcurrency, perHost: config.hostConcurrency });
    this.#targets = new TargetCache(this.#queue.pool, parts.sealer, parts.userAgent);
    this.#largeTexts = new LargeTexts(this.#queue.pool);
    this.#leases = new WebhookLeases({
      database: this.#queue,
      leaseSeconds: config.leaseSeconds,
      log,
      clock: this.#clock,
      onRegistered: () => this.#targets.clear(),
    });
    this.#settler = new Settler({
      database: this.#queue,
      metrics,
      log,
      clock: this.#clock,
      auditDisabled,
      policy: {
        threshold: config.breakerThreshold,
        firstPause: config.breakerFirstPause,
        maxPause: config.breakerMaxPause,
        maxWindow: config.webhookConcurrency * claimedPerRequest,
      },
      onFinished: (batch) => this.#report(batch),
      onSettled: (batch, { healthByWebhook, superseded }) => {
        for (const { attempt } of superseded) void this.#leases.revoke(attempt.webhook);
        this.#releaseSettled(batch, healthByWebhook);
      },
    });
    metrics.claimedCount = () => this.#totalClaimed;
    const capacity = config.workerConcurrency;
    const wakeOrdered = () => this.#readers[lanes.ordered]?.wake();
    const ordered = new OrderedQueue(this.#queue.pool, (delayMs) => setTimeout(wakeOrdered, delayMs).unref());
    // A partner may claim seven times as much as stays free: hanging receivers of a few partners cannot claim all.
    const freeForPartner = (partnerId: number) =>
      Math.ceil((7 * (capacity - this.#totalClaimed) - (this.#claimedByPartner.get(partnerId) ?? 0)) / 8);
    const reader = (lane: Lane, windowDivisor: number, slots: number, pollMs: number) =>
      new LaneReader({
        leases: this.#leases,
        lane,
        read: (requests: readonly ReadRequest[]) =>
          lane === lanes.ordered ? ordered.read(requests) : readDueDeliveries(this.#queue.pool, lane, requests),
        windowDivisor,
        pollMs,
        metrics,
        log,
        clock: this.#clock,
        free: () => Math.min(capacity - this.#totalClaimed, slots - (this.#claimed[lane] ?? 0)),
        // Failing webhooks may use at most half of the capacity. Deliveries requested by a user are exempt.
        freeForFailing: () =>
          lane === lanes.requested ? capacity - this.#totalClaimed : Math.ceil(capacity / 2) - this.#failingClaimed,
        freeForPartner,
        partnersAtLimit: () => [...this.#claimedByPartner.keys()].filter((id) => freeForPartner(id) <= 0),
        onClaimed: (webhook, due) => this.#submit(lane, webhook, due),
      });
    const retryPollMs = Math.min(config.pollMs, maxRetryPollMs);
    // A quarter of the capacity is left for first attempts.
    this.#readers = [
      reader(lanes.first, 1, capacity, config.pollMs),
      reader(lanes.retry, 4, Math.ceil((capacity * 3) / 8), retryPollMs),
      reader(lanes.replay, 4, Math.ceil(capacity / 4), retryPollMs),
      reader(lanes.requested, 4, Math.ceil(capacity / 8), retryPollMs),
      reader(lanes.ordered, 1, capacity, config.pollMs),
    ];
  }

  start(): void {
    const { notifications } = this.#parts.database;
    const [first, ordered] = [this.#readers[lanes.first], this.#readers[lanes.ordered]];
    this.#unsubscribe = [
      notifications.subscribe(orderedChannel, () => ordered?.wake()),
      notifications.subscribe(deliveriesChannel, () => {
        first?.wake();
        if (this.#leases.hasOrdered) ordered?.wake();
      }),
    ];
    this.#leases.start();
    for (const reader of this.#readers) reader.start();
  }

  /** Stops reading, releases waiting deliveries, waits for requests in flight, settles them and releases the leases. */
  async stop(): Promise<void> {
    const limitMs = this.longestRequestMs;
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(this.#readers.map((reader) => reader.stop()));
    for (const attempt of this.#limiter.cancelWaiting()) this.#release(attempt as Attempt);
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#totalClaimed === 0) resolve();
    });
    await Promise.race([idle, wait(limitMs, undefined, { ref: false })]);
    this.#abandoned = true;
    await this.#settler.close();
    await this.#leases.stop();
    await this.#queue.close();
  }

  /** How long the requests in flight can take. */
  get longestRequestMs(): number {
    let longest = this.#parts.config.deliveryTimeoutMs;
    for (const webhook of this.#leases.webhooks()) {
      if (webhook.inFlight > 0) longest = Math.max(longest, webhook.longestRequestMs);
    }
    return longest;
  }

  /** Connections of the queue, for metrics. */
  get pool(): Database['pool'] {
    return this.#queue.pool;
  }

  get #totalClaimed(): number {
    return this.#claimed.reduce((sum, count) => sum + count);
  }

  async #submit(lane: Lane, webhook: LeasedWebhook, due: readonly DueDelivery[]): Promise<number> {
    const target = await this.#targets.get(due);
    if (!target || this.#stopping) {
      for (const { eventId } of due) webhook.release(lane, eventId);
      return due.length;
    }
    const ready = await this.#largeTexts.read(due);
    if (ready.length < due.length) {
      for (const delivery of due) if (!ready.includes(delivery)) webhook.release(lane, delivery.eventId);
      webhook.expectMore(lane);
    }
    webhook.refresh(target);
    const { timeoutMs = this.#parts.config.deliveryTimeoutMs, oauth } = target;
    webhook.longestRequestMs = longestRequestMs(timeoutMs, oauth !== undefined);
    for (const attempt of this.#sign(lane, webhook, target, ready)) {
      this.#adjustClaimed(attempt, +1);
      this.#limiter.submit(attempt);
    }
    return ready.length;
  }

  /** Signing in a batch halves the cost of each signature compared to signing between requests. */
  #sign(lane: Lane, webhook: LeasedWebhook, target: SendTarget, due: readonly DueDelivery[]): Attempt[] {
    const share = this.#limiter.share(target.origin, target.partnerId);
    const now = this.#clock.now();
    try {
      return due.map((delivery) => {
        const event = { id: delivery.eventId, text: delivery.eventText };
        const request = signedRequest(target, event, { now, userAgent: this.#parts.userAgent });
        return new Attempt({ delivery, lane, webhook, target, share, request }, this.#send);
      });
    } catch (error) {
      for (const delivery of due) this.#largeTexts.release(delivery);
      throw error;
    }
  }

  readonly #send = async (attempt: Attempt): Promise<void> => {
    const { delivery, webhook, target, request } = attempt;
    // After a long wait, the webhook may have changed or the lease may be lost: release the delivery to be read again.
    if (attempt.isStale || webhook.isGone || !this.#leases.holds(webhook)) {
      this.#limiter.finish(attempt);
      this.#release(attempt);
      for (const reader of this.#readers) reader.capacityAvailable();
      return;
    }
    const startedAt = Math.round(this.#clock.nowMs());
    const span = startAttemptSpan(delivery, target.url);
    const traceparent = span?.trace;
    if (traceparent) Object.assign(request.headers, storedTrace(traceparent));
    let outcome: Outcome;
    try {
      outcome = await this.#parts.sender.send(request);
    } catch (error) {
      outcome = this.#sendFailed(delivery, error);
    }
    if (span) endAttemptSpan(span, outcome);
    if (this.#abandoned) return;
    if (outcome.kind === 'gone') webhook.markGone(target.revision);
    this.#limiter.finish(attempt);
    const verdict = this.#judge(attempt, outcome);
    const { url, settingsId } = target;
    const waitedMs = startedAt - request.signedAt.getTime();
    this.#settler.add({
      attempt,
      delivery,
      leaseToken: webhook.token,
      url,
      settingsId,
      startedAt,
      waitedMs,
      traceparent,
      outcome,
      verdict,
    });
  };

  /** An error of the transport counts as an attempt: it must neither end the process nor be repeated without limit. */
  #sendFailed({ eventId, webhookId }: DueDelivery, error: unknown): Outcome {
    this.#parts.log.error({ event: 'delivery.send-failed', deliveryId: `${eventId}-${webhookId}`, err: error });
    const detail = 'The delivery was not sent because of an error in this service.';
    return { kind: 'unreachable', reason: 'unreachable', detail, phases: { totalMs: 0 } };
  }

  #judge({ delivery, target }: Attempt, outcome: Outcome): Verdict {
    const { retrySchedule, retryJitter, retryAfterMax } = this.#parts.config;
    const policy = {
      schedule: target.retrySchedule ?? retrySchedule,
      jitter: retryJitter,
      retryAfterMax,
    };
    return (
      this.#localFailures.judge(delivery.webhookId, outcome) ??
      judge(policy, delivery.tries + 1, outcome, Math.random())
    );
  }

  /** Logs and counts a whole batch at once, which is cheaper than between requests. */
  #report(batch: readonly FinishedAttempt[]): void {
    const { metrics, log } = this.#parts;
    for (const finished of batch) {
      const { delivery, outcome, verdict } = finished;
      if (verdict.state === 'POSTPONED') {
        log.error(
          { ...attemptLogFields(finished), event: 'delivery.not-sent' },
          'The delivery was postponed because of a local failure',
        );
        continue;
      }
      metrics.recordAttempt(delivery, outcome, verdict);
      log.info(attemptLogFields(finished));
    }
  }

  #releaseSettled(batch: readonly FinishedAttempt[], healthByWebhook: ReadonlyMap<number, Health>): void {
    for (const [webhookId, health] of healthByWebhook) {
      const webhook = this.#leases.get(webhookId);
      if (webhook) webhook.health = health;
    }
    for (const { attempt } of batch) this.#release(attempt);
    for (const reader of this.#readers) reader.capacityAvailable();
    // The next deliveries of their keys, possibly of webhooks that other workers have leased, can be sent now.
    if (batch.some(({ attempt }) => attempt.target.ordered)) this.#parts.database.notifications.raise(orderedChannel);
  }

  #release(attempt: Attempt): void {
    attempt.webhook.release(attempt.lane, attempt.delivery.eventId);
    this.#largeTexts.release(attempt.delivery);
    this.#adjustClaimed(attempt, -1);
    if (this.#totalClaimed === 0) this.#onIdle?.();
  }

  #adjustClaimed({ lane, wasFailing, webhook: { partnerId } }: Attempt, by: 1 | -1): void {
    this.#claimed[lane] = (this.#claimed[lane] ?? 0) + by;
    const ofPartner = (this.#claimedByPartner.get(partnerId) ?? 0) + by;
    if (ofPartner > 0) this.#claimedByPartner.set(partnerId, ofPartner);
    else this.#claimedByPartner.delete(partnerId);
    if (wasFailing) this.#failingClaimed += by;
  }
}

function attemptLogFields({ delivery, outcome, verdict, traceparent }: FinishedAttempt): object {
  const trace = traceparent ?? delivery.traceparent;
  const fields = {
    event: 'delivery.attempted',
    deliveryId: `${delivery.eventId}-${delivery.webhookId}`,
    type: delivery.type,
    attempt: delivery.attempts + 1,
    outcome: outcome.kind,
    status: outcome.response?.status,
    tookMs: Math.round(outcome.phases.totalMs * 10) / 10,
    ...(trace && storedTraceFields(trace)),
  };
  if (verdict.state === 'DELIVERED') return fields;
  const { reason, detail } = 'reason' in outcome ? outcome : {};
  const retryInSeconds = 'waitSeconds' in verdict ? verdict.waitSeconds : undefined;
  return { ...fields, reason, detail, verdict: verdict.state, retryInSeconds };
}
