import type { Sql } from '../../database/connection.ts';
import { countAll } from '../../database/counting.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { lanes, queueHeads } from '../delivery/delivery-queue.ts';
import {
  type Alert,
  type AlertChanges,
  type AlertHistory,
  type AlertPolicy,
  type Channel,
  type MessageContent,
  periodParts,
  type WebhookState,
} from './alert.ts';

const now = raw<Date>`now()`;

const alertColumns = [
  'webhookAlerts.id',
  'webhookId',
  'kind',
  'cause',
  'detail',
  'openedAt',
  'overAt',
  'deadline',
] as const;

// The last alert of its kind, whose end was not announced in a channel: a user had disabled the webhook.
const awaitsEndMessage = `
  not exists (
    select from webhook_alerts as later
    where later.webhook_id = webhook_alerts.webhook_id and later.kind = webhook_alerts.kind
      and later.id > webhook_alerts.id
  )
  and exists (
    select from (
      select distinct on (channel) content from webhook_alert_messages
      where alert_id = webhook_alerts.id order by channel, sent_at desc
    ) as last where content <> 'OVER'
  )`;

/** The webhooks of a partner, or of all partners, that cause alerts, had one in the last day or await its end message. */
export const readWebhookStates = (
  sql: Sql,
  { alertBacklogSeconds, webhookDisableSeconds }: AlertPolicy,
  partnerId: number | null,
): Promise<WebhookState[]> => run(sql, statesStatement, [partnerId, alertBacklogSeconds, webhookDisableSeconds]);

// For all partners, only webhooks with waiting deliveries are read.
// Statistics are counted per minute or hour, so the first row can begin up to an hour before the first failure.
const statesStatement = defineStatement<WebhookState>({
  name: 'read-webhook-states',
  text: `
    with recursive ${queueHeads('lane, webhook_id, due_at', '$1::bigint is null')}, oldest as (
      select webhook_id, min(due_at) as due_since from heads group by webhook_id
      union all
      select webhooks.id, min(first.due_at)
      from webhooks
      cross join unnest('{${Object.values(lanes)}}'::smallint[]) as lanes (lane)
      cross join lateral (
        select due_at from delivery_queue
        where delivery_queue.lane = lanes.lane and delivery_queue.webhook_id = webhooks.id
        order by due_at limit 1
      ) as first
      where webhooks.partner_id = $1 and deleted_at is null
      group by webhooks.id
    )
    select webhooks.id as webhook_id, webhooks.partner_id, sales_partners.identifier as partner_identifier,
      webhooks.type, push_url, enabled, disabled_reason, deleted_at is not null as is_deleted, consecutive_failures,
      trips, failing_since, last_error, previous_secret_expires_at,
      (client_certificate ->> 'notAfter')::timestamptz as certificate_expires_at, oldest.due_since,
      failing_since is not null and exists (
        select from webhook_statistics
        where webhook_statistics.webhook_id = webhooks.id and bucket > now() - interval '1 day' and failed > 0
      ) as failed_recently, (
        select count(distinct floor(
          extract(epoch from greatest(bucket, failing_since) - failing_since) / least($3::float8 / ${periodParts}, 86400)))
        from webhook_statistics
        where failing_since is not null and webhook_statistics.webhook_id = webhooks.id and failed > 0
          and bucket > failing_since - interval '1 hour'
          and bucket > now() - make_interval(secs => $3::float8) - interval '1 day'
      ) as failed_parts
    from webhooks
    join webhook_health on webhook_health.webhook_id = webhooks.id
    join sales_partners on sales_partners.id = webhooks.partner_id
    left join oldest on oldest.webhook_id = webhooks.id
    where ($1::bigint is null or webhooks.partner_id = $1)
      and (
        exists (
          select from webhook_alerts
          where webhook_alerts.webhook_id = webhooks.id
            and (over_at is null or over_at > now() - interval '1 day')
        )
        or deleted_at is null and enabled and exists (
          select from webhook_alerts where webhook_alerts.webhook_id = webhooks.id and ${awaitsEndMessage}
        )
        or deleted_at is null and (
          consecutive_failures > 0 and enabled
          or not enabled and disabled_reason is not null
          or previous_secret_expires_at > now()
          or (client_certificate ->> 'notAfter')::timestamptz < now() + interval '30 days'
          or enabled and oldest.due_since < now() - make_interval(secs => $2::float8)
        )
      )
    order by webhooks.id
  `,
  columns: {
    webhookId: 'int8',
    partnerId: 'int8',
    partnerIdentifier: 'text',
    type: 'text',
    pushUrl: 'text',
    enabled: 'bool',
    disabledReason: 'text',
    isDeleted: 'bool',
    consecutiveFailures: 'int4',
    trips: 'int4',
    failingSince: 'timestamptz',
    lastError: 'text',
    previousSecretExpiresAt: 'timestamptz',
    certificateExpiresAt: 'timestamptz',
    dueSince: 'timestamptz',
    failedRecently: 'bool',
    failedParts: 'int8',
  },
});

