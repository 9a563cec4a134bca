import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Database } from '../../database/connection.ts';
import { DatabaseClock } from '../../database/database-clock.ts';
import type { DeliveryMetrics } from '../../telemetry/delivery-metrics.ts';
import { traceAttempt } from '../../telemetry/tracing.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import type { Sealer } from '../signing/sealer.ts';
import type { Outcome } from '../transport/outcome.ts';
import type { Sender } from '../transport/sender.ts';
import { Attempt } from './attempt.ts';
import type { Health } from './breaker.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { Gate } from './gate.ts';
import { LaneReader } from './lane-reader.ts';
import { type Lane, lanes } from './lanes.ts';
import { LargeTexts } from './large-texts.ts';
import { openQueueDatabase } from './queue-database.ts';
import { judge, type Verdict } from './retry-policy.ts';
import type { ServedWebhook } from './served-webhook.ts';
import { Settler, type Tried } from './settler.ts';
import { signedRequest, type Target } from './target.ts';
import { TargetMemory } from './target-memory.ts';
import { WebhookLeases } from './webhook-leases.ts';

// Later tries and replays look for work this often at least; their due times are no finer.
const laterLanesPollMs = 250;
// More in hand than requests under way, so that the next one is there when a request is answered.
const inHandPerRequest = 8;

type WorkerConfig = Pick<
  Config,
  | 'retrySchedule'
  | 'retryJitter'
  | 'retryAfterMax'
  | 'webhookConcurrency'
  | 'hostConcurrency'
  | 'workerConcurrency'
  | 'leaseSeconds'
  | 'pollMs'
  | 'breakerThreshold'
  | 'breakerFirstPause'
  | 'breakerMaxPause'
>;

export interface WorkerParts {
  config: WorkerConfig;
  database: Database;
  sealer: Sealer;
  sender: Sender;
  metrics: DeliveryMetrics;
  log: Logger;
  userAgent: string;
}

