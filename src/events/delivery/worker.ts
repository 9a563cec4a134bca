import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Database } from '../../database/connection.ts';
import type { DeliveryMetrics } from '../../telemetry/delivery-metrics.ts';
import { traceAttempt } from '../../telemetry/tracing.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import type { Sealer } from '../signing/sealer.ts';
import type { Sender } from '../transport/sender.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { Gate } from './gate.ts';
import { LaneReader } from './lane-reader.ts';
import { type Lane, lanes } from './lanes.ts';
import { openQueueDatabase } from './queue-database.ts';
import { judge } from './retry-policy.ts';
import type { ServedWebhook } from './served-webhook.ts';
import type { Settlement } from './settle.ts';
import { Settler } from './settler.ts';
import { signedRequest, type Target } from './target.ts';
import { TargetMemory } from './target-memory.ts';
import { WebhookLeases } from './webhook-leases.ts';

// Later tries and replays look for work this often at least; their due times are no finer.
const laterLanesPollMs = 250;
// More in hand than requests under way, so that the next one is there when a request is answered.
const inHandPerRequest = 4;

export type WorkerConfig = Pick<
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

/** A delivery in hand: taken from the queue's head under its webhook's lease, not yet settled. */
interface InHand {
  delivery: DueDelivery;
  lane: Lane;
  served: ServedWebhook;
}

/** Takes due deliveries and sends them: lease → read → sign → send → judge → settle. */
export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #queue: Database;
  readonly #leases: WebhookLeases;
  readonly #gate: Gate;
  readonly #settler: Settler;
  readonly #targets: TargetMemory;
  readonly #readers: LaneReader[];
  readonly #inHand = new Map<DueDelivery, InHand>();
  readonly #laneCounts = [0, 0, 0];
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
    this.#leases = new WebhookLeases({ database: this.#queue, leaseSeconds: config.leaseSeconds, log });
    this.#settler = new Settler({
      database: this.#queue,
      metrics,
      log,
      policy: {
        threshold: config.breakerThreshold,
        firstPause: config.breakerFirstPause,
        maxPause: config.breakerMaxPause,
        maxWindow: config.webhookConcurrency * inHandPerRequest,
      },
      onSettled: (batch) => this.#settled(batch),
    });
    metrics.inHand = () => this.#inHand.size;
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
        free: () => Math.min(total - this.#inHand.size, slots - (this.#laneCounts[lane] ?? 0)),
        // Destinations that fail may fill half of the slots, never all of them.
        failingToo: () => this.#failingInHand < total / 2,
        onDue: (served, due) => this.#takeInHand(lane, served, due),
      });
    const laterPollMs = Math.min(config.pollMs, laterLanesPollMs);
    this.#readers = [
      reader(lanes.first, 1, total, config.pollMs),
      reader(lanes.retry, 4, Math.ceil(total / 2), laterPollMs),
      reader(lanes.replay, 4, Math.ceil(total / 4), laterPollMs),
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
    for (const { delivery } of this.#gate.clear()) this.#putDown(delivery);
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#inHand.size === 0) resolve();
    });
    await this.#settler.close();
    await this.#leases.stop();
    await this.#queue.close();
  }

  async #takeInHand(lane: Lane, served: ServedWebhook, due: readonly DueDelivery[]): Promise<void> {
    for (const delivery of due) {
      this.#inHand.set(delivery, { delivery, lane, served });
      this.#count(delivery, lane, +1);
    }
    const targets = await this.#targets.of(due);
    const target = targets.get(served.webhookId);
    for (const delivery of due) {
      if (!target || this.#stopping) this.#putDown(delivery);
      else {
        const start = () => this.#attempt(delivery, served, target);
        this.#gate.enter({ delivery, webhookId: served.webhookId, origin: target.origin, start });
      }
    }
  }

  async #attempt(delivery: DueDelivery, served: ServedWebhook, target: Target): Promise<void> {
    // Waited so long for a place that the webhook has passed to another worker.
    if (!this.#leases.holds(served)) return this.#putDown(delivery);
    const { config, sender, metrics, log, userAgent } = this.#parts;
    const startedAt = new Date();
    const event = { id: delivery.eventId, text: delivery.eventText };
    const request = signedRequest(target, event, { now: startedAt, userAgent });
    const outcome = await traceAttempt(delivery, target.url, () => sender.send(request));
    const policy = {
      schedule: target.retrySchedule ?? config.retrySchedule,
      jitter: config.retryJitter,
      retryAfterMax: config.retryAfterMax,
    };
    const verdict = judge(policy, delivery.tries + 1, outcome, { now: new Date(), random: Math.random() });
    metrics.attempted(delivery, outcome);
    log.info({
      event: 'delivery.attempted',
      deliveryId: `${delivery.eventId}-${delivery.webhookId}`,
      type: delivery.type,
      attempt: delivery.attempts + 1,
      outcome: outcome.kind,
      status: outcome.answer?.status,
      reason: outcome.kind === 'unreachable' ? outcome.reason : undefined,
      tookMs: outcome.phases.totalMs,
      next: verdict.state === 'RETRY' ? verdict.dueAt : verdict.state,
    });
    this.#settler.add({ delivery, leaseToken: served.token, url: target.url, startedAt, outcome, verdict });
  }

  #settled(batch: readonly Settlement[]): void {
    for (const { delivery } of batch) this.#putDown(delivery);
    for (const reader of this.#readers) reader.madeRoom();
  }

  #putDown(delivery: DueDelivery): void {
    const held = this.#inHand.get(delivery);
    if (!held) return;
    this.#inHand.delete(delivery);
    held.served.putDown(held.lane, delivery.eventId);
    this.#count(delivery, held.lane, -1);
    if (this.#inHand.size === 0) this.#onIdle?.();
  }

  #count(delivery: DueDelivery, lane: Lane, by: 1 | -1): void {
    this.#laneCounts[lane] = (this.#laneCounts[lane] ?? 0) + by;
    if (delivery.consecutiveFailures > 0) this.#failingInHand += by;
  }
}
