import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Outcome } from '../transport/outcome.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { lanes } from './lanes.ts';
import { latencyBin, latencyBinCount } from './latency-bins.ts';
import type { Verdict } from './retry-policy.ts';

/** A try that was made, and what it means for its delivery. */
export interface Settlement {
  delivery: DueDelivery;
  leaseToken: number;
  url: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  outcome: Outcome;
  verdict: Verdict;
}

/**
 * Writes what came of a batch of tries: each is appended to the attempts, ended deliveries leave the queue, the
 * others wait there for their next turn. A try whose lease has passed to another worker meanwhile is still logged, but
 * decides nothing: the lease token is the fence.
 */
export async function settleAttempts(transaction: Transaction, batch: readonly Settlement[]): Promise<void> {
  const [{ rows: held }] = await Promise.all([
    transaction.query<{ e: number; w: number }>({
      name: 'settle-attempts',
      text: settleStatement,
      values: [JSON.stringify(batch.map(asRow))],
    }),
    transaction.query({
      name: 'count-attempts',
      text: countStatement,
      values: [JSON.stringify(countByWebhook(batch))],
    }),
  ]);
  if (held.length < batch.length) await markSuperseded(transaction, batch, held);
}

// Short names: this text is written and read once per try.
function asRow({ delivery, leaseToken, url, startedAt, outcome, verdict }: Settlement) {
  const { answer, phases } = outcome;
  return {
    e: delivery.eventId,
    w: delivery.webhookId,
    t: leaseToken,
    n: delivery.attempts + 1,
    re: delivery.recordedAt,
    at: startedAt,
    url,
    k: outcome.kind,
    s: answer?.status,
    p: [phases.dnsMs, phases.connectMs, phases.tlsMs, phases.firstByteMs, phases.totalMs],
    h: answer && JSON.stringify(answer.headers),
    b: answer && answer.body.length > 0 ? answer.body.toString('base64') : undefined,
    c: answer?.truncated ?? false,
    r: outcome.kind === 'unreachable' ? outcome.reason : undefined,
    d: outcome.kind === 'unreachable' ? outcome.detail : undefined,
    v: verdict.state,
    y: verdict.state === 'RETRY' ? verdict.dueAt : undefined,
    x: delivery.tries + 1,
    z: delivery.replayId ?? undefined,
  };
}

const settleStatement = `
  with tried as materialized (
    select * from json_to_recordset($1::json) as tried (
      e bigint, w bigint, t bigint, n smallint, re timestamptz, at double precision, url text, k text, s smallint, p real[],
      h text, b text, c boolean, r text, d text, v text, y timestamptz, x smallint, z bigint)
  ), fence as materialized (
    select array(
      select webhook_id from webhook_leases
      where webhook_id in (select distinct w from tried) and token in (select distinct t from tried)
    ) as held
  ), ended as (
    delete from delivery_queue queue using tried
    where tried.y is null and queue.event_id = tried.e and queue.webhook_id = tried.w
      and queue.attempts = tried.n - 1 and tried.w = any ((select held from fence)::bigint[])
    returning tried.e, tried.w
  ), waiting as (
    update delivery_queue queue
    set attempts = tried.n, tries = tried.x, due_at = tried.y, lane = ${lanes.retry}
    from tried
    where tried.y is not null and queue.event_id = tried.e and queue.webhook_id = tried.w
      and queue.attempts = tried.n - 1 and tried.w = any ((select held from fence)::bigint[])
    returning tried.e, tried.w
  ), appended as (
    insert into attempts
      (event_id, webhook_id, number, recorded_at, started_at, url, outcome, status_code,
       dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms,
       response_headers, response_body, response_truncated, reason, detail, verdict, replay_id)
    select e, w, n, re, to_timestamp(at / 1000), url, k, s, p[1], p[2], p[3], p[4], p[5], h, decode(b, 'base64'), c, r, d, v, z from tried
  )
  select e, w from ended union all select e, w from waiting
`;

async function markSuperseded(sql: Sql, batch: readonly Settlement[], held: readonly { e: number; w: number }[]) {
  const decided = new Set(held.map(({ e, w }) => `${e}-${w}`));
  const lost = batch.filter(({ delivery }) => !decided.has(`${delivery.eventId}-${delivery.webhookId}`));
  await sql.query(
    `update attempts set verdict = 'SUPERSEDED'
     from unnest($1::bigint[], $2::bigint[], $3::float8[]) as lost (event_id, webhook_id, started_at)
     where attempts.event_id = lost.event_id and attempts.webhook_id = lost.webhook_id
       and attempts.started_at = to_timestamp(lost.started_at / 1000)`,
    [
      lost.map(({ delivery }) => delivery.eventId),
      lost.map(({ delivery }) => delivery.webhookId),
      lost.map(({ startedAt }) => startedAt),
    ],
  );
}

interface Count {
  webhook: number;
  delivered: number;
  failed: number;
  discarded: number;
  latency: number[];
}

/** In the order of webhook ids, so that two workers lock the same rows in the same order. */
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
