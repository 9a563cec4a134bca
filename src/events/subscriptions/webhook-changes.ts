import Type, { type Static } from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordOwnerAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { deliveriesChannel, orderedChannel } from '../outbox/record-event.ts';
import { newWebhookSecret, rotationUnderWay } from '../signing/keys.ts';
import type { Sealer } from '../signing/sealer.ts';
import { openHeaders, sealHeaders, sealQueueCredentials } from '../signing/webhook-credentials.ts';
import { hasEmptyCredentials, originOf, queueCredentials } from '../transport/queues/queue-url.ts';
import { changedSettings, type NewWebhook, type Webhook, type WebhookChange, type WebhookSettings } from './webhook.ts';
import {
  changedHeaders,
  checkAuthorization,
  checkCertificateUrl,
  checkCertificateUse,
  newClientSecret,
  requireClientSecret,
  requireHeaderValues,
} from './webhook-credential-fields.ts';
import {
  type ChangedSecrets,
  deleteWaitingDeliveries,
  deleteWebhook,
  insertWebhook,
  makeRetriesDue,
  readSecrets,
  releaseOrder,
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
  await checkCredentials(transaction, settings, secrets.headerNames ?? [], settings.clientCertificate !== null);
  await audit(transaction, caller, 'CREATED', { id, partnerId }, { type, pushUrl });
  return id;
}

/** Creates a webhook like another one of the partner after a change; a reason why the system disabled it is kept. */
export async function copyWebhook(
  transaction: Transaction,
  caller: Caller,
  sealer: Sealer,
  webhook: Webhook,
  change: Static<typeof WebhookChange>,
): Promise<void> {
  const { settings, saved, secrets } = await checkedChange(transaction, sealer, webhook, change);
  const { type, pushUrl, enabled } = settings;
  const reason = enabled ? null : webhook.disabledReason;
  const { partnerId } = webhook;
  const id = await insertWebhook(transaction, partnerId, settings, { ...saved, ...secrets }, reason);
  await audit(transaction, caller, 'CREATED', { id, partnerId }, { type, pushUrl });
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
  const { settings, resetsHealth, secrets, headerNames } = await checkedChange(transaction, sealer, webhook, change);
  await updateWebhook(transaction, id, settings, secrets);
  if (settings.type !== webhook.type) await deleteWaitingDeliveries(transaction, id);
  if (webhook.ordered && !settings.ordered) {
    await releaseOrder(transaction, id);
    transaction.notifyAfterCommit(deliveriesChannel);
  }
  await audit(transaction, caller, 'UPDATED', webhook, withoutSecrets(change, settings, headerNames));
  if (!resetsHealth) return;
  await resetFailures(transaction, id);
  if (settings.enabled && !webhook.enabled) await makeRetriesDue(transaction, id);
  transaction.notifyAfterCommit(deliveriesChannel);
  if (settings.ordered) transaction.notifyAfterCommit(orderedChannel);
}

/** The settings and secrets of a webhook after a change. Throws if they do not fit together. */
async function checkedChange(
  transaction: Transaction,
  sealer: Sealer,
  webhook: Webhook,
  change: Static<typeof WebhookChange>,
) {
  const { settings, resetsHealth } = changedSettings(webhook, change);
  if (originOf(settings.pushUrl) !== originOf(webhook.pushUrl)) checkKeptCredentials(webhook, change);
  const saved = await readSecrets(transaction, webhook.id);
  const secrets = changedSecrets(sealer, webhook, saved.headers, change);
  const { headerNames = webhook.headerNames } = secrets;
  await checkCredentials(transaction, settings, headerNames, change.clientCertificate != null);
  return { settings, resetsHealth, saved, secrets, headerNames };
}

