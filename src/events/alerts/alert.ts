import type { Selectable } from 'kysely';
import type { Config } from '../../config.ts';
import type { DB } from '../../database/schema.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { isFailing } from './review-alerts-job.ts';

/** The causes of each kind. A webhook has at most one open alert of a kind, whose cause can change. */
const causesByKind = {
  HEALTH: ['FAILING', 'PAUSED', 'DISABLED_SOON', 'DISABLED'],
  BACKLOG: ['BACKLOG'],
  SECRET: ['SECRET_EXPIRES'],
  CERTIFICATE: ['CERTIFICATE_EXPIRES'],
} as const;

type AlertKind = keyof typeof causesByKind;
export type AlertCause = (typeof causesByKind)[AlertKind][number];

export const alertCauses: readonly AlertCause[] = Object.values(causesByKind).flat();

export type AlertPolicy = Pick<Config, 'alertBacklogSeconds' | 'webhookDisableSeconds'>;

type WebhookColumns = Pick<
  Selectable<DB['webhooks']>,
  'partnerId' | 'pushUrl' | 'enabled' | 'disabledReason' | 'previousSecretExpiresAt'
>;
type HealthColumns = Omit<Selectable<DB['webhookHealth']>, 'openUntil' | 'sendWindow'>;

/** The columns of a webhook and its health that cause alerts. */
export interface WebhookState extends WebhookColumns, HealthColumns {
  partnerIdentifier: string;
  type: EventTypeName;
  isDeleted: boolean;
  certificateExpiresAt: Date | null;
  /** Since when the oldest waiting delivery is due. */
  dueSince: Date | null;
  /** Whether an attempt failed in the last day. */
  failedRecently: boolean;
  /** In how many parts of the period until it is disabled an attempt failed. */
  failedParts: number;
}

export interface Issue {
  kind: AlertKind;
  cause: AlertCause;
  /** The last error, or why the webhook is disabled. */
  detail: string | null;
  /** When the webhook will be disabled, or the previous secret or the client certificate expires. */
  deadline: Date | null;
}

export interface Alert extends Issue {
  id: number;
  webhookId: number;
  openedAt: Date;
  overAt: Date | null;
}

export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const certificateNoticeMs = 30 * dayMs;
const secretNoticeMs = 2 * hourMs;
const disableNoticeMs = dayMs;

/** One event fails for some hours: failures must be spread over the period. A part is a day at most. */
export const periodParts = 5;
const minFailedParts = 3;

type KnownAlerts = ReadonlyMap<string, Alert>;
type Rule = (webhook: WebhookState, policy: AlertPolicy, now: Date, known: KnownAlerts) => Issue | undefined;

/** One rule per kind. Another kind is a kind, its causes and a rule. */
const rules: readonly Rule[] = [healthIssue, backlogIssue, secretIssue, certificateIssue];

const issuesOf = (webhook: WebhookState, policy: AlertPolicy, now: Date, known: KnownAlerts): Issue[] =>
  webhook.isDeleted ? [] : rules.flatMap((rule) => rule(webhook, policy, now, known) ?? []);

const keyOf = (webhookId: number, kind: AlertKind): string => `${webhookId} ${kind}`;
const byKey = (alerts: readonly Alert[]): KnownAlerts =>
  new Map(alerts.map((alert) => [keyOf(alert.webhookId, alert.kind), alert]));

function healthIssue(webhook: WebhookState, policy: AlertPolicy, now: Date, known: KnownAlerts): Issue | undefined {
  const { enabled, disabledReason, lastError, trips } = webhook;
  const kind = 'HEALTH';
  // Without a reason, a user disabled the webhook.
  if (!enabled) return disabledReason ? { kind, cause: 'DISABLED', detail: disabledReason, deadline: null } : undefined;
  if (!isFailing(webhook)) return undefined;
  const cause = trips > 0 ? 'PAUSED' : 'FAILING';
  const issue = { kind, cause, detail: lastError, deadline: disableTime(webhook, policy) } as const;
  if (!issue.deadline || issue.deadline.getTime() - now.getTime() > disableNoticeMs) return issue;
  if (webhook.failedParts < minFailedParts) return { ...issue, deadline: null };
  const announced = announcedTime(known.get(keyOf(webhook.webhookId, kind))) ?? now.getTime() + disableNoticeMs;
  const deadline = new Date(Math.max(issue.deadline.getTime(), announced));
  return { ...issue, cause: 'DISABLED_SOON', deadline };
}

/** The deadline of an alert is at least a day after its announcement, also after a change of the policy. */
const announcedTime = (alert: Alert | undefined): number | undefined =>
  alert?.cause === 'DISABLED_SOON' && !alert.overAt ? alert.deadline?.getTime() : undefined;

/** Null while no attempt fails: the receiver may work by now. */
const disableTime = ({ failingSince, failedRecently }: WebhookState, policy: AlertPolicy): Date | null =>
  failingSince && failedRecently && policy.webhookDisableSeconds !== null
    ? new Date(failingSince.getTime() + policy.webhookDisableSeconds * 1000)
    : null;

