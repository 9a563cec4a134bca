import Type, { type Static } from 'typebox';
import { Moment, type Period, readPeriod } from '../../http/period.ts';
import { taskStatuses } from '../../jobs/tasks/task.ts';
import { invalidField } from '../../problems.ts';

const replayableStates = ['DISCARDED', 'DELIVERED', 'SKIPPED'] as const;
export type ReplayableState = (typeof replayableStates)[number];

export interface ReplayRequest extends Period {
  states: ReplayableState[];
  ratePerSecond: number;
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
        'States of the deliveries to replay, default DISCARDED. SKIPPED: matching events that were recorded before the webhook was created or while it was disabled',
    }),
  ),
  ratePerSecond: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `Deliveries per second, default ${defaultRate}` }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only count the deliveries' })),
});

export const DryRunResponse = Type.Object({
  dryRun: Type.Literal(true),
  count: Type.Integer({ description: 'Number of deliveries that would be sent' }),
});

export const ReplayResponse = Type.Object({
  id: Type.Integer(),
  webhookId: Type.Integer(),
  status: Type.Enum([...taskStatuses]),
  since: Type.String(),
  until: Type.String(),
  states: Type.Array(Type.Enum([...replayableStates])),
  ratePerSecond: Type.Integer(),
  total: Type.Integer({ description: 'Number of matching deliveries when the replay was created' }),
  queued: Type.Integer({ description: 'Number of deliveries queued so far' }),
  delivered: Type.Integer(),
  failed: Type.Integer({ description: 'Number of deliveries that were discarded again' }),
  progress: Type.Integer({ description: 'Percentage' }),
  dateCreated: Type.String(),
  dateFinished: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});

/** Start of the oldest day within the retention period. */
export const oldestKept = (now: Date, retentionDays: number): Date =>
  new Date(Math.floor(now.getTime() / dayMs - retentionDays) * dayMs);

/** Validates the period: it must be within retention and begin in the past. */
export function readReplayRequest(
  body: Static<typeof NewReplay>,
  { now, retentionDays }: { now: Date; retentionDays: number },
): ReplayRequest {
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
