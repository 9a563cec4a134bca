import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { changesAlerts } from '../alerts/review-alerts-job.ts';
import { type Health, type HealthPolicy, type Observation, observe } from './health.ts';

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
