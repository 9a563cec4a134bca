import Type, { type Static } from 'typebox';
import { Moment, type Period, readPeriod } from '../../http/period.ts';
import { invalidField } from '../../problems.ts';

const replayableStates = ['DISCARDED', 'DELIVERED', 'SKIPPED'] as const;
export type ReplayableState = (typeof replayableStates)[number];

/** Events of a period that are sent to a webhook once more, at a given pace. */
export interface ReplayOrder extends Period {
  states: readonly ReplayableState[];
  ratePerSecond: number;
}

export interface Replay extends ReplayOrder {
  id: number;
  webhookId: number;
  status: 'CREATED' | 'RUNNING' | 'FINISHED' | 'CANCELLED' | 'FAILED';
  /** How many deliveries it was about when it was ordered. */
  total: number;
  queued: number;
  delivered: number;
  failed: number;
  error: string | null;
  dateCreated: Date;
  dateFinished: Date | null;
}

const defaultRate = 50;
const dayMs = 86_400_000;

export const NewReplay = Type.Object({
  since: Moment,
  until: Type.Optional(Moment),
  states: Type.Optional(
    Type.Array(Type.Enum([...replayableStates]), {
      minItems: 1,
      description:
        'Which deliveries; DISCARDED unless given. SKIPPED are events of its type from before it was there or on',
    }),
  ),
  ratePerSecond: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `The pace, ${defaultRate} unless given` }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only count' })),
});

export const DryRunAnswer = Type.Object({
  dryRun: Type.Literal(true),
  count: Type.Integer({ description: 'How many deliveries would be sent' }),
});

export const ReplayAnswer = Type.Object({
  id: Type.Integer(),
  webhookId: Type.Integer(),
  status: Type.Enum(['CREATED', 'RUNNING', 'FINISHED', 'CANCELLED', 'FAILED']),
  since: Type.String(),
  until: Type.String(),
  states: Type.Array(Type.Enum([...replayableStates])),
  ratePerSecond: Type.Integer(),
  total: Type.Integer({ description: 'How many deliveries it was about when it was ordered' }),
  queued: Type.Integer({ description: 'How many of them have been put into the queue' }),
  delivered: Type.Integer(),
  failed: Type.Integer({ description: 'How many were discarded again' }),
  progress: Type.Integer({ description: 'Per cent' }),
  dateCreated: Type.String(),
  dateFinished: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});

/** The beginning of the oldest day whose events are still kept. */
export const oldestKept = (now: Date, retentionDays: number): Date =>
  new Date(Math.floor(now.getTime() / dayMs - retentionDays) * dayMs);

/** What a request asks for. Events that are no longer kept, or still to come, cannot be replayed. */
export function readOrder(
  body: Static<typeof NewReplay>,
  { now, retentionDays }: { now: Date; retentionDays: number },
): ReplayOrder {
  const { since, until } = readPeriod(body, { until: now, sinceFor: () => now });
  const oldest = oldestKept(now, retentionDays);
  if (since < oldest) {
    const message = `Events are kept for ${retentionDays} days: since must be ${oldest.toISOString()} or later.`;
    throw invalidField('since', 'retention', message);
  }
  if (since > now) throw invalidField('since', 'past', 'since must be in the past.');
  return {
    since,
    until: until > now ? now : until,
    states: [...new Set(body.states ?? ['DISCARDED' as const])],
    ratePerSecond: body.ratePerSecond ?? defaultRate,
  };
}

export const replayResponse = (replay: Replay): Static<typeof ReplayAnswer> => ({
  id: replay.id,
  webhookId: replay.webhookId,
  status: replay.status,
  since: replay.since.toISOString(),
  until: replay.until.toISOString(),
  states: [...replay.states],
  ratePerSecond: replay.ratePerSecond,
  total: replay.total,
  queued: replay.queued,
  delivered: replay.delivered,
  failed: replay.failed,
  progress: progressOf(replay),
  dateCreated: replay.dateCreated.toISOString(),
  ...(replay.dateFinished && { dateFinished: replay.dateFinished.toISOString() }),
  ...(replay.error !== null && { error: replay.error }),
});

/** Some of the counted deliveries may have been sent by other means meanwhile: a finished replay is at 100. */
function progressOf({ status, total, delivered, failed }: Replay): number {
  if (status === 'FINISHED') return 100;
  return Math.min(100, Math.floor((100 * (delivered + failed)) / Math.max(1, total)));
}
