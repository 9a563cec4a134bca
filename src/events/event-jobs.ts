import type { Logger } from 'pino';
import type { Database, Sql } from '../database/connection.ts';
import { databaseNow } from '../database/database-clock.ts';
import { dropPartitionsBefore, ensurePartitions } from '../database/migrate.ts';
import { deleteExpiredIdempotencyKeys } from '../http/idempotency.ts';
import type { JobImplementation } from '../jobs/job.ts';
import { upkeepJob } from '../jobs/runner.ts';
import { runReplay } from './log/replay-jobs.ts';
import { replayJob } from './log/replay-store.ts';
import { dropOldStatistics, foldStatistics } from './log/statistics-store.ts';

export const eventJobs: readonly JobImplementation[] = [
  upkeepJob.implement((_, { database, config, log }) => runUpkeep(database, config.retentionDays, log)),
  replayJob.implement(({ replayId }, { database, log }) => runReplay(database, replayId, { log })),
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
  const answers = await deleteExpiredIdempotencyKeys(sql);
  log.info({ event: 'upkeep.done', dropped, outdated, orphans, answers });
}

/** Deletes deliveries whose event is about to be dropped by retention. */
async function removeOutdatedDeliveries(sql: Sql, before: Date): Promise<number> {
  return inChunks(() =>
    sql.query(
      `delete from delivery_queue where (event_id, webhook_id) in (
         select event_id, webhook_id from delivery_queue where recorded_at < $1 limit ${chunk})`,
      [before],
    ),
  );
}

async function removeDeliveriesOfDeletedWebhooks(sql: Sql): Promise<number> {
  return inChunks(() =>
    sql.query(
      `delete from delivery_queue where (event_id, webhook_id) in (
         select event_id, webhook_id from delivery_queue
         where webhook_id in (select id from webhooks where deleted_at is not null) limit ${chunk})`,
    ),
  );
}

async function inChunks(remove: () => Promise<{ rowCount: number | null }>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = (await remove()).rowCount ?? 0;
    total += removed;
    if (removed < chunk) return total;
  }
}
