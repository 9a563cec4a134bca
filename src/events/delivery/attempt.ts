import { isTracing, type OpenSpan, startSpan, storedTrace } from '../../telemetry/tracing.ts';
import type { Outcome } from '../transport/outcome.ts';
import type { HostShare, LimitedTask } from './concurrency-limiter.ts';
import type { DueDelivery, Lane } from './delivery-queue.ts';
import type { LeasedWebhook } from './leased-webhook.ts';
import type { SendTarget, SignedRequest } from './target.ts';

// A signed request and its webhook data are used for at most this long; later changes apply to later attempts.
const maxAgeMs = 1000;

type AttemptParts = Pick<Attempt, 'delivery' | 'lane' | 'webhook' | 'target' | 'share' | 'request'>;

/** A claimed delivery: waiting to be sent, in flight, or waiting to be settled. */
export class Attempt implements LimitedTask {
  readonly delivery: DueDelivery;
  readonly lane: Lane;
  readonly webhook: LeasedWebhook;
  readonly target: SendTarget;
  readonly share: HostShare;
  readonly request: SignedRequest;
  /** Whether the destination was failing when the delivery was claimed. */
  readonly wasFailing: boolean;
  readonly #claimedAt = performance.now();
  readonly #send: (attempt: Attempt) => void;

  constructor(parts: AttemptParts, send: (attempt: Attempt) => void) {
    this.delivery = parts.delivery;
    this.lane = parts.lane;
    this.webhook = parts.webhook;
    this.target = parts.target;
    this.share = parts.share;
    this.request = parts.request;
    this.wasFailing = parts.webhook.isFailing;
    this.#send = send;
  }

  get isStale(): boolean {
    return performance.now() - this.#claimedAt > maxAgeMs;
  }

  start(): void {
    this.#send(this);
  }
}

type TracedDelivery = Pick<DueDelivery, 'eventId' | 'webhookId' | 'attempts' | 'type' | 'traceparent'>;

/** The span of an attempt continues the trace of the event. Undefined if tracing is disabled. */
export function startAttemptSpan(delivery: TracedDelivery, url: string): OpenSpan | undefined {
  // Parsing the URL of every attempt takes time.
  if (!isTracing()) return undefined;
  return startSpan('delivery.attempt', {
    kind: 'client',
    parent: delivery.traceparent === null ? null : storedTrace(delivery.traceparent),
    attributes: {
      'waypost.event_id': delivery.eventId,
      'waypost.webhook_id': delivery.webhookId,
      'waypost.event_type': delivery.type,
      'waypost.attempt': delivery.attempts + 1,
      'server.address': new URL(url).hostname,
    },
  });
}

export const endAttemptSpan = (span: OpenSpan, { kind, response }: Pick<Outcome, 'kind' | 'response'>): void =>
  span.end({
    failed: kind !== 'delivered',
    attributes: { 'waypost.outcome': kind, ...(response && { 'http.response.status_code': response.status }) },
  });
