import Type, { type Static } from 'typebox';
import { type Delivery, DeliveryResponse, DeliveryState, deliveryResponse, type WebhookStatus } from './delivery.ts';
import { explain, skipReasons, summarize, type WebhookMatch } from './explain.ts';

export interface RecordedEvent {
  eventId: number;
  partnerId: number;
  type: string;
  recordedAt: Date;
  text: string;
}

export interface EventWebhookMatch extends WebhookMatch {
  webhook: WebhookStatus & { id: number; partnerId: number; type: string; pushUrl: string };
  delivery: Delivery | null;
}

export const EventResponse = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  salesPartnerId: Type.Integer({ description: 'Partner of the event' }),
  recordedAt: Type.String(),
  event: Type.Record(Type.String(), Type.Unknown(), { description: 'The event as delivered' }),
});

export const ListedEventResponse = Type.Object({
  ...EventResponse.properties,
  summary: Type.Optional(Type.String({ description: 'Summary of its deliveries; only with withSummary' })),
  webhooksCount: Type.Optional(
    Type.Integer({ description: 'Number of webhooks with a delivery; only with withSummary' }),
  ),
});

const { id, attempts, nextTry, heldUp, lastAttempt } = DeliveryResponse.properties;

const EventDeliveryResponse = Type.Object({
  webhookId: Type.Integer(),
  salesPartnerId: Type.Integer({ description: 'Partner that owns the webhook' }),
  pushUrl: Type.String(),
  state: Type.Enum([...DeliveryState.enum, 'SKIPPED']),
  reason: Type.Optional(Type.Enum(Object.keys(skipReasons))),
  message: Type.Optional(Type.String({ description: 'Explanation of the reason' })),
  deliveryId: Type.Optional(id),
  attempts: Type.Optional(attempts),
  nextTry,
  heldUp,
  lastAttempt,
});

export const EventDetailsResponse = Type.Object({
  ...EventResponse.properties,
  summary: Type.String(),
  deliveries: Type.Array(EventDeliveryResponse, {
    description: 'State of the delivery to each webhook visible to the caller',
  }),
});

export const eventResponse = (event: RecordedEvent): Static<typeof EventResponse> => ({
  id: event.eventId,
  type: event.type,
  salesPartnerId: event.partnerId,
  recordedAt: event.recordedAt.toISOString(),
  event: JSON.parse(event.text),
});

export const eventDetailsResponse = (
  event: RecordedEvent,
  matches: readonly EventWebhookMatch[],
  { isComplete, now }: { isComplete: boolean; now: Date },
): Static<typeof EventDetailsResponse> => ({
  ...eventResponse(event),
  summary: eventSummary(event, matches, isComplete).summary,
  deliveries: matches.map((match) => eventDeliveryResponse(match, now)),
});

export function eventSummary(
  { type }: RecordedEvent,
  matches: readonly EventWebhookMatch[],
  isComplete: boolean,
): { summary: string; webhooksCount: number } {
  const results = matches.map(explain);
  return {
    summary: summarize(type, results, isComplete),
    webhooksCount: results.filter(({ state }) => state !== 'SKIPPED').length,
  };
}

function eventDeliveryResponse(match: EventWebhookMatch, now: Date): Static<typeof EventDeliveryResponse> {
  const { webhook, delivery } = match;
  const result = explain(match);
  const common = { webhookId: webhook.id, salesPartnerId: webhook.partnerId, pushUrl: webhook.pushUrl, ...result };
  if ('reason' in result) return { ...common, message: skipReasons[result.reason] };
  if (!delivery) return common;
  const { id: deliveryId, attempts, nextTry, heldUp, lastAttempt } = deliveryResponse(delivery, webhook, now);
  return {
    ...common,
    deliveryId,
    attempts,
    ...(nextTry !== undefined && { nextTry }),
    ...(heldUp && { heldUp }),
    ...(lastAttempt && { lastAttempt }),
  };
}
