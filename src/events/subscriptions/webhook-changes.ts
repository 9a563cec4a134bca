import Type, { type Static } from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import { newWebhookSecret, rotationUnderWay } from '../signing/keys.ts';
import { openHeaders, type SealedHeaders, sealHeaders } from '../signing/sealed-headers.ts';
import type { Sealer } from '../signing/sealer.ts';
import { changedHeaders, type HeadersChange } from './custom-headers.ts';
import { changedSettings, type Webhook, type WebhookChange, type WebhookSettings } from './webhook.ts';
import {
  deleteWaitingDeliveries,
  deleteWebhook,
  insertWebhook,
  makeRetriesDue,
  readSecrets,
  replaceSecrets,
  resetFailures,
  type Secrets,
  updateWebhook,
} from './webhook-store.ts';

export const NewSecret = Type.Object({
  secret: Type.String({ description: 'Secret of the webhook-signature header. Returned only once' }),
  previousSecretSignsUntil: Type.String(),
});

/** Returns the id of the webhook. */
export async function createWebhook(
  transaction: Transaction,
  caller: Caller,
  partnerId: number,
  settings: WebhookSettings,
  secrets: Secrets,
): Promise<number> {
  const id = await insertWebhook(transaction, partnerId, settings, secrets);
  const { type, pushUrl } = settings;
  await audit(transaction, caller, 'CREATED', id, { type, pushUrl });
  return id;
}

/** The webhook must be locked. */
export async function changeWebhook(
  transaction: Transaction,
  caller: Caller,
  sealer: Sealer,
  webhook: Webhook,
  change: Static<typeof WebhookChange>,
): Promise<void> {
  const { id } = webhook;
  const { settings, resetsHealth } = changedSettings(webhook, change);
  const headers = change.headers === undefined ? undefined : await newHeaders(transaction, sealer, id, change.headers);
  await updateWebhook(transaction, id, settings, headers);
  if (settings.type !== webhook.type) await deleteWaitingDeliveries(transaction, id);
  await audit(transaction, caller, 'UPDATED', id, headers ? { ...change, headers: headers.headerNames } : change);
  if (!resetsHealth) return;
  await resetFailures(transaction, id);
  if (settings.enabled && !webhook.enabled) await makeRetriesDue(transaction, id);
  transaction.notifyAfterCommit(deliveriesChannel);
}

/** Null removes all headers. */
async function newHeaders(
  transaction: Transaction,
  sealer: Sealer,
  id: number,
  change: Static<typeof HeadersChange> | null,
): Promise<SealedHeaders> {
  if (change === null) return sealHeaders(sealer, {});
  const { headers } = await readSecrets(transaction, id);
  return sealHeaders(sealer, changedHeaders(openHeaders(sealer, headers), change));
}

export async function removeWebhook(
  transaction: Transaction,
  caller: Caller,
  { id, type, pushUrl }: Webhook,
): Promise<void> {
  await deleteWebhook(transaction, id);
  await audit(transaction, caller, 'DELETED', id, { type, pushUrl });
}

/** Gives all webhooks, which must be locked, the same new secret. */
export async function rotateSecrets(
  transaction: Transaction,
  caller: Caller,
  sealer: Sealer,
  webhooks: readonly Webhook[],
  overlapHours: number,
): Promise<Static<typeof NewSecret>> {
  const now = await databaseNow(transaction);
  const running = webhooks.map((webhook) => webhook.previousSecretSignsUntil).find((until) => until && until > now);
  if (running && overlapHours > 0) throw rotationUnderWay(running);
  const secret = newWebhookSecret();
  const ids = webhooks.map(({ id }) => id);
  const until = await replaceSecrets(transaction, ids, sealer.seal(secret), overlapHours * 3600);
  for (const id of ids) await audit(transaction, caller, 'SECRET_ROTATED', id, { overlapHours });
  return { secret, previousSecretSignsUntil: until.toISOString() };
}

const audit = (transaction: Transaction, { partnerId, by }: Caller, action: string, id: number, details: object) =>
  recordAudit(transaction, { partner: { id: partnerId }, by }, action, 'WEBHOOK', id, { ...details });
