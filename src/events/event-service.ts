import type { SelectQueryBuilder } from 'kysely';
import type { Logger } from 'pino';
import type { Database, Sql } from '../database/connection.ts';
import { databaseNow } from '../database/database-clock.ts';
import { dropPartitionsBefore, ensurePartitions } from '../database/partitions.ts';
import { db, raw } from '../database/query-builder.ts';
import type { DB } from '../database/schema.ts';
import { deleteExpiredIdempotencyKeys } from '../http/idempotency.ts';
import { defineJob, type JobImplementation } from '../jobs/job.ts';
import { upkeepJob } from '../jobs/runner.ts';
import { alertRoutes } from './alerts/alert-routes.ts';
import { deleteOldAlerts } from './alerts/alert-store.ts';
import { findAlertWork, reviewAlerts } from './alerts/review-alerts.ts';
import { reviewAlertsJob } from './alerts/review-alerts-job.ts';
import { deleteOldRequestSettings } from './delivery/target.ts';
import { destinationRoutes } from './destinations/destination-routes.ts';
import { deliveryRoutes, testDeliveryRoutes } from './log/delivery-routes.ts';
import { eventRoutes as eventLogRoutes, filterRoutes } from './log/event-routes.ts';
import { runReplay } from './log/replay-jobs.ts';
import { replayRoutes } from './log/replay-routes.ts';
import { replayJob } from './log/replay-store.ts';
import { statisticsRoutes } from './log/statistics-routes.ts';
import { dropOldStatistics, foldStatistics } from './log/statistics-store.ts';
import { emitRoutes, eventTypeRoutes } from './subscriptions/event-type-routes.ts';
import { publicKeyRoutes, webhookRoutes } from './subscriptions/webhook-routes.ts';

export const eventRoutes = [
  webhookRoutes,
  publicKeyRoutes,
  alertRoutes,
  destinationRoutes,
  filterRoutes,
  eventTypeRoutes,
  emitRoutes,
  eventLogRoutes,
  deliveryRoutes,
  replayRoutes,
  testDeliveryRoutes,
  statisticsRoutes,
];

export const eventJobs: readonly JobImplementation[] = [
  upkeepJob.implement((_, { database, config, log }) => runUpkeep(database, config.retentionDays, log)),
  replayJob.implement(runReplay),
  defineJob('alerts.find', { schedule: '* * * * *' }).implement((_, { database, config }) =>
    findAlertWork(database.pool, config),
  ),
  reviewAlertsJob.implement(({ partnerId }, { database, config }) =>
    database.transaction((transaction) => reviewAlerts(transaction, config, partnerId)),
  ),
];

const chunk = 5000;

/** Regular maintenance: creates and drops partitions, deletes outdated rows, aggregates statistics. */
export async function runUpkeep(database: Database, retentionDays: number, log: Logger): Promise<void> {
  const sql = database.pool;
  await ensurePartitions(sql);
  const oldest = new Date((await databaseNow(sql)).getTime() - retentionDays * 86_400_000);
  const outdated = await removeOutdatedDeliveries(sql, oldest);
  const dropped = await dropPartitionsBefore(sql, ['events', 'attempts'], oldest);
  const orphans = await removeDeliveriesOfDeletedWebhooks(sql);
  await database.transaction((transaction) => foldStatistics(transaction));
  await dropOldStatistics(sql, retentionDays);
  await deleteOldAlerts(sql, oldest);
  const settings = await deleteOldRequestSettings(sql, oldest);
  const idempotencyKeys = await deleteExpiredIdempotencyKeys(sql);
  log.info({ event: 'upkeep.done', dropped, outdated, orphans, settings, idempotencyKeys });
}

/** Deletes deliveries whose event is about to be dropped by retention. */
const removeOutdatedDeliveries = (sql: Sql, before: Date): Promise<number> =>
  deleteInChunks(sql, db(sql).selectFrom('deliveryQueue').where('recordedAt', '<', before));

function removeDeliveriesOfDeletedWebhooks(sql: Sql): Promise<number> {
  const deleted = db(sql).selectFrom('webhooks').select('id').where('deletedAt', 'is not', null);
  return deleteInChunks(sql, db(sql).selectFrom('deliveryQueue').where('webhookId', 'in', deleted));
}

async function deleteInChunks(sql: Sql, deliveries: SelectQueryBuilder<DB, 'deliveryQueue', object>): Promise<number> {
  const next = deliveries.select(['eventId', 'webhookId']).limit(raw.lit(chunk)).$asTuple('eventId', 'webhookId');
  let total = 0;
  for (;;) {
    const { numDeletedRows } = await db(sql)
      .deleteFrom('deliveryQueue')
      .where(({ eb, refTuple }) => eb(refTuple('eventId', 'webhookId'), 'in', next))
      .executeTakeFirstOrThrow();
    total += Number(numDeletedRows);
    if (numDeletedRows < chunk) return total;
  }
}
