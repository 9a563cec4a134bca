import { defineStatement, run, selectionOf } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { changesAlerts } from '../alerts/review-alerts-job.ts';
import { type Health, type HealthPolicy, type Observation, observe } from './health.ts';

export interface HealthReport {
  webhookId: number;
  partnerId: number;
  /** Of the settings that were used. */
  revision: number;
  seen: Observation;
  lastError: string | null;
}

export interface HealthRow extends Omit<Health, 'window'> {
  webhookId: number;
  sendWindow: number;
}

export const healthColumns = {
  webhookId: 'int8',
  sendWindow: 'int4',
  consecutiveFailures: 'int4',
  failingSince: 'timestamptz',
  trips: 'int4',
  openUntil: 'timestamptz',
} as const;

export const selectedHealth = selectionOf(healthColumns, 'webhook_health');

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

/** Locked in id order to avoid deadlocks. */
export const lockHealth = (transaction: Transaction, webhookIds: readonly number[]): Promise<HealthRow[]> =>
  run(transaction, lockStatement, [webhookIds]);

/**
 * Updates the health of each locked destination from a batch of attempts, unless the webhook was changed meanwhile: its
 * failures may have been reset.
 */
export async function reportHealth(
  transaction: Transaction,
  policy: HealthPolicy,
  locked: readonly HealthRow[],
  reports: readonly HealthReport[],
  now: Date,
): Promise<ChangedHealth> {
  const byWebhook = new Map(reports.map((report) => [report.webhookId, report]));
  const observed = locked.flatMap((row) => {
    const report = byWebhook.get(row.webhookId);
    return report ? [{ row, report, health: observe(policy, healthOf(row), report.seen, now) }] : [];
  });
  const values = observed.map(({ report: { webhookId, revision, lastError }, health }) => ({
    ...health,
    webhookId,
    revision,
    lastError,
  }));
  const written = new Set(
    (await run(transaction, writeStatement, [JSON.stringify(values)])).map(({ webhookId }) => webhookId),
  );
  const changed = observed.filter(({ row }) => written.has(row.webhookId));
  return {
    healthByWebhook: new Map(changed.map(({ row, health }) => [row.webhookId, health])),
    alertedPartners: new Set(
      changed.filter(({ row, health }) => changesAlerts(row, health)).map(({ report }) => report.partnerId),
    ),
  };
}

const lockStatement = defineStatement<HealthRow>({
  name: 'lock-health',
  text: `select ${selectedHealth} from webhook_health where webhook_id = any ($1) order by webhook_id for update`,
  columns: healthColumns,
});

// A statement after the lock, so that it sees the change of a webhook that reset its health before.
const writeStatement = defineStatement<{ webhookId: number }>({
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
      "openUntil" timestamptz, "lastError" text, revision integer)
    join webhooks on webhooks.id = seen."webhookId" and webhooks.revision = seen.revision
    where webhook_health.webhook_id = seen."webhookId"
    returning webhook_health.webhook_id
  `,
  columns: { webhookId: 'int8' },
});
