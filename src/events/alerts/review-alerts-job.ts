import type { Sql } from '../../database/connection.ts';
import { defineJob } from '../../jobs/job.ts';

/** Compares the alerts of a partner with the state of its webhooks. */
export const reviewAlertsJob = defineJob<{ partnerId: number }>('alerts.review', {
  key: ({ partnerId }) => `alerts.review-${partnerId}`,
});

/** Ordered by id to avoid deadlocks: waiting jobs with these keys stay locked until the transaction ends. */
export async function enqueueReviews(sql: Sql, partnerIds: readonly number[]): Promise<void> {
  if (partnerIds.length === 0) return;
  const ids = [...new Set(partnerIds)].sort((a, b) => a - b);
  await reviewAlertsJob.enqueueMany(
    sql,
    ids.map((partnerId) => ({ partnerId })),
  );
}

interface Failures {
  consecutiveFailures: number;
  trips: number;
}

// A receiver that restarts causes one or two failures.
const minFailures = 3;

export const isFailing = ({ consecutiveFailures, trips }: Failures): boolean =>
  trips > 0 || consecutiveFailures >= minFailures;

/** Whether the webhook started to fail, was paused, or recovered. */
export const changesAlerts = (before: Failures, after: Failures): boolean =>
  isFailing(before) !== isFailing(after) || before.trips > 0 !== after.trips > 0;
