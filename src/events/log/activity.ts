import Type, { type Static } from 'typebox';
import { type AttemptGist, AttemptGistAnswer, attemptGistAnswer } from './attempt.ts';
import { DeliveryAnswer, deliveryId } from './delivery.ts';

const hourMs = 3_600_000;
const hoursShown = 24;
/** Of the deliveries that wait. */
export const maxExactCount = 10_000;

/** What a webhook has done of late. */
export interface Activity {
  webhookId: number;
  /** Hours in which something was tried. */
  hours: readonly { start: Date; delivered: number; failed: number; discarded: number }[];
  /** Deliveries in the queue, counted up to `maxExactCount` and one more. */
  waiting: number;
  last: (AttemptGist & { eventId: number }) | null;
}

const HourAnswer = Type.Object({
  start: Type.String(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
});

const WebhookActivity = Type.Object({
  webhookId: Type.Integer(),
  delivered: Type.Integer({ description: 'Tries that succeeded' }),
  failed: Type.Integer({ description: 'Tries that failed' }),
  discarded: Type.Integer({ description: 'Deliveries that were given up' }),
  successRate: Type.Optional(Type.Number({ description: 'Share of the tries, 0 to 1; absent without tries' })),
  hours: Type.Array(HourAnswer, { description: 'The tries by hour, the oldest first' }),
  waiting: Type.Integer({ description: `Deliveries that wait for a try, counted up to ${maxExactCount}` }),
  waitingIsExact: Type.Boolean({ description: `False when more than ${maxExactCount} wait` }),
  lastDelivery: Type.Optional(
    Type.Object(
      { id: DeliveryAnswer.properties.id, eventId: Type.Integer(), ...AttemptGistAnswer.properties },
      { description: 'The newest event that was tried, and the last try of it' },
    ),
  ),
});

export const ActivityAnswer = Type.Object({
  since: Type.String(),
  until: Type.String(),
  webhooks: Type.Array(WebhookActivity),
});

/** The hour that is under way and those before it, a day in all. */
export function lastDay(now: Date): { since: Date; until: Date } {
  const until = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  return { since: new Date(until - hoursShown * hourMs), until: new Date(until) };
}

export const activityAnswer = (
  { since, until }: { since: Date; until: Date },
  activities: readonly Activity[],
): Static<typeof ActivityAnswer> => ({
  since: since.toISOString(),
  until: until.toISOString(),
  webhooks: activities.map((activity) => webhookActivity(since, activity)),
});

function webhookActivity(since: Date, { webhookId, hours, waiting, last }: Activity): Static<typeof WebhookActivity> {
  const byStart = new Map(hours.map((hour) => [hour.start.getTime(), hour]));
  const sum = (kind: 'delivered' | 'failed' | 'discarded') => hours.reduce((total, hour) => total + hour[kind], 0);
  const delivered = sum('delivered');
  const failed = sum('failed');
  const tries = delivered + failed;
  return {
    webhookId,
    delivered,
    failed,
    discarded: sum('discarded'),
    ...(tries > 0 && { successRate: Math.round((delivered / tries) * 10_000) / 10_000 }),
    hours: Array.from({ length: hoursShown }, (_, n) => {
      const start = since.getTime() + n * hourMs;
      const hour = byStart.get(start);
      return { start: new Date(start).toISOString(), delivered: hour?.delivered ?? 0, failed: hour?.failed ?? 0 };
    }),
    waiting: Math.min(waiting, maxExactCount),
    waitingIsExact: waiting <= maxExactCount,
    ...(last && {
      lastDelivery: { id: deliveryId(last.eventId, webhookId), eventId: last.eventId, ...attemptGistAnswer(last) },
    }),
  };
}
