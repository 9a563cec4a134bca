import type { Sql } from '../../database/connection.ts';
import { latencyBin, latencyBinCount } from './latency-bins.ts';
import type { Settlement } from './settle.ts';

/** Adds a batch to the webhooks' statistics of the current minute. */
export async function countAttempts(sql: Sql, batch: readonly Settlement[]): Promise<void> {
  await sql.query({ name: 'count-attempts', text: countStatement, values: [JSON.stringify(countByWebhook(batch))] });
}

interface Count {
  webhook: number;
  delivered: number;
  failed: number;
  discarded: number;
  latency: number[];
}

/** Sorted by webhook id: workers lock the rows in the same order, which avoids deadlocks. */
function countByWebhook(batch: readonly Settlement[]): Count[] {
  const counts = new Map<number, Count>();
  for (const { delivery, outcome, verdict } of batch) {
    let count = counts.get(delivery.webhookId);
    if (!count) {
      count = {
        webhook: delivery.webhookId,
        delivered: 0,
        failed: 0,
        discarded: 0,
        latency: new Array(latencyBinCount).fill(0),
      };
      counts.set(delivery.webhookId, count);
    }
    if (outcome.kind === 'delivered') count.delivered++;
    else count.failed++;
    if (verdict.state === 'DISCARDED') count.discarded++;
    const bin = latencyBin(outcome.phases.totalMs);
    count.latency[bin] = (count.latency[bin] ?? 0) + 1;
  }
  return [...counts.values()].sort((a, b) => a.webhook - b.webhook);
}

const countStatement = `
  insert into webhook_statistics as known (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
  select webhook, 60, date_trunc('minute', now()), delivered, failed, discarded, latency
  from json_to_recordset($1::json) as seen (
    webhook bigint, delivered integer, failed integer, discarded integer, latency integer[])
  on conflict (webhook_id, width_seconds, bucket) do update set
    delivered = known.delivered + excluded.delivered,
    failed = known.failed + excluded.failed,
    discarded = known.discarded + excluded.discarded,
    latency = add_bins(known.latency, excluded.latency)
`;