/** The webhooks that have to be disabled now. */
export function webhooksToDisable(
  webhooks: readonly WebhookState[],
  alerts: readonly Alert[],
  policy: AlertPolicy,
  now: Date,
): WebhookState[] {
  const known = byKey(alerts);
  return webhooks.filter((webhook) =>
    issuesOf(webhook, policy, now, known).some(
      ({ cause, deadline }) => cause === 'DISABLED_SOON' && deadline && deadline <= now,
    ),
  );
}

function backlogIssue({ enabled, dueSince }: WebhookState, policy: AlertPolicy, now: Date): Issue | undefined {
  if (!enabled || !dueSince || now.getTime() - dueSince.getTime() < policy.alertBacklogSeconds * 1000) return undefined;
  return { kind: 'BACKLOG', cause: 'BACKLOG', detail: null, deadline: null };
}

function secretIssue({ previousSecretExpiresAt: end }: WebhookState, _: AlertPolicy, now: Date): Issue | undefined {
  if (!end || end <= now || end.getTime() - now.getTime() > secretNoticeMs) return undefined;
  return { kind: 'SECRET', cause: 'SECRET_EXPIRES', detail: null, deadline: end };
}

/** Also after it has expired, until it is replaced. */
function certificateIssue({ certificateExpiresAt: end }: WebhookState, _: AlertPolicy, now: Date): Issue | undefined {
  if (!end || end.getTime() - now.getTime() > certificateNoticeMs) return undefined;
  return { kind: 'CERTIFICATE', cause: 'CERTIFICATE_EXPIRES', detail: null, deadline: end };
}

export interface AlertChanges {
  opened: { webhook: WebhookState; issue: Issue }[];
  /** Also reopened ones. */
  changed: { alert: Alert; issue: Issue }[];
  over: Alert[];
}

/** An alert that was over is reopened within the hour: a webhook that keeps failing and recovering has one alert. */
export function alertChanges(
  webhooks: readonly WebhookState[],
  alerts: readonly Alert[],
  policy: AlertPolicy,
  now: Date,
): AlertChanges {
  const changes: AlertChanges = { opened: [], changed: [], over: [] };
  const known = byKey(alerts);
  const current = new Set<string>();
  for (const webhook of webhooks) {
    for (const issue of issuesOf(webhook, policy, now, known)) {
      const key = keyOf(webhook.webhookId, issue.kind);
      const alert = known.get(key);
      current.add(key);
      if (!alert) changes.opened.push({ webhook, issue });
      else if (alert.overAt || isChanged(alert, issue)) changes.changed.push({ alert, issue });
    }
  }
  for (const [key, alert] of known) if (!alert.overAt && !current.has(key)) changes.over.push(alert);
  return changes;
}

const isChanged = (alert: Alert, { cause, detail, deadline }: Issue): boolean =>
  alert.cause !== cause || alert.detail !== detail || alert.deadline?.getTime() !== deadline?.getTime();

const causeTexts: Readonly<Record<AlertCause, string>> = {
  FAILING: 'Deliveries are failing.',
  PAUSED: 'Deliveries are paused because of repeated failures. One at a time is attempted after each pause.',
  DISABLED_SOON: 'All deliveries have been failing for a long time. The webhook will be disabled soon.',
  DISABLED: 'The webhook is disabled.',
  BACKLOG: 'Deliveries have been waiting for a long time.',
  SECRET_EXPIRES: 'The previous secret expires soon. Receivers must verify with the new secret.',
  CERTIFICATE_EXPIRES: 'The client certificate has expired or expires within 30 days. Set a new one.',
};

/** What happened, in one or two sentences. */
export const alertText = ({ cause, detail }: Pick<Issue, 'cause' | 'detail'>): string =>
  detail ? `${causeTexts[cause]} ${detail}` : causeTexts[cause];

export type Channel = 'EVENT' | 'EMAIL';

/** The cause of an open alert, or OVER. */
export type MessageContent = AlertCause | 'OVER';

interface SentMessage {
  content: MessageContent;
  sentAt: Date;
}

export interface DueMessage {
  webhook: WebhookState;
  alert: Alert;
  content: MessageContent;
}

/** An alert and the messages that one channel sent about it, oldest first. */
export interface AlertHistory {
  alert: Alert;
  sent: readonly SentMessage[];
}

/**
 * The alerts of a group that need a message: at most one per cause and hour, and one when the group has no open alert.
 * An alert whose hour is not over waits, unless it is over before.
 */
export function messagesDue(group: readonly AlertHistory[], now: Date): Omit<DueMessage, 'webhook'>[] {
  const hourAgo = now.getTime() - hourMs;
  const recent = new Set(
    group.flatMap(({ sent }) => sent.filter(({ sentAt }) => sentAt.getTime() > hourAgo)).map(({ content }) => content),
  );
  const open = group.filter(({ alert }) => alert.overAt === null);
  if (open.length === 0) {
    return group
      .filter(({ sent }) => sent.length > 0 && sent.at(-1)?.content !== 'OVER')
      .map(({ alert }) => ({ alert, content: 'OVER' }));
  }
  return open
    .filter(({ alert, sent }) => sent.at(-1)?.content !== alert.cause && !recent.has(alert.cause))
    .map(({ alert }) => ({ alert, content: alert.cause }));
}
