import { type OpenSpan, startSpan } from '../../telemetry/tracing.ts';
import type { Outcome } from '../transport/outcome.ts';
import type { DueDelivery } from './delivery-queue.ts';

type TracedDelivery = Pick<DueDelivery, 'eventId' | 'webhookId' | 'attempts' | 'type' | 'traceparent'>;

/** The span of an attempt continues the trace of the event. Undefined if tracing is disabled. */
export const startAttemptSpan = (delivery: TracedDelivery, url: string): OpenSpan | undefined =>
  startSpan('delivery.attempt', {
    kind: 'client',
    parent: delivery.traceparent,
    attributes: {
      'waypost.event_id': delivery.eventId,
      'waypost.webhook_id': delivery.webhookId,
      'waypost.event_type': delivery.type,
      'waypost.attempt': delivery.attempts + 1,
      'server.address': new URL(url).hostname,
    },
  });

export const endAttemptSpan = (span: OpenSpan, { kind, response }: Pick<Outcome, 'kind' | 'response'>): void =>
  span.end({
    failed: kind !== 'delivered',
    attributes: { 'waypost.outcome': kind, ...(response && { 'http.response.status_code': response.status }) },
  });
