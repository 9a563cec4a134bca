import type { Config } from '../../config.ts';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { lockName, type Transaction } from '../../database/transaction.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import { type EventTypeName, healthEventTypes } from '../catalogue/catalogue.ts';
import type { AuditDisabled } from '../delivery/settler.ts';
import { eventTime, recordEvent } from '../outbox/record-event.ts';
import {
  type Alert,
  type AlertHistory,
  type AlertPolicy,
  alertChanges,
  alertText,
  type DueMessage,
  hourMs,
  messagesDue,
  type WebhookState,
  webhooksToDisable,
} from './alert.ts';
import { mailAlertsJob, mailsDue } from './alert-mail.ts';
import { disableWebhooks, insertMessages, readHistories, readWebhookStates, writeAlerts } from './alert-store.ts';
import { enqueueReviews } from './review-alerts-job.ts';

/** Opens, changes and closes the alerts of a partner to match the state of its webhooks, and records the events. */
export async function reviewAlerts(transaction: Transaction, policy: AlertPolicy, partnerId: number): Promise<void> {
  // Two reviews of a partner run one after the other.
  await lockName(transaction, `alerts of partner ${partnerId}`);
  const now = await databaseNow(transaction);
  const found = await readWebhookStates(transaction, policy, partnerId);
  const alerts = openOrRecent(await readHistories(transaction, found, 'EVENT'), now);
  const hasDisabled = await disable(transaction, policy, webhooksToDisable(found, alerts, policy, now));
  const webhooks = hasDisabled ? await readWebhookStates(transaction, policy, partnerId) : found;
  await writeAlerts(transaction, alertChanges(webhooks, alerts, policy, now));
  const due = eventsDue(webhooks, await readHistories(transaction, webhooks, 'EVENT'), now);
  for (const message of due) await recordHealthEvent(transaction, message, now);
  await insertMessages(transaction, 'EVENT', due);
}

/** Enqueues reviews and e-mails for partners whose alerts or messages are outdated. */
export async function findAlertWork(sql: Sql, policy: AlertPolicy & Pick<Config, 'smtpUrl'>): Promise<void> {
  const now = await databaseNow(sql);
  const webhooks = await readWebhookStates(sql, policy, null);
  const histories = await readHistories(sql, webhooks, 'EVENT');
  const alerts = openOrRecent(histories, now);
  const { opened, changed, over } = alertChanges(webhooks, alerts, policy, now);
  const outdatedIds = new Set([
    ...webhooksToDisable(webhooks, alerts, policy, now).map(({ webhookId }) => webhookId),
    ...opened.map(({ webhook }) => webhook.webhookId),
    ...changed.map(({ alert }) => alert.webhookId),
    ...over.map(({ webhookId }) => webhookId),
    ...eventsDue(webhooks, histories, now).map(({ webhook }) => webhook.webhookId),
  ]);
  const outdated = webhooks.filter(({ webhookId }) => outdatedIds.has(webhookId));
  await enqueueReviews(sql, partnersOf(outdated));
  if (!policy.smtpUrl) return;
  const mails = mailsDue(webhooks, await readHistories(sql, webhooks, 'EMAIL'), now);
  const recipients = partnersOf(mails.map(({ webhook }) => webhook));
  await mailAlertsJob.enqueueMissing(
    sql,
    recipients.map((partnerId) => ({ partnerId })),
  );
}

const partnersOf = (webhooks: readonly WebhookState[]): number[] => [
  ...new Set(webhooks.map(({ partnerId }) => partnerId)),
];

/** Open alerts, and alerts that closed within the last hour: these are reopened. */
const openOrRecent = (histories: readonly AlertHistory[], now: Date): Alert[] =>
  histories
    .map(({ alert }) => alert)
    .filter(({ overAt }) => overAt === null || now.getTime() - overAt.getTime() < hourMs);

/** Returns whether a webhook was disabled. */
async function disable(
  transaction: Transaction,
  { webhookDisableSeconds: disableSeconds }: AlertPolicy,
  due: readonly WebhookState[],
): Promise<boolean> {
  if (disableSeconds === null || due.length === 0) return false;
  const reason = `All deliveries failed for at least ${durationText(disableSeconds)}.`;
  const ids = due.map(({ webhookId }) => webhookId);
  const disabled = await disableWebhooks(transaction, ids, { disableSeconds, reason });
  for (const webhook of due.filter(({ webhookId }) => disabled.includes(webhookId))) {
    await auditDisabled(transaction, webhook, reason);
  }
  return disabled.length > 0;
}

/** Adds a webhook that this service disabled to the audit log. */
export const auditDisabled: AuditDisabled = (transaction, { webhookId, partnerId }, reason) =>
  recordAudit(transaction, { partner: { id: partnerId }, by: 'SYSTEM' }, 'DISABLED', 'WEBHOOK', webhookId, { reason });

/** In whole hours, rounded down. */
function durationText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

const isHealthType = (type: EventTypeName): boolean => healthEventTypes.some((one) => one === type);

/** Webhooks for health events cause no health events: each failed delivery of one would cause the next. */
function eventsDue(webhooks: readonly WebhookState[], histories: readonly AlertHistory[], now: Date): DueMessage[] {
  const ofWebhook = Map.groupBy(
    histories.filter(({ alert }) => alert.kind === 'HEALTH'),
    ({ alert }) => alert.webhookId,
  );
  return webhooks
    .filter(({ type, isDeleted }) => !isDeleted && !isHealthType(type))
    .flatMap((webhook) =>
      messagesDue(ofWebhook.get(webhook.webhookId) ?? [], now)
        // After a user has disabled the webhook, it has not recovered until it is enabled.
        .filter(({ content }) => content !== 'OVER' || webhook.enabled)
        .map((due) => ({ webhook, ...due })),
    );
}

const recoveredText =
  'The webhook is no longer failing: a delivery succeeded, or a user enabled, resumed or changed the webhook.';

async function recordHealthEvent(transaction: Transaction, { webhook, alert, content }: DueMessage, time: Date) {
  const partner = { id: webhook.partnerId, identifier: webhook.partnerIdentifier };
  const fields = {
    webhook: webhook.webhookId,
    webhookType: webhook.type,
    comment: content === 'OVER' ? recoveredText : alertText(alert),
    since: eventTime(webhook.failingSince ?? alert.openedAt),
  };
  switch (content) {
    case 'OVER':
      return recordEvent(transaction, { partner, time, type: 'WEBHOOK_RECOVERED', fields });
    case 'DISABLED':
      return recordEvent(transaction, { partner, time, type: 'WEBHOOK_DISABLED', fields });
    case 'FAILING':
    case 'PAUSED':
    case 'DISABLED_SOON': {
      const disablesAt = alert.deadline && { disablesAt: eventTime(alert.deadline) };
      return recordEvent(transaction, {
        partner,
        time,
        type: 'WEBHOOK_FAILING',
        fields: { ...fields, cause: content, ...disablesAt },
      });
    }
    default:
      throw new Error(`There is no event for the cause ${content}.`);
  }
}
