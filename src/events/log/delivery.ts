import Type, { type Static } from 'typebox';
import { parseId } from '../../http/ids.ts';
import { type AttemptSummary, AttemptSummaryResponse, attemptSummaryResponse } from './attempt.ts';

/** One event for one webhook. */
export interface Delivery {
  eventId: number;
  webhookId: number;
  type: string;
  recordedAt: Date;
  attempts: number;
  /** Failed attempts since it was queued: fewer than `attempts` if it was queued again after it had ended. */
  tries: number;
  /** Due time of the next attempt; null when the delivery is not in the queue. */
  dueAt: Date | null;
  /** Requested by a user: sent even while the webhook is paused. */
  isRequested: boolean;
  /** The event that an ordered webhook must receive first. */
  waitsFor: number | null;
  replayId: number | null;
  /** The last attempt that was not superseded. Its verdict is final if the delivery is not in the queue. */
  lastAttempt: AttemptSummary | null;
  /** The event as JSON, unless it is large. */
  eventText?: string | null;
}

/** The part of a webhook that decides when its deliveries are sent. */
export interface WebhookStatus {
  enabled: boolean;
  disabledReason: string | null;
  pausedUntil: Date | null;
  deleted: boolean;
}

export const openStates = ['WAITING', 'RETRYING'] as const;
export const endedStates = ['DELIVERED', 'DISCARDED'] as const;

export type DeliveryState = Static<typeof DeliveryState>;

export const DeliveryState = Type.Enum([...openStates, ...endedStates, 'CANCELLED'], {
  description:
    'WAITING: before the first attempt since it was queued or replayed. RETRYING: after a failed attempt. DELIVERED: the receiver accepted the event. DISCARDED: no further attempts, after the last retry, status 410 or a request to discard. CANCELLED: the webhook was deleted or changed to another event type',
});

export const HeldUp = Type.Object(
  {
    reason: Type.Enum(['WEBHOOK_OFF', 'PAUSED', 'WAITING_FOR_EVENT']),
    until: Type.Optional(Type.String()),
    eventId: Type.Optional(Type.Integer({ description: 'WAITING_FOR_EVENT: the event that is sent first' })),
    message: Type.String(),
  },
  { description: 'Why the delivery is not sent although it may be due' },
);

export const DeliveryResponse = Type.Object({
  id: Type.String({ description: 'Event id and webhook id, joined by a hyphen' }),
  eventId: Type.Integer(),
  webhookId: Type.Integer(),
  type: Type.String(),
  event: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The event as delivered, unless it is larger than 16 KiB',
    }),
  ),
  state: DeliveryState,
  attempts: Type.Integer({ description: 'Number of attempts' }),
  recordedAt: Type.String(),
  nextTry: Type.Optional(Type.String()),
  heldUp: Type.Optional(HeldUp),
  replayId: Type.Optional(Type.Integer({ description: 'The replay that queued the delivery' })),
  lastAttempt: Type.Optional(AttemptSummaryResponse),
});

export const deliveryId = (eventId: number, webhookId: number): string => `${eventId}-${webhookId}`;

/** Undefined if the text is not a delivery id. */
export function parseDeliveryId(text: string): { eventId: number; webhookId: number } | undefined {
  const [, ...parts] = /^([1-9]\d*)-([1-9]\d*)$/.exec(text) ?? [];
  const [eventId, webhookId] = parts.map(parseId);
  return eventId && webhookId ? { eventId, webhookId } : undefined;
}

export function stateOf(
  { dueAt, tries, lastAttempt }: Pick<Delivery, 'dueAt' | 'tries' | 'lastAttempt'>,
  { deleted }: Pick<WebhookStatus, 'deleted'>,
): DeliveryState {
  const verdict = lastAttempt?.verdict;
  if (dueAt === null) return verdict === 'DELIVERED' || verdict === 'DISCARDED' ? verdict : 'CANCELLED';
  if (deleted) return 'CANCELLED';
  return tries > 0 ? 'RETRYING' : 'WAITING';
}

export function deliveryResponse(
  delivery: Delivery,
  webhook: WebhookStatus,
  now: Date,
): Static<typeof DeliveryResponse> {
  const { eventId, webhookId, type, attempts, recordedAt, dueAt, replayId, lastAttempt, eventText } = delivery;
  return {
    id: deliveryId(eventId, webhookId),
    eventId,
    webhookId,
    type,
    ...(eventText && { event: JSON.parse(eventText) }),
    state: stateOf(delivery, webhook),
    attempts,
    recordedAt: recordedAt.toISOString(),
    ...(dueAt && !webhook.deleted && nextAttempt({ ...delivery, dueAt }, webhook, now)),
    ...(replayId !== null && { replayId }),
    ...(lastAttempt && { lastAttempt: attemptSummaryResponse(lastAttempt) }),
  };
}

/** Next attempt of a waiting delivery, and the reason if it is held up. */
function nextAttempt(
  { dueAt, isRequested, waitsFor }: Pick<Delivery, 'isRequested' | 'waitsFor'> & { dueAt: Date },
  { enabled, disabledReason, pausedUntil }: WebhookStatus,
  now: Date,
) {
  if (!enabled) {
    const reason = disabledReason ?? 'A user disabled it.';
    const message = `The webhook is disabled. Deliveries are sent after it is enabled again. ${reason}`;
    return { heldUp: { reason: 'WEBHOOK_OFF' as const, message } };
  }
  if (waitsFor !== null) {
    const message = `Waiting for event ${waitsFor}: the webhook is ordered, so earlier events of the same location or business must be delivered or discarded first.`;
    return { heldUp: { reason: 'WAITING_FOR_EVENT' as const, eventId: waitsFor, message } };
  }
  if (isRequested || !pausedUntil || pausedUntil <= now) return { nextTry: dueAt.toISOString() };
  const until = pausedUntil.toISOString();
  const message = `The webhook is paused until ${until} because its receiver keeps failing. The pause does not use up attempts.`;
  const nextTry = (dueAt > pausedUntil ? dueAt : pausedUntil).toISOString();
  return { nextTry, heldUp: { reason: 'PAUSED' as const, until, message } };
}
