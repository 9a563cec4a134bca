import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { defineJob } from '../../jobs/job.ts';
import {
  type Alert,
  type AlertHistory,
  type AlertPolicy,
  alertText,
  type DueMessage,
  type MessageContent,
  messagesDue,
  type WebhookState,
} from './alert.ts';
import { insertMessages, readHistories, readWebhookStates } from './alert-store.ts';

/** How often the mail server did not accept the e-mail; absent if never. */
export interface MailAlerts {
  partnerId: number;
  failures?: number;
}

/** Mails the alerts of a partner. One at a time: a mail server that hangs occupies one worker. */
export const mailAlertsJob = defineJob<MailAlerts>('alerts.mail', {
  key: ({ partnerId }) => `alerts.mail-${partnerId}`,
  queue: 'alerts.mail',
  maxAttempts: 3,
});

export interface AlertMail {
  subject: string;
  text: string;
  messages: readonly DueMessage[];
}

/** Webhooks of one push URL usually fail together and share their messages. */
export function mailsDue(
  webhooks: readonly WebhookState[],
  histories: readonly AlertHistory[],
  now: Date,
): DueMessage[] {
  const webhookById = new Map(webhooks.map((webhook) => [webhook.webhookId, webhook]));
  const groups = Map.groupBy(histories, ({ alert }) => {
    const webhook = webhookById.get(alert.webhookId);
    return `${alert.kind} ${webhook?.partnerId} ${webhook?.pushUrl}`;
  });
  return [...groups.values()]
    .flatMap((group) => messagesDue(group, now))
    .flatMap(({ alert, content }) => {
      const webhook = webhookById.get(alert.webhookId);
      const isWanted = webhook && (content !== 'OVER' || (webhook.enabled && !webhook.isDeleted));
      return isWanted ? [{ webhook, alert, content }] : [];
    });
}

/** The e-mail about the alerts of a partner, if one is due. */
export async function findAlertMail(
  sql: Sql,
  policy: AlertPolicy,
  { partnerId, consoleUrl }: { partnerId: number; consoleUrl: string | undefined },
): Promise<AlertMail | undefined> {
  const webhooks = await readWebhookStates(sql, policy, partnerId);
  const messages = mailsDue(webhooks, await readHistories(sql, webhooks, 'EMAIL'), await databaseNow(sql));
  if (messages.length === 0) return undefined;
  return { subject: subjectOf(messages), text: textOf(messages, consoleUrl), messages };
}

export const recordAlertMail = (sql: Sql, { messages }: AlertMail): Promise<void> =>
  insertMessages(sql, 'EMAIL', messages);

const maxListed = 50;

function subjectOf(messages: readonly DueMessage[]): string {
  const over = messages.filter(({ content }) => content === 'OVER').length;
  const open = messages.length - over;
  const parts = [open > 0 && `${open} ${open === 1 ? 'alert' : 'alerts'}`, over > 0 && `${over} over`];
  return `Waypost webhooks: ${parts.filter(Boolean).join(', ')}`;
}

function textOf(messages: readonly DueMessage[], consoleUrl: string | undefined): string {
  const more = messages.length - maxListed;
  return [
    ...messages.slice(0, maxListed).map((message) => paragraphOf(message, consoleUrl)),
    ...(more > 0 ? [`${more} more alerts are listed in the console.`] : []),
    'To stop these e-mails, turn them off on the page Webhooks of the console.',
  ].join('\n\n');
}

/** The push URL can contain a token, so only its host is named. */
function paragraphOf({ webhook, alert, content }: DueMessage, consoleUrl: string | undefined): string {
  const { webhookId, type, pushUrl } = webhook;
  return [
    `${type} to ${new URL(pushUrl).host} (webhook ${webhookId})`,
    content === 'OVER' ? `Over: ${alertText({ ...alert, detail: null })}` : alertText(alert),
    `Since ${timeText(alert.openedAt)}.`,
    ...deadlineOf(alert, content),
    ...(consoleUrl ? [`${consoleUrl}/settings/webhooks/${webhookId}`] : []),
  ].join('\n');
}

function deadlineOf({ kind, deadline }: Alert, content: MessageContent): string[] {
  if (!deadline || content === 'OVER') return [];
  return [
    kind === 'HEALTH'
      ? `The webhook is disabled on ${timeText(deadline)} if all deliveries keep failing.`
      : `The ${kind === 'SECRET' ? 'previous secret' : 'client certificate'} expires on ${timeText(deadline)}.`,
  ];
}

/** 2026-11-15 01:02 UTC */
const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
