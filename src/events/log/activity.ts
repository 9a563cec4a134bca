import Type, { type Static } from 'typebox';
import { type AttemptSummary, AttemptSummaryResponse, attemptSummaryResponse } from './attempt.ts';
import { DeliveryResponse, deliveryId } from './delivery.ts';

const hourMs = 3_600_000;
const hoursShown = 24;
/** Limit for counting waiting deliveries. */
export const maxCounted = 10_000;

export interface Activity {
  webhookId: number;
  /** Only hours with attempts. */
  hours: readonly { start: Date; delivered: number; failed: number; discarded: number }[];
  /** Deliveries in the queue, counted up to `maxCounted` + 1. */
  waiting: number;
  last: (AttemptSummary & { eventId: number }) | null;
}

const HourResponse = Type.Object({
  start: Type.String(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
});

const WebhookActivity = Type.Object({
  webhookId: Type.Integer(),
  delivered: Type.Integer({ description: 'Successful attempts' }),
  failed: Type.Integer({ description: 'Failed attempts' }),
  discarded: Type.Integer({ description: 'Discarded deliveries' }),
  successRate: Type.Optional(
    Type.Number({ description: 'Share of successful attempts, 0 to 1; absent without attempts' }),
  ),
  hours: Type.Array(HourResponse, { description: 'Attempts per hour, oldest first' }),
  waiting: Type.Integer({ description: `Deliveries waiting for an attempt, counted up to ${maxCounted}` }),
  waitingIsExact: Type.Boolean({ description: `False when more than ${maxCounted} deliveries are waiting` }),
  lastDelivery: Type.Optional(
    Type.Object(
      { id: DeliveryResponse.properties.id, eventId: Type.Integer(), ...AttemptSummaryResponse.properties },
      { description: 'The newest event with an attempt, and its last attempt' },
    ),
  ),
});

export const ActivityResponse = Type.Object({
  since: Type.String(),
  until: Type.String(),
  webhooks: Type.Array(WebhookActivity),
});

/** The current hour and the 23 hours before it. */
export function lastDay(now: Date): { since: Date; until: Date } {
  const until = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  return { since: new Date(until - hoursShown * hourMs), until: new Date(until) };
}

export const activityResponse = (
  { since, until }: { since: Date; until: Date },
  activities: readonly Activity[],
): Static<typeof ActivityResponse> => ({
  since: since.toISOString(),
  until: until.toISOString(),
  webhooks: activities.map((activity) => webhookActivity(since, activity)),
});

function webhookActivity(since: Date, { webhookId, hours, waiting, last }: Activity): Static<typeof WebhookActivity> {
  const byStart = new Map(hours.map((hour) => [hour.start.getTime(), hour]));
  const sum = (kind: 'delivered' | 'failed' | 'discarded') => hours.reduce((total, hour) => total + hour[kind], 0);
  const delivered = sum('delivered');
  const failed = sum('failed');
  const attempts = delivered + failed;
  return {
    webhookId,
    delivered,
    failed,
    discarded: sum('discarded'),
    ...(attempts > 0 && { successRate: Math.round((delivered / attempts) * 10_000) / 10_000 }),
    hours: Array.from({ length: hoursShown }, (_, n) => {
      const start = since.getTime() + n * hourMs;
      const hour = byStart.get(start);
      return { start: new Date(start).toISOString(), delivered: hour?.delivered ?? 0, failed: hour?.failed ?? 0 };
    }),
    waiting: Math.min(waiting, maxCounted),
    waitingIsExact: waiting <= maxCounted,
    ...(last && {
      lastDelivery: { id: deliveryId(last.eventId, webhookId), eventId: last.eventId, ...attemptSummaryResponse(last) },
    }),
  };
}
