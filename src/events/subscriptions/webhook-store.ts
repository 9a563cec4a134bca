import type { Insertable } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { countAll } from '../../database/counting.ts';
import { rejectDuplicate } from '../../database/faults.ts';
import { anyOf, db, inSeconds, raw } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import { lockName, type Transaction } from '../../database/transaction.ts';
import { conflict, invalidField, Problem, requireFound } from '../../problems.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { initialWindow } from '../delivery/health.ts';
import { filterPath } from './filter.ts';
import { maxWebhooks, type Webhook, type WebhookSettings } from './webhook.ts';

const now = raw<Date>`now()`;

// A partner can access its own webhooks and those of its descendants.
const selectReachable = (sql: Sql, callerId: number) =>
  db(sql)
    .selectFrom('webhooks')
    .innerJoin('salesPartners', 'salesPartners.id', 'webhooks.partnerId')
    .innerJoin('webhookHealth', 'webhookHealth.webhookId', 'webhooks.id')
    .select([
      'webhooks.id',
      'webhooks.partnerId',
      'pushUrl',
      'type',
      'description',
      'enabled',
      'disabledReason',
      'includeChildren',
      'retrySchedule',
      'filter',
      'headerNames',
      raw<boolean>`queue_credentials is not null`.as('hasCredentials'),
      'oauth',
      'clientCertificate',
      'maxPerSecond',
      'timeoutSeconds',
      'asymmetricSignature',
      'cloudEvents',
      'ordered',
      'webhooks.dateCreated',
      'webhooks.lastUpdated',
      'consecutiveFailures',
      'failingSince',
      'openUntil as pausedUntil',
      'lastError',
      'previousSecretExpiresAt as previousSecretSignsUntil',
    ])
    .where('deletedAt', 'is', null)
    .where(({ eb, fn, val }) => eb(val(callerId), '=', fn.any('lineage')))
    .$narrowType<Pick<Webhook, 'type' | 'filter' | 'oauth' | 'clientCertificate'>>();

/** Throws NOT_FOUND if the caller cannot see the webhook. */
export async function requireWebhook(sql: Sql, callerId: number, id: number): Promise<Webhook> {
  const webhook = selectReachable(sql, callerId).where('webhooks.id', '=', id);
  return requireFound(await webhook.executeTakeFirst(), `webhook ${id}`);
}

/** The same, locked until the transaction ends. */
export async function requireLockedWebhook(sql: Sql, callerId: number, id: number): Promise<Webhook> {
  const webhook = selectReachable(sql, callerId).where('webhooks.id', '=', id).forUpdate('webhooks');
  return requireFound(await webhook.executeTakeFirst(), `webhook ${id}`);
}

export function requireEnabled({ id, enabled }: Pick<Webhook, 'id' | 'enabled'>): void {
  if (enabled) return;
  throw new Problem('CONFLICT', {
    message: `Webhook ${id} is disabled. Enable it first: PATCH /api/sales-partners/webhooks/${id} with {"enabled": true}.`,
  });
}

interface WebhookFilter {
  partnerId: number;
  types?: readonly EventTypeName[];
  /** Whether to include the webhooks of all descendants of the partner. */
  includeChildren?: boolean;
}

/** Only the webhooks of descendants can be more: 10 MB of JSON. */
const maxListed = 10_000;

export async function listWebhooks(
  sql: Sql,
  callerId: number,
  { partnerId, types, includeChildren = false }: WebhookFilter,
): Promise<Webhook[]> {
  let webhooks = selectReachable(sql, callerId).limit(maxListed + 1);
  webhooks = includeChildren
    ? webhooks.where(({ eb, fn, val }) => eb(val(partnerId), '=', fn.any('lineage')))
    : webhooks.where('webhooks.partnerId', '=', partnerId);
  if (types) webhooks = webhooks.where('type', '=', anyOf(types, 'text'));
  const found = await webhooks.orderBy('webhooks.partnerId').orderBy('webhooks.id').execute();
  if (found.length <= maxListed) return found;
  const message =
    `includeChildren selects more than ${maxListed} webhooks, the limit per call. Request the webhooks of one partner ` +
    'with salesPartnerId and without includeChildren, or fewer types.';
  throw invalidField('includeChildren', 'maximum', message);
}

/** Ids of the webhooks of a partner whose filters name the label. */
export async function findWebhooksFilteredBy(
  sql: Sql,
  partnerId: number,
  labelId: number,
  limit: number,
): Promise<number[]> {
  const condition = '$.** ? (@.field == "labels" && (@.equals == $label || @.in[*] == $label))';
  const webhooks = await db(sql)
    .selectFrom('webhooks')
    .select('id')
    .where('partnerId', '=', partnerId)
    .where('deletedAt', 'is', null)
    .where(
      raw<boolean>`jsonb_path_exists(filter, ${condition}::jsonpath, ${JSON.stringify({ label: labelId })}::jsonb)`,
    )
    .orderBy('id')
    .limit(limit)
    .execute();
  return webhooks.map(({ id }) => id);
}

