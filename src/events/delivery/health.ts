import { afterFailures, type BreakerPolicy, closedBreaker } from '../../breaker.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { changesAlerts } from '../alerts/review-alerts-job.ts';

/** Health of a destination; a row of webhook_health. */
export interface Health {
  window: number;
  consecutiveFailures: number;
  failingSince: Date | null;
  trips: number;
  openUntil: Date | null;
}

export interface HealthPolicy extends BreakerPolicy {
  maxWindow: number;
}

/** Results of a batch of attempts for one destination. */
export interface Observation {
  quick: number;
  slow: number;
  failed: number;
}

/** While the breaker is open, deliveries wait without using up attempts. */
export function observe(policy: HealthPolicy, health: Health, seen: Observation, now: Date): Health {
  const window = nextWindow(health.window, policy.maxWindow, seen);
  if (seen.quick + seen.slow > 0) return { ...closedBreaker, window, failingSince: null, openUntil: null };
  const { consecutiveFailures, trips, openUntil } = health;
  const state = { consecutiveFailures, trips, openUntil: openUntil?.getTime() ?? null };
  const next = afterFailures(policy, state, seen.failed, now.getTime());
  return {
    ...next,
    window,
    failingSince: health.failingSince ?? now,
    openUntil: next.openUntil === null ? null : new Date(next.openUntil),
  };
}

/** True when the batch does not change the health, so that no row has to be written. */
export function isUnchanged(policy: HealthPolicy, health: Health, seen: Observation): boolean {
  return (
    seen.failed === 0 &&
    health.consecutiveFailures === 0 &&
    nextWindow(health.window, policy.maxWindow, seen) === health.window
  );
}

/** Deliveries of a webhook that may be claimed at once before its destination has responded. */
export const initialWindow = 8;

/** Successful responses slower than this do not widen the window. */
export const quickResponseMs = 1000;

/**
 * Similar to TCP slow start: the window doubles after quick successes and halves when most attempts fail, so a
 * hanging destination occupies only a few of the worker's slots.
 */
export function nextWindow(window: number, max: number, seen: Observation): number {
  if (seen.failed > seen.quick + seen.slow) return Math.max(1, Math.floor(window / 2));
  if (seen.slow > 0) return Math.min(window, initialWindow);
  return Math.min(max, window * 2);
}

export interface HealthReport {
  webhookId: number;
  partnerId: number;
  seen: Observation;
  lastError: string | null;
}

export interface HealthRow extends Omit<Health, 'window'> {
  webhookId: number;
  sendWindow: number;
}

export const selectedHealth =
  'webhook_health.webhook_id, send_window, consecutive_failures, failing_since, trips, open_until';

/** The result columns of `selectedHealth`. */
export const healthColumns = {
  webhookId: 'int8',
  sendWindow: 'int4',
  consecutiveFailures: 'int4',
  failingSince: 'timestamptz',
  trips: 'int4',
  openUntil: 'timestamptz',
} as const;

export const healthOf = ({ sendWindow, consecutiveFailures, failingSince, trips, openUntil }: HealthRow): Health => ({
  window: sendWindow,
  consecutiveFailures,
  failingSince,
  trips,
  openUntil,
});

export interface ChangedHealth {
  healthByWebhook: ReadonlyMap<number, Health>;
  /** Partners with a webhook that started to fail, was paused or recovered. */
  alertedPartners: ReadonlySet<number>;
}

/**
 * Updates the health of each destination from a batch of attempts. Rows are locked in id order to avoid deadlocks.
 */
export async function reportHealth(
  transaction: Transaction,
  policy: HealthPolicy,
  reports: readonly HealthReport[],
  now: Date,
): Promise<ChangedHealth> {
  const byWebhook = new Map(reports.map((report) => [report.webhookId, report]));
  const rows = await run(transaction, lockStatement, [[...byWebhook.keys()]]);
  const healthByWebhook = new Map<number, Health>();
  const alertedPartners = new Set<number>();
  const written = rows.flatMap((row) => {
    const report = byWebhook.get(row.webhookId);
    if (!report) return [];
    const health = observe(policy, healthOf(row), report.seen, now);
    if (changesAlerts(row, health)) alertedPartners.add(report.partnerId);
    healthByWebhook.set(row.webhookId, health);
    return [{ ...health, webhookId: row.webhookId, lastError: report.lastError }];
  });
  await run(transaction, writeStatement, [JSON.stringify(written)]);
  return { healthByWebhook, alertedPartners };
}

const lockStatement = defineStatement<HealthRow>({
  name: 'lock-health',
  text: `select ${selectedHealth} from webhook_health where webhook_id = any ($1) order by webhook_id for update`,
  columns: healthColumns,
});

const writeStatement = defineStatement({
  name: 'write-health',
  text: `
    update webhook_health set
      send_window = seen."window",
      consecutive_failures = seen."consecutiveFailures",
      failing_since = seen."failingSince",
      trips = seen.trips,
      open_until = seen."openUntil",
      last_error = coalesce(seen."lastError", last_error)
    from json_to_recordset($1::json) as seen (
      "webhookId" bigint, "window" integer, "consecutiveFailures" integer, "failingSince" timestamptz, trips integer,
      "openUntil" timestamptz, "lastError" text)
    where webhook_health.webhook_id = seen."webhookId"
  `,
});
