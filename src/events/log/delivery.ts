import Type, { type Static } from 'typebox';
import { type AttemptGist, AttemptGistAnswer, attemptGistAnswer } from './attempt.ts';

/** One event on its way to one webhook. */
export interface Delivery {
  eventId: number;
  webhookId: number;
  type: string;
  recordedAt: Date;
  /** Tries made so far. */
  attempts: number;
  /** When the next try is due, while it waits in the queue. */
  dueAt: Date | null;
  /** A user asked for it: it is sent also while the webhook is paused. */
  isRequested: boolean;
  replayId: number | null;
  /** The last try that counts. Its verdict says how a delivery ended that is not in the queue. */
  lastAttempt: AttemptGist | null;
}

/** What of a webhook decides when its deliveries are sent. */
export interface Standing {
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
    'WAITING for its first try, RETRYING later ones; CANCELLED when before the end the webhook was deleted or moved to another type',
});

export const DeliveryAnswer = Type.Object({
  id: Type.String({ description: 'Event id and webhook id, joined by a hyphen' }),
  eventId: Type.Integer(),
  webhookId: Type.Integer(),
  type: Type.String(),
  state: DeliveryState,
  attempts: Type.Integer({ description: 'How many tries there were' }),
  recordedAt: Type.String(),
  nextTry: Type.Optional(Type.String()),
  heldUp: Type.Optional(
    Type.Object(
      {
        reason: Type.Enum(['WEBHOOK_OFF', 'PAUSED']),
        until: Type.Optional(Type.String()),
        message: Type.String(),
      },
      { description: 'Why it waits although it may be due' },
    ),
  ),
  replayId: Type.Optional(Type.Integer({ description: 'The replay that it waits for' })),
  lastAttempt: Type.Optional(AttemptGistAnswer),
});

export const deliveryId = (eventId: number, webhookId: number): string => `${eventId}-${webhookId}`;

/** Undefined for a text that is no delivery's id. */
export function parseDeliveryId(text: string): { eventId: number; webhookId: number } | undefined {
  const [, eventId, webhookId] = /^([1-9]\d{0,14})-([1-9]\d{0,14})$/.exec(text) ?? [];
  return eventId && webhookId ? { eventId: Number(eventId), webhookId: Number(webhookId) } : undefined;
}

export function stateOf(
  { dueAt, attempts, lastAttempt }: Pick<Delivery, 'dueAt' | 'attempts' | 'lastAttempt'>,
  { deleted }: Pick<Standing, 'deleted'>,
): DeliveryState {
  const verdict = lastAttempt?.verdict;
  if (dueAt === null) return verdict === 'DELIVERED' || verdict === 'DISCARDED' ? verdict : 'CANCELLED';
  if (deleted) return 'CANCELLED';
  return attempts > 0 ? 'RETRYING' : 'WAITING';
}

export function deliveryAnswer(delivery: Delivery, webhook: Standing, now: Date): Static<typeof DeliveryAnswer> {
  const { eventId, webhookId, type, attempts, recordedAt, dueAt, isRequested, replayId, lastAttempt } = delivery;
  return {
    id: deliveryId(eventId, webhookId),
    eventId,
    webhookId,
    type,
    state: stateOf(delivery, webhook),
    attempts,
    recordedAt: recordedAt.toISOString(),
    ...(dueAt && !webhook.deleted && outlook({ dueAt, isRequested }, webhook, now)),
    ...(replayId !== null && { replayId }),
    ...(lastAttempt && { lastAttempt: attemptGistAnswer(lastAttempt) }),
  };
}

/** When a waiting delivery is sent next, and what holds it up. */
function outlook(
  { dueAt, isRequested }: { dueAt: Date; isRequested: boolean },
  { enabled, disabledReason, pausedUntil }: Standing,
  now: Date,
) {
  if (!enabled) {
    const reason = disabledReason ?? 'It was switched off by its owner.';
    const message = `The webhook is off, so nothing is sent until it is enabled. ${reason}`;
    return { heldUp: { reason: 'WEBHOOK_OFF' as const, message } };
  }
  if (isRequested || !pausedUntil || pausedUntil <= now) return { nextTry: dueAt.toISOString() };
  const until = pausedUntil.toISOString();
  const message = `The webhook is paused until ${until}, because its receiver keeps failing. No attempts are spent meanwhile.`;
  const nextTry = (dueAt > pausedUntil ? dueAt : pausedUntil).toISOString();
  return { nextTry, heldUp: { reason: 'PAUSED' as const, until, message } };
}