/** Takes due deliveries and sends them: lease → read → sign → send → judge → settle. */
export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #queue: Database;
  readonly #clock = new DatabaseClock();
  readonly #leases: WebhookLeases;
  readonly #gate: Gate;
  readonly #settler: Settler;
  readonly #targets: TargetMemory;
  readonly #largeTexts: LargeTexts;
  readonly #readers: LaneReader[];
  // How much is in hand, of each lane and of destinations that were failing when it was taken.
  readonly #inHand = Object.values(lanes).map(() => 0);
  #failingInHand = 0;
  #stopping = false;
  #unsubscribe: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(parts: WorkerParts) {
    const { config, database, metrics, log } = parts;
    this.#parts = parts;
    this.#queue = openQueueDatabase(database.url);
    this.#gate = new Gate({ perWebhook: config.webhookConcurrency, perHost: config.hostConcurrency });
    this.#targets = new TargetMemory(this.#queue.pool, parts.sealer);
    this.#largeTexts = new LargeTexts(this.#queue.pool);
    this.#leases = new WebhookLeases({
      database: this.#queue,
      leaseSeconds: config.leaseSeconds,
      log,
      clock: this.#clock,
    });
    this.#settler = new Settler({
      database: this.#queue,
      metrics,
      log,
      clock: this.#clock,
      policy: {
        threshold: config.breakerThreshold,
        firstPause: config.breakerFirstPause,
        maxPause: config.breakerMaxPause,
        maxWindow: config.webhookConcurrency * inHandPerRequest,
      },
      onTried: (batch) => this.#tell(batch),
      onSettled: (batch, { standings, superseded }) => {
        for (const { attempt } of superseded) void this.#leases.lose(attempt.webhook);
        this.#settled(batch, standings);
      },
    });
    metrics.inHand = () => this.#total;
    const total = config.workerConcurrency;
    const reader = (lane: Lane, windowShare: number, slots: number, pollMs: number) =>
      new LaneReader({
        sql: this.#queue.pool,
        leases: this.#leases,
        lane,
        windowShare,
        pollMs,
        metrics,
        log,
        clock: this.#clock,
        free: () => Math.min(total - this.#total, slots - (this.#inHand[lane] ?? 0)),
        // Destinations that fail may fill half of the slots, never all of them; a user's request is not held back.
        freeForFailing: () =>
          lane === lanes.requested ? total - this.#total : Math.ceil(total / 2) - this.#failingInHand,
        onDue: (webhook, due) => this.#takeInHand(lane, webhook, due),
      });
    const laterPollMs = Math.min(config.pollMs, laterLanesPollMs);
    this.#readers = [
      reader(lanes.first, 1, total, config.pollMs),
      reader(lanes.retry, 4, Math.ceil(total / 2), laterPollMs),
      reader(lanes.replay, 4, Math.ceil(total / 4), laterPollMs),
      reader(lanes.requested, 4, Math.ceil(total / 4), laterPollMs),
    ];
  }

  start(): void {
    const [firstTries] = this.#readers;
    this.#unsubscribe = this.#parts.database.notifications.subscribe(deliveriesChannel, () => firstTries?.wake());
    this.#leases.start();
    for (const reader of this.#readers) reader.start();
  }

  /** Reads nothing more, finishes what has begun, and gives the webhooks free for other workers. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe?.();
    await Promise.all(this.#readers.map((reader) => reader.stop()));
    for (const turn of this.#gate.clear()) this.#putDown(turn as Attempt);
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#total === 0) resolve();
    });
    await this.#settler.close();
    await this.#leases.stop();
    await this.#queue.close();
  }

  get #total(): number {
    return this.#inHand.reduce((sum, count) => sum + count);
  }

  async #takeInHand(lane: Lane, webhook: ServedWebhook, due: readonly DueDelivery[]): Promise<number> {
    const target = await this.#targets.of(due);
    if (!target || this.#stopping) {
      for (const { eventId } of due) webhook.putDown(lane, eventId);
      return due.length;
    }
    const ready = await this.#largeTexts.read(due);
    if (ready.length < due.length) {
      for (const delivery of due) if (!ready.includes(delivery)) webhook.putDown(lane, delivery.eventId);
      webhook.expectMore(lane);
    }
    webhook.learn(target);
    for (const attempt of this.#sign(lane, webhook, target, ready)) {
      this.#count(attempt, +1);
      this.#gate.enter(attempt);
    }
    return ready.length;
  }

  /** Signed together: one after the other between requests, each signature costs twice as much. */
  #sign(lane: Lane, webhook: ServedWebhook, target: Target, due: readonly DueDelivery[]): Attempt[] {
    const host = this.#gate.host(target.origin);
    const now = this.#clock.now();
    try {
      return due.map((delivery) => {
        const event = { id: delivery.eventId, text: delivery.eventText };
        const request = signedRequest(target, event, { now, userAgent: this.#parts.userAgent });
        return new Attempt({ delivery, lane, webhook, target, host, request }, this.#send);
      });
    } catch (error) {
      for (const delivery of due) this.#largeTexts.release(delivery);
      throw error;
    }
  }

  readonly #send = async (attempt: Attempt): Promise<void> => {
    const { delivery, webhook, target } = attempt;
    // Waited so long for a place that the webhook may have changed or passed to another worker: read again.
    if (attempt.isStale || webhook.isGone || !this.#leases.holds(webhook)) {
      this.#gate.leave(attempt);
      this.#putDown(attempt);
      for (const reader of this.#readers) reader.madeRoom();
      return;
    }
    const startedAt = Math.round(this.#clock.nowMs());
    const outcome = await traceAttempt(delivery, target.url, () => this.#parts.sender.send(attempt.request));
    if (outcome.kind === 'gone') webhook.isGone = true;
    this.#gate.leave(attempt);
    const verdict = this.#judge(attempt, outcome);
    const { token: leaseToken, standing } = webhook;
    this.#settler.add({ attempt, delivery, leaseToken, standing, url: target.url, startedAt, outcome, verdict });
  };

  #judge({ delivery, target }: Attempt, outcome: Outcome): Verdict {
    const { retrySchedule, retryJitter, retryAfterMax } = this.#parts.config;
    const policy = {
      schedule: target.retrySchedule ?? retrySchedule,
      jitter: retryJitter,
      retryAfterMax,
    };
    return judge(policy, delivery.tries + 1, outcome, Math.random());
  }

  /** Told of together, for the same reason. */
  #tell(batch: readonly Tried[]): void {
    const { metrics, log } = this.#parts;
    for (const { delivery, outcome, verdict } of batch) {
      if (verdict.state === 'POSTPONED') {
        log.error({ ...attemptLine(delivery, outcome, verdict), event: 'delivery.not-sent' }, 'A lack of this process');
        continue;
      }
      metrics.attempted(delivery, outcome);
      log.info(attemptLine(delivery, outcome, verdict));
    }
  }

  #settled(batch: readonly Tried[], standings: ReadonlyMap<number, Health>): void {
    for (const [webhookId, standing] of standings) {
      const webhook = this.#leases.get(webhookId);
      if (webhook) webhook.standing = standing;
    }
    for (const { attempt } of batch) this.#putDown(attempt);
    for (const reader of this.#readers) reader.madeRoom();
  }

  #putDown(attempt: Attempt): void {
    attempt.webhook.putDown(attempt.lane, attempt.delivery.eventId);
    this.#largeTexts.release(attempt.delivery);
    this.#count(attempt, -1);
    if (this.#total === 0) this.#onIdle?.();
  }

  #count({ lane, wasFailing }: Attempt, by: 1 | -1): void {
    this.#inHand[lane] = (this.#inHand[lane] ?? 0) + by;
    if (wasFailing) this.#failingInHand += by;
  }
}

function attemptLine(delivery: DueDelivery, outcome: Outcome, verdict: Verdict): object {
  const line = {
    event: 'delivery.attempted',
    deliveryId: `${delivery.eventId}-${delivery.webhookId}`,
    type: delivery.type,
    attempt: delivery.attempts + 1,
    outcome: outcome.kind,
    status: outcome.answer?.status,
    tookMs: Math.round(outcome.phases.totalMs * 10) / 10,
  };
  if (verdict.state === 'DELIVERED') return line;
  const reason = outcome.kind === 'unreachable' ? outcome.reason : undefined;
  const detail = outcome.kind === 'unreachable' ? outcome.detail : undefined;
  const retryInSeconds = 'waitSeconds' in verdict ? verdict.waitSeconds : undefined;
  return { ...line, reason, detail, verdict: verdict.state, retryInSeconds };
}