/** The webhooks of a partner with this push URL, oldest first, locked until the transaction ends. */
export const lockDestination = (
  transaction: Transaction,
  callerId: number,
  { partnerId, pushUrl }: Pick<Webhook, 'partnerId' | 'pushUrl'>,
): Promise<Webhook[]> =>
  selectReachable(transaction, callerId)
    .where('webhooks.partnerId', '=', partnerId)
    .where('pushUrl', '=', pushUrl)
    .orderBy('webhooks.id')
    .forUpdate('webhooks')
    .execute();

/** Throws the problem of the parameter salesPartnerId if the caller cannot see the partner. */
export async function requirePartner(
  sql: Sql,
  callerId: number,
  partnerId: number,
  problem: (field: string, record: string) => Problem,
): Promise<void> {
  const partner = await db(sql)
    .selectFrom('salesPartners')
    .select('id')
    .where('id', '=', partnerId)
    .where(({ eb, fn, val }) => eb(val(callerId), '=', fn.any('lineage')))
    .executeTakeFirst();
  if (!partner) throw problem('salesPartnerId', `sales partner ${partnerId}`);
}

/** The sealed values that a change of settings replaces. */
const changedColumns = ['headers', 'headerNames', 'oauthSecret', 'clientKey', 'queueCredentials'] as const;
export type ChangedSecrets = Pick<Insertable<DB['webhooks']>, (typeof changedColumns)[number]>;

const secretColumns = [...changedColumns, 'secret', 'previousSecret', 'previousSecretExpiresAt'] as const;
export type Secrets = Pick<Insertable<DB['webhooks']>, (typeof secretColumns)[number]>;

export const readSecrets = (sql: Sql, id: number): Promise<Secrets> =>
  db(sql).selectFrom('webhooks').select(secretColumns).where('id', '=', id).executeTakeFirstOrThrow();

/** The secrets whose public keys are published, sealed. */
export const findPublishedSecrets = (
  sql: Sql,
  id: number,
): Promise<Pick<Secrets, 'secret' | 'previousSecret'> | undefined> =>
  db(sql)
    .selectFrom('webhooks')
    .select(({ eb, ref }) => [
      'secret',
      eb.case().when('previousSecretExpiresAt', '>', now).then(ref('previousSecret')).end().as('previousSecret'),
    ])
    .where('id', '=', id)
    .where('asymmetricSignature', '=', true)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();

/** Throws if the partner cannot have this many more webhooks. Concurrent requests wait until the transaction ends. */
export async function requireCapacity(transaction: Transaction, partnerId: number, added: number): Promise<void> {
  if (added <= 0) return;
  await lockName(transaction, `webhooks of partner ${partnerId}`);
  const webhooks = db(transaction).selectFrom('webhooks').where('partnerId', '=', partnerId);
  const count = await countAll(webhooks.where('deletedAt', 'is', null));
  if (count + added <= maxWebhooks) return;
  throw new Problem('CONFLICT', {
    message:
      `Sales partner ${partnerId} has ${count} webhooks; ${added} more would exceed the maximum of ${maxWebhooks}. ` +
      'Delete webhooks first, or select fewer event types.',
  });
}

export async function insertWebhook(
  sql: Sql,
  partnerId: number,
  settings: WebhookSettings,
  secrets: Secrets,
  disabledReason: string | null = null,
): Promise<number> {
  const { webhookId } = await rejectDuplicateTarget(
    settings,
    db(sql)
      .with('webhook', (cte) =>
        cte
          .insertInto('webhooks')
          .values({ partnerId, ...columnsOf(settings), ...secrets, disabledReason })
          .returning('id'),
      )
      .insertInto('webhookHealth')
      .columns(['webhookId', 'sendWindow'])
      .expression(({ selectFrom, val }) => selectFrom('webhook').select(['id', val(initialWindow).as('sendWindow')]))
      .returning('webhookId')
      .executeTakeFirstOrThrow(),
  );
  return webhookId;
}

const columnsOf = ({ filter, oauth, clientCertificate, ...settings }: WebhookSettings) => ({
  ...settings,
  oauth: oauth && JSON.stringify(oauth),
  clientCertificate: clientCertificate && JSON.stringify(clientCertificate),
  filter: filter && JSON.stringify(filter),
  filterPath: filter && filterPath(filter),
});