/** Open alerts, those that were over in the last day or await their end message, with the messages of a channel. */
export async function readHistories(
  sql: Sql,
  webhooks: readonly WebhookState[],
  channel: Channel,
): Promise<AlertHistory[]> {
  const ids = webhooks.map(({ webhookId }) => webhookId);
  const alerts = await db(sql)
    .selectFrom('webhookAlerts')
    .select(alertColumns)
    .where('webhookId', '=', anyOf(ids, 'bigint'))
    .where((eb) =>
      eb.or([
        eb('overAt', 'is', null),
        eb('overAt', '>', raw<Date>`now() - interval '1 day'`),
        raw.raw<boolean>(awaitsEndMessage),
      ]),
    )
    .orderBy('id')
    .$narrowType<Pick<Alert, 'kind' | 'cause'>>()
    .execute();
  const alertIds = alerts.map(({ id }) => id);
  const messages = await db(sql)
    .selectFrom('webhookAlertMessages')
    .select(['alertId', 'content', 'sentAt'])
    .where('alertId', '=', anyOf(alertIds, 'bigint'))
    .where('channel', '=', channel)
    .orderBy('sentAt')
    .$narrowType<{ content: MessageContent }>()
    .execute();
  const sent = Map.groupBy(messages, ({ alertId }) => alertId);
  return alerts.map((alert) => ({ alert, sent: sent.get(alert.id) ?? [] }));
}

export async function writeAlerts(transaction: Transaction, { opened, changed, over }: AlertChanges): Promise<void> {
  for (const { webhook, issue } of opened) {
    await db(transaction)
      .insertInto('webhookAlerts')
      .values({ partnerId: webhook.partnerId, webhookId: webhook.webhookId, ...issue })
      .execute();
  }
  for (const { alert, issue } of changed) {
    await db(transaction)
      .updateTable('webhookAlerts')
      .set({ ...issue, overAt: null })
      .where('id', '=', alert.id)
      .execute();
  }
  if (over.length === 0) return;
  const ids = over.map(({ id }) => id);
  await db(transaction)
    .updateTable('webhookAlerts')
    .set({ overAt: now })
    .where('id', '=', anyOf(ids, 'bigint'))
    .execute();
}

export async function insertMessages(
  sql: Sql,
  channel: Channel,
  messages: readonly { alert: Pick<Alert, 'id'>; content: MessageContent }[],
): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ alert, content }) => ({ alertId: alert.id, channel, content }));
  await db(sql).insertInto('webhookAlertMessages').values(rows).execute();
}

/** Returns the ids of the disabled webhooks. A webhook that has recovered meanwhile is not disabled. */
export async function disableWebhooks(
  transaction: Transaction,
  ids: readonly number[],
  { disableSeconds, reason }: { disableSeconds: number; reason: string },
): Promise<number[]> {
  const disabled = await db(transaction)
    .updateTable('webhooks')
    .from('webhookHealth')
    .set(({ eb }) => ({
      enabled: false,
      disabledReason: reason,
      revision: eb('revision', '+', 1),
      lastUpdated: now,
    }))
    .whereRef('webhookHealth.webhookId', '=', 'webhooks.id')
    .where('webhooks.id', '=', anyOf(ids, 'bigint'))
    .where('enabled', '=', true)
    .where('failingSince', '<=', raw<Date>`now() - make_interval(secs => ${disableSeconds})`)
    .returning('webhooks.id')
    .execute();
  return disabled.map(({ id }) => id);
}

export async function deleteOldAlerts(sql: Sql, before: Date): Promise<void> {
  await db(sql).deleteFrom('webhookAlerts').where('overAt', '<', before).execute();
}

interface AlertFilter {
  partnerId: number;
  state?: 'OPEN' | 'OVER';
  webhookId?: number;
}

function matching(sql: Sql, { partnerId, state, webhookId }: AlertFilter) {
  let alerts = db(sql)
    .selectFrom('webhookAlerts')
    .innerJoin('webhooks', 'webhooks.id', 'webhookAlerts.webhookId')
    .where('webhookAlerts.partnerId', '=', partnerId);
  if (state !== undefined) alerts = alerts.where('overAt', state === 'OPEN' ? 'is' : 'is not', null);
  if (webhookId !== undefined) alerts = alerts.where('webhookId', '=', webhookId);
  return alerts;
}

export const countAlerts = (sql: Sql, filter: AlertFilter): Promise<number> => countAll(matching(sql, filter));

/** Newest first. */
export const listAlerts = (sql: Sql, filter: AlertFilter, { offset, max }: { offset: number; max: number }) =>
  matching(sql, filter)
    .select([...alertColumns, 'webhooks.type', 'pushUrl'])
    .orderBy('webhookAlerts.id', 'desc')
    .offset(offset)
    .limit(max)
    .$narrowType<Pick<Alert, 'kind' | 'cause'>>()
    .execute();
