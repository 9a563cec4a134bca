import Type, { type Static } from 'typebox';
import type { Period } from '../../http/period.ts';
import { invalidField } from '../../problems.ts';
import { latencyBinCount, percentile } from '../delivery/latency-bins.ts';
import { type AttemptSummary, AttemptSummaryResponse, attemptSummaryResponse } from './attempt.ts';
import { DeliveryResponse, deliveryId } from './delivery.ts';

export const bucketSeconds = { MINUTE: 60, HOUR: 3600, DAY: 86_400 } as const;
type BucketName = keyof typeof bucketSeconds;
export const bucketNames = Object.keys(bucketSeconds) as BucketName[];

/** Older minutes are aggregated into hours. */
export const minutesKeptDays = 2;
const maxBuckets = 1500;
const hourMs = 3_600_000;

type Counts = Record<'delivered' | 'failed' | 'discarded', number>;

export interface Tally extends Counts {
  latency: readonly number[];
}

const TallyResponse = Type.Object({
  delivered: Type.Integer({ description: 'Successful attempts' }),
  failed: Type.Integer({ description: 'Failed attempts' }),
  discarded: Type.Integer({ description: 'Discarded deliveries' }),
  successRate: Type.Optional(
    Type.Number({ description: 'Share of successful attempts, 0 to 1; absent without attempts' }),
  ),
  latency: Type.Optional(
    Type.Object(
      { p50: Type.Number(), p90: Type.Number(), p95: Type.Number(), p99: Type.Number() },
      {
        description:
          'Latency percentiles in milliseconds, rounded up by at most 25 %; 35873.2 means more than 28698.6; absent ' +
          'without attempts',
      },
    ),
  ),
});

export const StatisticsResponse = Type.Object({
  since: Type.String(),
  until: Type.String(),
  bucket: Type.Enum(bucketNames),
  totals: TallyResponse,
  buckets: Type.Array(Type.Object({ start: Type.String(), ...TallyResponse.properties })),
});

/** Whole buckets around a period; `end` is exclusive. */
export interface Span {
  bucket: BucketName;
  start: Date;
  end: Date;
}

export function spanOf({ since, until }: Period, asked: BucketName | undefined, now: Date): Span {
  const bucket = asked ?? bucketFor(since, until, now);
  const width = bucketSeconds[bucket] * 1000;
  const start = new Date(Math.floor(since.getTime() / width) * width);
  const end = new Date((Math.floor(until.getTime() / width) + 1) * width);
  const count = (end.getTime() - start.getTime()) / width;
  if (count > maxBuckets) {
    const message =
      `The period has ${count} buckets of one ${bucket}; the maximum is ${maxBuckets}. ` +
      `Use a shorter period or a larger bucket (${bucketNames.join(', ')}).`;
    throw invalidField('bucket', 'maximum', message);
  }
  if (bucket === 'MINUTE' && start < minutesKeptFrom(now)) {
    const message =
      `Minutes are kept for ${minutesKeptDays} days. Use since ${minutesKeptFrom(now).toISOString()} or later, ` +
      'or bucket HOUR or DAY.';
    throw invalidField('bucket', 'kept', message);
  }
  return { bucket, start, end };
}

function bucketFor(since: Date, until: Date, now: Date): BucketName {
  const hours = (until.getTime() - since.getTime()) / hourMs;
  if (hours <= 3 && since >= minutesKeptFrom(now)) return 'MINUTE';
  return hours <= 7 * 24 ? 'HOUR' : 'DAY';
}

const minutesKeptFrom = (now: Date) =>
  new Date(Math.floor((now.getTime() - minutesKeptDays * 24 * hourMs) / hourMs) * hourMs);

