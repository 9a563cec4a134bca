import type { Database } from '../../src/database/connection.ts';
import { latencyBin, latencyBinCount } from '../../src/events/delivery/latency-bins.ts';

const hourMs = 3_600_000;

/** Inserts hourly statistics of a month, with more attempts by day. `failing` is the share of failures in bad hours. */
export async function addStatistics(
  database: Database,
  webhookId: number,
  { failing = 0, perHour = 40 } = {},
): Promise<void> {
  const now = Math.floor(Date.now() / hourMs) * hourMs;
  const rows = Array.from({ length: 720 }, (_, n) => {
    const bucket = new Date(now - (n + 1) * hourMs);
    const busy = 0.35 + 0.65 * Math.sin((Math.PI * bucket.getUTCHours()) / 24) ** 2;
    const attempts = Math.round(perHour * busy * (0.8 + ((n * 7) % 5) / 10));
    const failed = Math.min(attempts, Math.round(attempts * failing * (n % 6)));
    const latency = new Array(latencyBinCount).fill(0);
    for (const [share, ms] of [
      [0.6, 45],
      [0.3, 80],
      [0.1, 240],
    ] as const) {
      latency[latencyBin(ms * (1 + (n % 4) / 8))] += Math.round(attempts * share);
    }
    return { bucket, delivered: attempts - failed, failed, discarded: Math.floor(failed / 8), latency };
  });
  await database.pool.query(
    `insert into webhook_statistics (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
     select $1, 3600, bucket, delivered, failed, discarded, latency
     from json_to_recordset($2::json) as past (
       bucket timestamptz, delivered integer, failed integer, discarded integer, latency integer[])`,
    [webhookId, JSON.stringify(rows)],
  );
}

/** Inserts events that were delivered with the first attempt, ten per second until a minute ago. */
export async function addDeliveries(
  database: Database,
  { partnerId, webhookId, count }: { partnerId: number; webhookId: number; count: number },
): Promise<void> {
  for (const table of ['events', 'attempts']) {
    await database.pool.query('select ensure_day_partitions($1, current_date - 1, current_date)', [table]);
  }
  await database.pool.query(
    `with recorded as (
       insert into events (id, partner_id, type, recorded_at, body)
       select nextval('event_id'), $1, 'LOCATION_CREATED', now() - make_interval(secs => 60 + ($3::integer - n) / 10.0),
         '{"comment":"Shop","id":' || currval('event_id') || ',"type":"LOCATION_CREATED"}'
       from generate_series(1, $3::integer) as n
       returning id, recorded_at
     )
     insert into attempts (event_id, webhook_id, number, recorded_at, started_at, url, outcome, status_code, total_ms,
       first_byte_ms, verdict)
     select id, $2, 1, recorded_at, recorded_at, 'http://127.0.0.1:9/', 'delivered', 200, 20 + id % 40, 18, 'DELIVERED'
     from recorded`,
    [partnerId, webhookId, count],
  );
}
