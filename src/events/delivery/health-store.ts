import type { Transaction } from '../../database/transaction.ts';
import { type BreakerPolicy, type Health, type Observation, observe } from './breaker.ts';

export interface HealthReport {
  webhookId: number;
  seen: Observation;
  lastError: string | null;
}

export interface HealthRow {
  webhook_id: number;
  send_window: number;
  consecutive_failures: number;
  failing_since: Date | null;
  trips: number;
  open_until: Date | null;
}

export const healthColumns =
  'webhook_health.webhook_id, send_window, consecutive_failures, failing_since, trips, open_until';

export function healthOf(row: HealthRow): Health {
  return {
    window: row.send_window,
    consecutiveFailures: row.consecutive_failures,
    failingSince: row.failing_since,
    trips: row.trips,
    openUntil: row.open_until,
  };
}

/**
 * Updates the health of each destination from a batch of attempts and returns the new values. Rows are locked in id order
 * to avoid deadlocks.
 */
export async function reportHealth(
  transaction: Transaction,
  policy: BreakerPolicy,
  reports: readonly HealthReport[],
  now: Date,
): Promise<Map<number, Health>> {
  const byWebhook = new Map(reports.map((report) => [report.webhookId, report]));
  const { rows } = await transaction.query<HealthRow>({
    name: 'lock-health',
    text: `select ${healthColumns} from webhook_health where webhook_id = any ($1) order by webhook_id for update`,
    values: [[...byWebhook.keys()]],
  });
  const healthByWebhook = new Map<number, Health>();
  const written = rows.flatMap((row) => {
    const report = byWebhook.get(row.webhook_id);
    if (!report) return [];
    const health = observe(policy, healthOf(row), report.seen, now);
    healthByWebhook.set(row.webhook_id, health);
    return [{ ...health, webhookId: row.webhook_id, lastError: report.lastError }];
  });
  await transaction.query({ name: 'write-health', text: writeStatement, values: [JSON.stringify(written)] });
  return healthByWebhook;
}

const writeStatement = `
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
`;
