import type { Sql } from '../../database/connection.ts';
import { db, raw } from '../../database/query-builder.ts';
import { defineStatement, run, type Statement } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Outcome } from '../transport/outcome.ts';
import { type DueDelivery, lanes } from './delivery-queue.ts';
import { latencyBin, latencyBinCount } from './latency-bins.ts';
import { heldLeases } from './leases.ts';
import type { Verdict } from './retry-policy.ts';

/** A finished attempt and its verdict. */
export interface Settlement {
  delivery: DueDelivery;
  leaseToken: number;
  url: string;
  /** Id of the row in `request_settings`. */
  settingsId: number;
  /** Unix time in milliseconds. */
  startedAt: number;
  /** Milliseconds from signing to sending. */
  waitedMs: number;
  /** Trace headers of the request, as one text. */
  traceparent: string | undefined;
  outcome: Outcome;
  verdict: Verdict;
}

interface Settled<T> {
  settled: readonly T[];
  /** Attempts that were not settled because another worker holds the lease. */
  lost: readonly T[];
}

/**
 * Appends a batch to `attempts` and to the statistics, deletes finished deliveries from the queue and reschedules the
 * others. The lease token is a fencing token: attempts whose lease was lost are logged as SUPERSEDED and change nothing,
 * as are those whose delivery was deleted, for example with a cancelled replay.
 */
export async function settleAttempts<T extends Settlement>(
  transaction: Transaction,
  batch: readonly T[],
): Promise<Settled<T>> {
  const sources = sourcesOf(batch);
  const sourceOf = (attempt: T) => sources.get(sourceKey(attempt))?.i;
  const rowOf = (attempt: T) => attemptRow(attempt, sourceOf(attempt));
  const failedRow = (attempt: T) => ({ ...rowOf(attempt), ...failureRow(attempt) });
  const delivered = batch.filter(({ outcome }) => outcome.kind === 'delivered');
  const failed = batch.filter(({ outcome }) => outcome.kind !== 'delivered');
  const fencing = JSON.stringify([...sources.values()]);
  const [deliveredKeys, failedKeys] = await Promise.all([
    settle(transaction, deliveredStatement, fencing, delivered.map(rowOf)),
    settle(transaction, failedStatement, fencing, failed.map(failedRow)),
    countAttempts(transaction, batch),
  ]);
  const keys = new Set([...deliveredKeys, ...failedKeys]);
  if (keys.size === batch.length) return { settled: batch, lost: [] };
  // A worker that loses a lease and gets it again can have two attempts of a delivery in a batch.
  const isSettled = (attempt: T) => keys.has(attemptKey(attempt.delivery.eventId, sourceOf(attempt)));
  const superseded = batch.filter((attempt) => !isSettled(attempt));
  const [held] = await Promise.all([
    heldLeases(
      transaction,
      superseded.map(({ leaseToken }) => leaseToken),
    ),
    run(transaction, supersededStatement, [JSON.stringify(superseded.map(failedRow))]),
    // Counted with the batch: waiting for its result first would cost every batch a round trip.
    countAttempts(transaction, superseded, -1),
  ]);
  return { settled: batch.filter(isSettled), lost: superseded.filter(({ leaseToken }) => !held.has(leaseToken)) };
}

/** Reschedules deliveries that were not sent because of a local failure. They stay in their lane. */
export async function postponeUnsent(sql: Sql, unsent: readonly Settlement[]): Promise<void> {
  await run(sql, postponeStatement, [
    unsent.map(({ delivery }) => delivery.eventId),
    unsent.map(({ delivery }) => delivery.webhookId),
    unsent.map(({ leaseToken }) => leaseToken),
    unsent.map(({ verdict }) => (verdict.state === 'POSTPONED' ? verdict.waitSeconds : 0)),
  ]);
}

const postponeStatement = defineStatement({
  name: 'postpone-unsent',
  text: `update delivery_queue queue set due_at = now() + make_interval(secs => unsent.wait)
         from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::float8[]) as unsent (event_id, webhook_id, token, wait)
         join webhook_leases lease on lease.webhook_id = unsent.webhook_id and lease.token = unsent.token
         where queue.event_id = unsent.event_id and queue.webhook_id = unsent.webhook_id`,
});

/** Reschedules a delivery whose attempt cannot be stored: after a minute, then after twice as long each time. */
export async function postponeDelivery(sql: Sql, { eventId, webhookId }: DueDelivery): Promise<void> {
  await db(sql)
    .updateTable('deliveryQueue')
    .set(({ eb, ref }) => ({
      dueAt: raw`now() + least(interval '1 minute' * 2 ^ least(${ref('tries')}, 20), interval '1 day')`,
      lane: lanes.retry,
      attempts: eb('attempts', '+', 1),
      tries: eb('tries', '+', 1),
    }))
    .where('eventId', '=', eventId)
    .where('webhookId', '=', webhookId)
    .execute();
}

interface DisabledWebhook {
  webhookId: number;
  partnerId: number;
  revision: number;
}

export const goneReason = 'The receiver responded with 410 Gone.';