/** Clears `disabled_reason`, unless the webhook stays disabled. */
export async function updateWebhook(
  sql: Sql,
  id: number,
  settings: WebhookSettings,
  secrets: ChangedSecrets = {},
): Promise<void> {
  await rejectDuplicateTarget(
    settings,
    db(sql)
      .updateTable('webhooks')
      .set(({ eb, ref }) => ({
        ...columnsOf(settings),
        ...secrets,
        disabledReason: settings.enabled
          ? null
          : eb.case().when('enabled', '=', false).then(ref('disabledReason')).end(),
        revision: eb('revision', '+', 1),
        lastUpdated: now,
      }))
      .where('id', '=', id)
      .execute(),
  );
}

/** For a webhook whose event type changed: its waiting deliveries are of the previous type. */
export async function deleteWaitingDeliveries(sql: Sql, id: number): Promise<void> {
  await db(sql)
    .deleteFrom('deliveryQueue')
    .where('lane', '=', raw<number>`any (${Object.values(lanes)}::smallint[])`)
    .where('webhookId', '=', id)
    .execute();
}

/**
 * For a webhook that is no longer ordered: its waiting deliveries are sent without an order. Rows that a worker is
 * settling are skipped: if they fail, they hold back no other delivery.
 */
export async function releaseOrder(sql: Sql, id: number): Promise<void> {
  await db(sql)
    .with('waiting', (cte) =>
      cte
        .selectFrom('deliveryQueue')
        .select('eventId')
        .where('webhookId', '=', id)
        .where('orderKey', 'is not', null)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('deliveryQueue')
    .from('waiting')
    .set(({ eb, ref }) => ({
      orderKey: null,
      lane: eb.case().when('lane', '=', lanes.ordered).then(lanes.first).else(ref('lane')).end(),
    }))
    .whereRef('deliveryQueue.eventId', '=', 'waiting.eventId')
    .where('deliveryQueue.webhookId', '=', id)
    .execute();
}

export async function resetFailures(sql: Sql, id: number): Promise<void> {
  await db(sql)
    .updateTable('webhookHealth')
    .set({
      sendWindow: initialWindow,
      consecutiveFailures: 0,
      failingSince: null,
      trips: 0,
      openUntil: null,
      lastError: null,
    })
    .where('webhookId', '=', id)
    .execute();
}

/**
 * Makes the waiting retries of a webhook due now and returns the number of due retries: a pause also holds back those that
 * were due before. Rows that a worker is settling are skipped: they have just been attempted.
 */
export async function makeRetriesDue(sql: Sql, webhookId: number): Promise<number> {
  const retries = db(sql)
    .selectFrom('deliveryQueue')
    .where('lane', '=', lanes.retry)
    .where('webhookId', '=', webhookId);
  await db(sql)
    .with('waiting', () => retries.select('eventId').where('dueAt', '>', now).forUpdate().skipLocked())
    .updateTable('deliveryQueue')
    .from('waiting')
    .set({ dueAt: now })
    .whereRef('deliveryQueue.eventId', '=', 'waiting.eventId')
    .where('deliveryQueue.webhookId', '=', webhookId)
    .execute();
  return countAll(retries.where('dueAt', '<=', now));
}

export async function deleteWebhook(sql: Sql, id: number): Promise<void> {
  await db(sql)
    .updateTable('webhooks')
    .set((eb) => ({ deletedAt: now, lastUpdated: now, revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** Returns when the previous secrets stop signing. */
export async function replaceSecrets(
  sql: Sql,
  ids: readonly number[],
  sealedSecret: Buffer,
  overlapSeconds: number,
): Promise<Date> {
  const { previousSecretExpiresAt } = await db(sql)
    .updateTable('webhooks')
    .set(({ eb, ref }) => ({
      secret: sealedSecret,
      previousSecret: overlapSeconds > 0 ? ref('secret') : null,
      previousSecretExpiresAt: inSeconds(overlapSeconds),
      revision: eb('revision', '+', 1),
      lastUpdated: now,
    }))
    .where('id', '=', anyOf(ids, 'bigint'))
    .returning('previousSecretExpiresAt')
    .$narrowType<{ previousSecretExpiresAt: Date }>()
    .executeTakeFirstOrThrow();
  return previousSecretExpiresAt;
}

/** Makes the workers reload the keys of a partner's webhooks. */
export async function bumpRevisions(sql: Sql, partnerId: number): Promise<void> {
  await db(sql)
    .updateTable('webhooks')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('partnerId', '=', partnerId)
    .where('deletedAt', 'is', null)
    .execute();
}

const rejectDuplicateTarget = <T>({ pushUrl, type }: WebhookSettings, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'webhooks_one_per_target', () => {
    const message = `A webhook for ${type} to ${pushUrl} already exists. Change that webhook, or use another pushUrl.`;
    return conflict('pushUrl', 'unique', message);
  });
