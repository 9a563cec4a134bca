import type { Sql } from '../../database/connection.ts';
import { violates } from '../../database/faults.ts';
import { notFound, Problem } from '../../problems.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { initialWindow } from '../delivery/breaker.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import type { Webhook, WebhookSettings } from './webhook.ts';

// A partner can access its own webhooks and those of its descendants.
const selectReachable = `
  select webhooks.id, webhooks.partner_id as "partnerId", push_url as "pushUrl", type, description, enabled,
    disabled_reason as "disabledReason", include_children as "includeChildren", retry_schedule as "retrySchedule",
    webhooks.date_created as "dateCreated", webhooks.last_updated as "lastUpdated",
    consecutive_failures as "consecutiveFailures", failing_since as "failingSince", open_until as "pausedUntil",
    last_error as "lastError", previous_secret_expires_at as "previousSecretSignsUntil"
  from webhooks
  join sales_partners on sales_partners.id = webhooks.partner_id
  join webhook_health on webhook_health.webhook_id = webhooks.id
  where deleted_at is null and $1 = any (lineage)`;

/** Throws NOT_FOUND if the caller cannot see the webhook. */
export const requireWebhook = (sql: Sql, callerId: number, id: number): Promise<Webhook> =>
  findWebhook(sql, callerId, id, '');

/** The same, locked until the transaction ends. */
export const requireLockedWebhook = (sql: Sql, callerId: number, id: number): Promise<Webhook> =>
  findWebhook(sql, callerId, id, 'for update of webhooks');

async function findWebhook(sql: Sql, callerId: number, id: number, lock: string): Promise<Webhook> {
  const { rows } = await sql.query<Webhook>(`${selectReachable} and webhooks.id = $2 ${lock}`, [callerId, id]);
  const [webhook] = rows;
  if (!webhook) throw notFound(`webhook ${id}`);
  return webhook;
}

export function requireEnabled({ id, enabled }: Pick<Webhook, 'id' | 'enabled'>): void {
  if (enabled) return;
  throw new Problem('CONFLICT', {
    message: `Webhook ${id} is disabled. Enable it first: PATCH /api/sales-partners/webhooks/${id} with {"enabled": true}.`,
  });
}

export async function listWebhooks(
  sql: Sql,
  callerId: number,
  filter: { partnerId: number; types?: readonly EventTypeName[] },
): Promise<Webhook[]> {
  const { rows } = await sql.query<Webhook>(
    `${selectReachable} and webhooks.partner_id = $2 and ($3::text[] is null or type = any ($3)) order by webhooks.id`,
    [callerId, filter.partnerId, filter.types],
  );
  return rows;
}

export async function reachesPartner(sql: Sql, callerId: number, partnerId: number): Promise<boolean> {
  const { rowCount } = await sql.query('select from sales_partners where id = $2 and $1 = any (lineage)', [
    callerId,
    partnerId,
  ]);
  return rowCount === 1;
}

export async function insertWebhook(
  sql: Sql,
  partnerId: number,
  settings: WebhookSettings,
  sealedSecret: Buffer,
): Promise<number> {
  const { rows } = await rejectDuplicateTarget(
    settings,
    sql.query<{ id: number }>(
      `with webhook as (
         insert into webhooks
           (partner_id, push_url, type, description, enabled, include_children, retry_schedule, secret)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         returning id
       )
       insert into webhook_health (webhook_id, send_window) select id, $9 from webhook
       returning webhook_id as id`,
      [partnerId, ...columnValues(settings), sealedSecret, initialWindow],
    ),
  );
  return rows[0]?.id as number;
}

/** Clears `disabled_reason`, unless the webhook stays disabled. */
export async function updateWebhook(sql: Sql, id: number, settings: WebhookSettings): Promise<void> {
  await rejectDuplicateTarget(
    settings,
    sql.query(
      `update webhooks
       set push_url = $2, type = $3, description = $4, enabled = $5, include_children = $6, retry_schedule = $7,
         disabled_reason = case when $5 = enabled and not enabled then disabled_reason end,
         revision = revision + 1, last_updated = now()
       where id = $1`,
      [id, ...columnValues(settings)],
    ),
  );
}

/** For a webhook whose event type changed: its waiting deliveries are of the previous type. */
export async function deleteWaitingDeliveries(sql: Sql, id: number): Promise<void> {
  const everyLane = Object.values(lanes);
  await sql.query('delete from delivery_queue where lane = any ($2::smallint[]) and webhook_id = $1', [id, everyLane]);
}

export async function resetFailures(sql: Sql, id: number): Promise<void> {
  await sql.query(
    `update webhook_health
     set send_window = $2, consecutive_failures = 0, failing_since = null, trips = 0, open_until = null,
       last_error = null
     where webhook_id = $1`,
    [id, initialWindow],
  );
}

/**
 * Makes the waiting retries of a webhook due now and returns their number. Rows that a worker is settling are skipped:
 * they have just been attempted.
 */
export async function makeRetriesDue(sql: Sql, webhookId: number): Promise<number> {
  const { rowCount } = await sql.query(
    `with waiting as (
       select event_id from delivery_queue where lane = ${lanes.retry} and webhook_id = $1 and due_at > now()
       for update skip locked
     )
     update delivery_queue set due_at = now() from waiting
     where delivery_queue.event_id = waiting.event_id and delivery_queue.webhook_id = $1`,
    [webhookId],
  );
  return rowCount ?? 0;
}

export async function deleteWebhook(sql: Sql, callerId: number, id: number): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update webhooks set deleted_at = now(), last_updated = now(), revision = revision + 1
     from sales_partners
     where webhooks.id = $2 and deleted_at is null and sales_partners.id = partner_id and $1 = any (lineage)`,
    [callerId, id],
  );
  return rowCount === 1;
}

/** End of the overlap of the last secret rotation; null if it has ended. */
export async function previousSecretSignsUntil(sql: Sql, id: number): Promise<Date | null> {
  const { rows } = await sql.query<{ until: Date | null }>(
    'select previous_secret_expires_at as until from webhooks where id = $1 and previous_secret_expires_at > now()',
    [id],
  );
  return rows[0]?.until ?? null;
}

export async function replaceSecret(sql: Sql, id: number, sealedSecret: Buffer, overlapSeconds: number): Promise<Date> {
  const { rows } = await sql.query<{ until: Date }>(
    `update webhooks
     set secret = $2, previous_secret = case when $3 > 0 then secret end, previous_secret_expires_at = now() + make_interval(secs => $3),
       revision = revision + 1, last_updated = now()
     where id = $1
     returning previous_secret_expires_at as until`,
    [id, sealedSecret, overlapSeconds],
  );
  return rows[0]?.until as Date;
}

/** Makes the workers reload the keys of a partner's webhooks. */
export async function bumpRevisions(sql: Sql, partnerId: number): Promise<void> {
  await sql.query('update webhooks set revision = revision + 1 where partner_id = $1 and deleted_at is null', [
    partnerId,
  ]);
}

const columnValues = (settings: WebhookSettings) => [
  settings.pushUrl,
  settings.type,
  settings.description,
  settings.enabled,
  settings.includeChildren,
  settings.retrySchedule,
];

async function rejectDuplicateTarget<T>({ pushUrl, type }: WebhookSettings, statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (!violates(error, 'webhooks_one_per_target')) throw error;
    throw new Problem('CONFLICT', {
      message: `A webhook for ${type} to ${pushUrl} already exists. Change that webhook, or use another pushUrl.`,
    });
  }
}