/** All buckets of the span, including empty ones. */
export function statisticsResponse(
  { bucket, start, end }: Span,
  counted: readonly (Tally & { start: Date })[],
): Static<typeof StatisticsResponse> {
  const width = bucketSeconds[bucket] * 1000;
  const tallies = new Map(counted.map((tally) => [tally.start.getTime(), tally]));
  const starts = Array.from(
    { length: (end.getTime() - start.getTime()) / width },
    (_, n) => start.getTime() + n * width,
  );
  return {
    since: start.toISOString(),
    until: end.toISOString(),
    bucket,
    totals: tallyResponse(counted.reduce(sumOf, nothing)),
    buckets: starts.map((moment) => ({
      start: new Date(moment).toISOString(),
      ...tallyResponse(tallies.get(moment) ?? nothing),
    })),
  };
}

const nothing: Tally = { delivered: 0, failed: 0, discarded: 0, latency: new Array(latencyBinCount).fill(0) };

const sumOf = (a: Tally, b: Tally): Tally => ({
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  discarded: a.discarded + b.discarded,
  latency: a.latency.map((count, bin) => count + (b.latency[bin] ?? 0)),
});

function tallyResponse({ latency, ...counted }: Tally): Static<typeof TallyResponse> {
  const counts = countsResponse(counted);
  if (counts.successRate === undefined) return counts;
  const below = (share: number) => percentile(latency, share) ?? 0;
  return { ...counts, latency: { p50: below(0.5), p90: below(0.9), p95: below(0.95), p99: below(0.99) } };
}

function countsResponse({ delivered, failed, discarded }: Counts): Counts & { successRate?: number } {
  const attempts = delivered + failed;
  const successRate = Math.round((delivered / attempts) * 10_000) / 10_000;
  return { delivered, failed, discarded, ...(attempts > 0 && { successRate }) };
}

const hoursShown = 24;
/** Limit for counting waiting deliveries. */
export const maxCounted = 10_000;

export interface Activity {
  webhookId: number;
  /** Only hours with attempts. */
  hours: readonly (Counts & { start: Date })[];
  /** Deliveries in the queue, counted up to `maxCounted` + 1. */
  waiting: number;
  last: (AttemptSummary & { eventId: number }) | null;
}

const HourResponse = Type.Object({
  start: Type.String(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
});

const { latency: _, ...counts } = TallyResponse.properties;

export const ActivityCounts = Type.Object({
  ...counts,
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

const WebhookActivity = Type.Object({ webhookId: Type.Integer(), ...ActivityCounts.properties });

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
  webhooks: activities.map((activity) => ({
    webhookId: activity.webhookId,
    ...activityCounts(since, [activity]),
  })),
});

/** The sum of the activities. */
export function activityCounts(since: Date, activities: readonly Activity[]): Static<typeof ActivityCounts> {
  const hours = activities.flatMap((activity) => activity.hours);
  const byStart = Map.groupBy(hours, ({ start }) => start.getTime());
  const sum = (kind: keyof Counts, of = hours) => of.reduce((total, hour) => total + hour[kind], 0);
  const waiting = activities.reduce((total, activity) => total + activity.waiting, 0);
  const [last] = activities
    .flatMap(({ webhookId, last: attempt }) => (attempt ? [{ webhookId, attempt }] : []))
    .toSorted((a, b) => b.attempt.startedAt.getTime() - a.attempt.startedAt.getTime());
  return {
    ...countsResponse({ delivered: sum('delivered'), failed: sum('failed'), discarded: sum('discarded') }),
    hours: Array.from({ length: hoursShown }, (_, n) => {
      const start = since.getTime() + n * hourMs;
      const hour = byStart.get(start) ?? [];
      return { start: new Date(start).toISOString(), delivered: sum('delivered', hour), failed: sum('failed', hour) };
    }),
    waiting: Math.min(waiting, maxCounted),
    waitingIsExact: waiting <= maxCounted,
    ...(last && {
      lastDelivery: {
        id: deliveryId(last.attempt.eventId, last.webhookId),
        eventId: last.attempt.eventId,
        ...attemptSummaryResponse(last.attempt),
      },
    }),
  };
}
