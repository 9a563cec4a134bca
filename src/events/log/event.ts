import Type, { type Static } from 'typebox';
import { type Delivery, DeliveryAnswer, DeliveryState, deliveryAnswer, type Standing } from './delivery.ts';
import { type Encounter, explain, skipReasons, summarize } from './explain.ts';

export interface RecordedEvent {
  eventId: number;
  partnerId: number;
  type: string;
  recordedAt: Date;
  text: string;
}

export interface EventEncounter extends Encounter {
  webhook: Standing & { id: number; partnerId: number; type: string; pushUrl: string };
  delivery: Delivery | null;
}

export const EventAnswer = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  salesPartnerId: Type.Integer({ description: 'Whose event it is' }),
  recordedAt: Type.String(),
  event: Type.Record(Type.String(), Type.Unknown(), { description: 'The event as it is delivered' }),
});

export const ListedEventAnswer = Type.Object({
  ...EventAnswer.properties,
  summary: Type.Optional(Type.String({ description: 'What became of it, in a sentence; when asked for' })),
  webhooksCount: Type.Optional(
    Type.Integer({ description: 'To how many webhooks it went or will go; when asked for' }),
  ),
});

const { id, attempts, nextTry, heldUp, lastAttempt } = DeliveryAnswer.properties;

const EventDeliveryAnswer = Type.Object({
  webhookId: Type.Integer(),
  salesPartnerId: Type.Integer({ description: 'Whose webhook it is' }),
  pushUrl: Type.String(),
  state: Type.Enum([...DeliveryState.enum, 'SKIPPED']),
  reason: Type.Optional(Type.Enum(Object.keys(skipReasons))),
  message: Type.Optional(Type.String({ description: 'Why it was skipped, in words' })),
  deliveryId: Type.Optional(id),
  attempts: Type.Optional(attempts),
  nextTry,
  heldUp,
  lastAttempt,
});

export const EventStoryAnswer = Type.Object({
  ...EventAnswer.properties,
  summary: Type.String(),
  deliveries: Type.Array(EventDeliveryAnswer, { description: 'What became of it for each webhook that you can see' }),
});

export const eventAnswer = (event: RecordedEvent): Static<typeof EventAnswer> => ({
  id: event.eventId,
  type: event.type,
  salesPartnerId: event.partnerId,
  recordedAt: event.recordedAt.toISOString(),
  event: JSON.parse(event.text),
});

export const eventStoryAnswer = (
  event: RecordedEvent,
  encounters: readonly EventEncounter[],
  { sawAll, now }: { sawAll: boolean; now: Date },
): Static<typeof EventStoryAnswer> => ({
  ...eventAnswer(event),
  summary: outcomeOf(event, encounters, sawAll).summary,
  deliveries: encounters.map((encounter) => eventDeliveryAnswer(encounter, now)),
});

/** What became of an event, in a sentence and as a number. */
export function outcomeOf(
  { type }: RecordedEvent,
  encounters: readonly EventEncounter[],
  sawAll: boolean,
): { summary: string; webhooksCount: number } {
  const fates = encounters.map(explain);
  return {
    summary: summarize(type, fates, sawAll),
    webhooksCount: fates.filter(({ state }) => state !== 'SKIPPED').length,
  };
}

function eventDeliveryAnswer(encounter: EventEncounter, now: Date): Static<typeof EventDeliveryAnswer> {
  const { webhook, delivery } = encounter;
  const fate = explain(encounter);
  const common = { webhookId: webhook.id, salesPartnerId: webhook.partnerId, pushUrl: webhook.pushUrl, ...fate };
  if ('reason' in fate) return { ...common, message: skipReasons[fate.reason] };
  if (!delivery) return common;
  const { id: deliveryId, attempts, nextTry, heldUp, lastAttempt } = deliveryAnswer(delivery, webhook, now);
  return {
    ...common,
    deliveryId,
    attempts,
    ...(nextTry !== undefined && { nextTry }),
    ...(heldUp && { heldUp }),
    ...(lastAttempt && { lastAttempt }),
  };
}