/** Disables webhooks whose receiver responded with 410, unless they were changed or their lease was lost meanwhile. */
export const disableGoneWebhooks = (
  sql: Sql,
  gone: readonly { webhookId: number; revision: number; leaseToken: number }[],
): Promise<DisabledWebhook[]> =>
  run(sql, disableStatement, [
    gone.map(({ webhookId }) => webhookId),
    gone.map(({ revision }) => revision),
    gone.map(({ leaseToken }) => leaseToken),
    goneReason,
  ]);

const disableStatement = defineStatement<DisabledWebhook>({
  name: 'disable-gone-webhooks',
  text: `update webhooks
         set enabled = false, disabled_reason = $4, revision = webhooks.revision + 1, last_updated = now()
         from unnest($1::bigint[], $2::integer[], $3::bigint[]) as gone (webhook_id, revision, token)
         join webhook_leases lease on lease.webhook_id = gone.webhook_id and lease.token = gone.token
         where id = gone.webhook_id and webhooks.revision = gone.revision and enabled
         returning id as webhook_id, partner_id, webhooks.revision`,
  columns: { webhookId: 'int8', partnerId: 'int8', revision: 'int4' },
});

/** Returns the keys (see `attemptKey`) of the settled attempts. */
async function settle(
  sql: Sql,
  statement: Statement<SettledAttempt>,
  sources: string,
  rows: object[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const settled = await run(sql, statement, [sources, JSON.stringify(rows)]);
  return settled.map(({ eventId, source }) => attemptKey(eventId, source));
}

interface SettledAttempt {
  eventId: number;
  source: number;
}
const settledColumns = { eventId: 'int8', source: 'int2' } as const;

const attemptKey = (eventId: number, source: number | undefined) => `${eventId}-${source}`;

/** The lease and the request settings that many attempts of a batch share. */
interface Source {
  /** Number within the batch. */
  i: number;
  t: number;
  w: number;
  url: string;
  settings: number;
}

const sourceKey = ({ leaseToken, settingsId }: Settlement) => `${leaseToken}-${settingsId}`;

function sourcesOf(batch: readonly Settlement[]): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const settlement of batch) {
    const key = sourceKey(settlement);
    if (sources.has(key)) continue;
    const { leaseToken: t, delivery, url, settingsId: settings } = settlement;
    sources.set(key, { i: sources.size, t, w: delivery.webhookId, url, settings });
  }
  return sources;
}

// Short keys, and no values that the queue row already has: most of the statement's time is spent parsing this JSON.
function attemptRow({ delivery, startedAt, waitedMs, traceparent, outcome }: Settlement, source: number | undefined) {
  const { response, phases } = outcome;
  return {
    e: delivery.eventId,
    i: source,
    at: startedAt,
    a: waitedMs,
    g: traceparent,
    s: response?.status,
    p: connectionPhases(outcome),
    f: phases.firstByteMs && roundMs(phases.firstByteMs),
    m: roundMs(phases.totalMs),
    h: evidenceText(outcome),
    b: bodyText(outcome),
    c: response?.truncated || undefined,
  };
}

function failureRow({ delivery, url, settingsId, outcome, verdict }: Settlement) {
  return {
    w: delivery.webhookId,
    n: delivery.attempts + 1,
    x: delivery.tries + 1,
    re: delivery.recordedAt,
    z: delivery.replayId ?? undefined,
    u: url,
    q: settingsId,
    k: outcome.kind,
    r: 'reason' in outcome ? outcome.reason : undefined,
    d: 'reason' in outcome ? outcome.detail : undefined,
    v: verdict.state,
    y: verdict.state === 'RETRY' ? verdict.waitSeconds : undefined,
  };
}

/** The headers of a response, or the receipt of a broker. */
function evidenceText(outcome: Outcome): string | undefined {
  if (outcome.response) return headersText(outcome.response.headers);
  return 'receipt' in outcome ? JSON.stringify(outcome.receipt) : undefined;
}

// Responses of one receiver often share a headers object: serialize each object once.
const headerTexts = new WeakMap<object, string>();

function headersText(headers: object): string {
  const cached = headerTexts.get(headers);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(headers);
  headerTexts.set(headers, text);
  return text;
}

/** Durations of DNS lookup, connect, TLS handshake and token request; undefined if the connection was reused. */
function connectionPhases({ phases }: Outcome): (number | undefined)[] | undefined {
  return phases.connectMs === undefined && phases.dnsMs === undefined && phases.tokenMs === undefined
    ? undefined
    : [phases.dnsMs, phases.connectMs, phases.tlsMs, phases.tokenMs];
}

// Microsecond precision: shorter numbers are faster to write and parse.
const roundMs = (ms: number) => Math.round(ms * 1000) / 1000;

function bodyText({ response }: Outcome): string | undefined {
  return response && response.body.length > 0 ? response.body.toString('base64') : undefined;
}

const attemptColumns =
  'e bigint, i smallint, at double precision, a integer, g text, s smallint, p real[], f real, m real, h text, b text, c boolean';
const failureColumns =
  'w bigint, n smallint, x smallint, re timestamptz, z bigint, u text, q bigint, k text, r text, d text, v text, y float8';

