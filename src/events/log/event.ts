import Type, { type Static } from 'typebox';
import { type Filter, filterText } from '../subscriptions/filter.ts';
import {
  type Delivery,
  DeliveryResponse,
  DeliveryState,
  deliveryResponse,
  stateOf,
  type WebhookStatus,
} from './delivery.ts';

/** Settings of a webhook at a moment in the past. */
export interface PastWebhook {
  type: string;
  enabled: boolean;
  includeChildren: boolean;
  deleted: boolean;
  /** The filter, if it had one, and whether the event matches it by the current data of its location. */
  filter: Filter | null;
  matches: boolean;
}

/** An event and a webhook that could have received it. */
export interface WebhookMatch {
  event: { type: string; partnerId: number };
  webhook: Pick<WebhookStatus, 'deleted'> & { partnerId: number; type: string };
  /** The webhook at the time of the event; null if it did not exist yet. */
  past: PastWebhook | null;
  /** Null if there is no queue row and no attempt. */
  delivery: Pick<Delivery, 'dueAt' | 'tries' | 'lastAttempt'> | null;
}

const skipReasons = {
  CREATED_LATER: 'The webhook was created after this event was recorded.',
  WAS_DELETED: 'The webhook was deleted before this event was recorded.',
  OTHER_TYPE: 'The webhook was subscribed to another event type when this event was recorded.',
  WAS_OFF: 'The webhook was disabled when this event was recorded.',
  CHILDREN_EXCLUDED: 'This is an event of a child partner, and the webhook did not include child partners.',
  FILTERED: 'The event did not match the filter of the webhook.',
  JUST_CHANGED: 'The webhook was being changed while this event was recorded.',
} as const;

type SkipReason = keyof typeof skipReasons;

export type DeliveryResult = { state: DeliveryState } | { state: 'SKIPPED'; reason: SkipReason };

export function explain(match: WebhookMatch): DeliveryResult {
  const { delivery, webhook, event } = match;
  if (delivery) return { state: stateOf(delivery, webhook) };
  const reason = reasonToSkip(match);
  if (reason) return { state: 'SKIPPED', reason };
  // There was a delivery, and it was deleted with the webhook or when the webhook changed its type.
  if (webhook.deleted || webhook.type !== event.type) return { state: 'CANCELLED' };
  // An event that matches now did not match when it was recorded: the labels or the business of the location changed.
  return { state: 'SKIPPED', reason: match.past?.filter ? 'FILTERED' : 'JUST_CHANGED' };
}

function reasonToSkip({ event, webhook, past }: WebhookMatch): SkipReason | undefined {
  if (!past) return 'CREATED_LATER';
  if (past.deleted) return 'WAS_DELETED';
  if (past.type !== event.type) return 'OTHER_TYPE';
  if (!past.enabled) return 'WAS_OFF';
  if (webhook.partnerId !== event.partnerId && !past.includeChildren) return 'CHILDREN_EXCLUDED';
  if (!past.matches) return 'FILTERED';
  return undefined;
}

const verbs: Record<DeliveryState, string> = {
  DELIVERED: 'delivered to',
  RETRYING: 'being retried for',
  WAITING: 'waiting to be sent to',
  DISCARDED: 'discarded for',
  CANCELLED: 'cancelled for',
};

/** Summarizes the results of an event. `isComplete`: the caller sees all webhooks that could have received it. */
export function summarize(type: string, results: readonly DeliveryResult[], isComplete: boolean): string {
  const parts = Object.entries(verbs).flatMap(([state, verb]) => {
    const count = results.filter((result) => result.state === state).length;
    return count > 0 ? [`${verb} ${webhooks(count)}`] : [];
  });
  if (parts.length > 0) return `${capitalize(new Intl.ListFormat('en').format(parts))}.`;
  const count = (reason: SkipReason) =>
    results.filter((result) => 'reason' in result && result.reason === reason).length;
  const off = count('WAS_OFF');
  const excluding = count('CHILDREN_EXCLUDED');
  const filtering = count('FILTERED');
  if (off > 0)
    return `Not sent: ${webhooks(off)} for ${type} ${off > 1 ? 'were' : 'was'} disabled when it was recorded.`;
  if (excluding > 0) return `Not sent: ${webhooks(excluding)} for ${type} did not include child partners.`;
  if (filtering > 0)
    return `Not sent: it did not match the ${filtering > 1 ? 'filters' : 'filter'} of ${webhooks(filtering)}.`;
  return `${isComplete ? 'No webhook' : 'None of your webhooks'} was subscribed to ${type} when this event was recorded.`;
}

const webhooks = (count: number) => `${count} ${count > 1 ? 'webhooks' : 'webhook'}`;

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

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

const EventResponse = Type.Object({
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

const skipMessage = (reason: SkipReason, past: PastWebhook | null): string =>
  reason === 'FILTERED' && past?.filter
    ? `The event did not match the filter of the webhook: ${filterText(past.filter)}.`
    : skipReasons[reason];

function eventDeliveryResponse(match: EventWebhookMatch, now: Date): Static<typeof EventDeliveryResponse> {
  const { webhook, delivery } = match;
  const result = explain(match);
  const common = { webhookId: webhook.id, salesPartnerId: webhook.partnerId, pushUrl: webhook.pushUrl, ...result };
  if ('reason' in result) return { ...common, message: skipMessage(result.reason, match.past) };
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