/** Saved credentials are not sent to another origin: a user who cannot read them could choose a server of their own. */
function checkKeptCredentials({ oauth, headerNames }: Webhook, change: Static<typeof WebhookChange>): void {
  if (oauth && change.oauth !== null) requireClientSecret(change.oauth);
  if (change.headers !== null) requireHeaderValues(headerNames, change.headers);
}

/** The sealed values of a new webhook. */
export const newSecrets = (sealer: Sealer, secret: string, body: Static<typeof NewWebhook>): Secrets => ({
  secret: sealer.seal(secret),
  ...changedSecrets(sealer, { pushUrl: '', oauth: null }, null, body),
});

async function checkCredentials(
  transaction: Transaction,
  { oauth, clientCertificate, pushUrl }: WebhookSettings,
  headerNames: readonly string[],
  isNewCertificate: boolean,
): Promise<void> {
  checkAuthorization(oauth, headerNames, pushUrl);
  if (!clientCertificate) return;
  checkCertificateUrl(pushUrl);
  if (isNewCertificate) checkCertificateUse(clientCertificate, await databaseNow(transaction));
}

/** `savedHeaders`: the sealed headers before the change. */
function changedSecrets(
  sealer: Sealer,
  before: Pick<Webhook, 'pushUrl' | 'oauth'>,
  savedHeaders: Buffer | null | undefined,
  { pushUrl, headers, oauth, clientCertificate }: Static<typeof WebhookChange>,
): ChangedSecrets {
  const clientSecret = oauth && newClientSecret(before.oauth, oauth);
  const kept = headers ? openHeaders(sealer, savedHeaders) : {};
  return {
    ...(headers !== undefined && sealHeaders(sealer, changedHeaders(kept, headers ?? {}))),
    ...(oauth === null && { oauthSecret: null }),
    ...(clientSecret && { oauthSecret: sealer.seal(clientSecret) }),
    ...(clientCertificate === null && { clientKey: null }),
    ...(clientCertificate && { clientKey: sealer.seal(clientCertificate.privateKey) }),
    ...(pushUrl !== undefined && changedCredentials(sealer, before.pushUrl, pushUrl)),
  };
}

/** A push URL without credentials keeps the saved ones, which are sent to their broker only; empty ones delete them. */
function changedCredentials(sealer: Sealer, before: string, pushUrl: string): ChangedSecrets {
  const credentials = queueCredentials(pushUrl);
  if (credentials) return { queueCredentials: sealQueueCredentials(sealer, credentials) };
  const isKept = originOf(pushUrl) === originOf(before) && !hasEmptyCredentials(pushUrl);
  return isKept ? {} : { queueCredentials: null };
}

/** A change for the audit log. */
const withoutSecrets = (
  change: Static<typeof WebhookChange>,
  { pushUrl, oauth, clientCertificate }: WebhookSettings,
  headerNames: readonly string[],
): object => ({
  ...change,
  ...(change.pushUrl !== undefined && { pushUrl }),
  ...(change.headers !== undefined && { headers: headerNames }),
  ...(change.oauth !== undefined && { oauth }),
  ...(change.clientCertificate !== undefined && { clientCertificate: clientCertificate?.fingerprint ?? null }),
});

export async function removeWebhook(transaction: Transaction, caller: Caller, webhook: Webhook): Promise<void> {
  const { id, type, pushUrl } = webhook;
  await deleteWebhook(transaction, id);
  await audit(transaction, caller, 'DELETED', webhook, { type, pushUrl });
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
  for (const webhook of webhooks) await audit(transaction, caller, 'SECRET_ROTATED', webhook, { overlapHours });
  return { secret, previousSecretSignsUntil: until.toISOString() };
}

const audit = (
  transaction: Transaction,
  caller: Caller,
  action: string,
  { id, partnerId }: Pick<Webhook, 'id' | 'partnerId'>,
  details: object,
) =>
  recordOwnerAudit(transaction, caller, partnerId, {
    action,
    subject: 'WEBHOOK',
    subjectId: id,
    details: { ...details },
  });