/** The columns of a row in the log that have the values of `attemptColumns`. */
const loggedColumns = `started_at, status_code, dns_ms, connect_ms, tls_ms, token_ms, first_byte_ms, total_ms,
  response_headers, response_body, response_truncated, waited_ms, traceparent`;
const loggedValues = `to_timestamp(at / 1000), s, p[1], p[2], p[3], p[4], f, m,
  h, decode(b, 'base64'), coalesce(c, false), a, g`;

// The sources whose lease this worker still holds.
const fence = `
  fence as materialized (
    select source.i, source.w, source.url, source.settings
    from json_to_recordset($1::json) as source (i smallint, t bigint, w bigint, url text, settings bigint)
    join webhook_leases on webhook_leases.webhook_id = source.w and webhook_leases.token = source.t
  )`;

const deliveredStatement = defineStatement<SettledAttempt>({
  name: 'settle-delivered',
  text: `
    with ${fence}, ended as (
      delete from delivery_queue queue
      using json_to_recordset($2::json) as tried (${attemptColumns}), fence
      where fence.i = tried.i and queue.event_id = tried.e and queue.webhook_id = fence.w
      returning queue.event_id, queue.webhook_id, queue.attempts, queue.recorded_at, queue.replay_id,
        fence.url, fence.settings, tried.*
    ), logged as (
      insert into attempts (event_id, webhook_id, number, recorded_at, url, outcome, verdict, replay_id,
        request_settings_id, ${loggedColumns})
      select event_id, webhook_id, attempts + 1, recorded_at, url, 'delivered', 'DELIVERED', replay_id,
        settings, ${loggedValues}
      from ended
    )
    select event_id, i as source from ended
  `,
  columns: settledColumns,
});

const appendFailures = (verdict: string, from: string) => `
  insert into attempts (event_id, webhook_id, number, recorded_at, url, outcome, reason, detail, verdict, replay_id,
    request_settings_id, ${loggedColumns})
  select e, w, n, re, u, k, r, d, ${verdict}, z, q, ${loggedValues}
  from ${from}
`;

const failedStatement = defineStatement<SettledAttempt>({
  name: 'settle-failed',
  text: `
    with ${fence}, tried as materialized (
      select * from json_to_recordset($2::json) as tried (${attemptColumns}, ${failureColumns})
    ), ended as (
      delete from delivery_queue queue using tried, fence
      where tried.y is null and fence.i = tried.i and queue.event_id = tried.e and queue.webhook_id = tried.w
      returning tried.*
    ), waiting as (
      update delivery_queue queue
      set attempts = tried.n, tries = tried.x, due_at = now() + make_interval(secs => tried.y), lane = ${lanes.retry}
      from tried, fence
      where tried.y is not null and fence.i = tried.i and queue.event_id = tried.e and queue.webhook_id = tried.w
      returning tried.*
    ), settled as (
      select * from ended union all select * from waiting
    ), logged as (${appendFailures('v', 'settled')})
    select e as event_id, i as source from settled
  `,
  columns: settledColumns,
});

// Attempts whose lease was lost are only logged.
const supersededStatement = defineStatement({
  name: 'log-superseded',
  text: appendFailures("'SUPERSEDED'", `json_to_recordset($1::json) as lost (${attemptColumns}, ${failureColumns})`),
});

/** Adds a batch to the webhook statistics of the current minute. With -1, subtracts it. */
async function countAttempts(sql: Sql, batch: readonly Settlement[], by: 1 | -1 = 1): Promise<void> {
  await run(sql, countStatement, [JSON.stringify(countByWebhook(batch, by))]);
}

interface Count {
  webhook: number;
  delivered: number;
  failed: number;
  discarded: number;
  latency: number[];
}

/** Sorted by webhook id: workers lock the rows in the same order, which avoids deadlocks. */
function countByWebhook(batch: readonly Settlement[], by: 1 | -1): Count[] {
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
    if (outcome.kind === 'delivered') count.delivered += by;
    else count.failed += by;
    if (verdict.state === 'DISCARDED') count.discarded += by;
    const bin = latencyBin(outcome.phases.totalMs);
    count.latency[bin] = (count.latency[bin] ?? 0) + by;
  }
  return [...counts.values()].sort((a, b) => a.webhook - b.webhook);
}

/** Adds the counts of an inserted row to the existing row, which is named `known`. */
export const addToStatistics = `
  on conflict (webhook_id, width_seconds, bucket) do update set
    delivered = known.delivered + excluded.delivered,
    failed = known.failed + excluded.failed,
    discarded = known.discarded + excluded.discarded,
    latency = add_bins(known.latency, excluded.latency)`;

const countStatement = defineStatement({
  name: 'count-attempts',
  text: `
    insert into webhook_statistics as known (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
    select webhook, 60, date_trunc('minute', now()), delivered, failed, discarded, latency
    from json_to_recordset($1::json) as seen (
      webhook bigint, delivered integer, failed integer, discarded integer, latency integer[])
    ${addToStatistics}
  `,
});
