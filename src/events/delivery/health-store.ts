import type { Transaction } from '../../database/transaction.ts';
import { type BreakerPolicy, type Observation, observe } from './breaker.ts';

export interface HealthReport {
  webhookId: number;
  seen: Observation;
  lastError: string | null;
}

/** Takes what a batch showed into each destination's standing. Rows are locked in the order of their ids. */
export async function reportHealth(
  transaction: Transaction,
  policy: BreakerPolicy,
  reports: readonly HealthReport[],
  now: Date,
): Promise<void> {
  const byWebhook = new Map(reports.map((report) => [report.webhookId, report]));
  const { rows } = await transaction.query<HealthRow>({
    name: 'lock-health',
    text: `select webhook_id, send_window, consecutive_failures, failing_since, trips, open_until
           from webhook_health where webhook_id = any ($1) order by webhook_id for update`,
    values: [[...byWebhook.keys()]],
  });
  const standings = rows.flatMap((row) => {
    const report = byWebhook.get(row.webhook_id);
    if (!report) return [];
    const health = observe(
      policy,
      {
        window: row.send_window,
        consecutiveFailures: row.consecutive_failures,
        failingSince: row.failing_since,
        trips: row.trips,
        openUntil: row.open_until,
      },
      report.seen,
      now,
    );
    return [{ ...health, webhookId: row.webhook_id, lastError: report.lastError }];
  });
  await transaction.query({ name: 'write-health', text: writeStatement, values: [JSON.stringify(standings)] });
}

interface HealthRow {
  webhook_id: number;
  send_window: number;
  consecutive_failures: number;
  failing_since: Date | null;
  trips: number;
  open_until: Date | null;
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
