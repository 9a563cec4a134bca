import Type, { type Static } from 'typebox';
import { Id } from '../../http/ids.ts';
import { deletable } from '../../http/validation.ts';
import { type EventTypeName, eventTypeNames } from '../catalogue/catalogue.ts';

/** What a partner sets on a webhook. */
export interface WebhookSettings {
  pushUrl: string;
  type: EventTypeName;
  description: string;
  enabled: boolean;
  includeChildren: boolean;
  retrySchedule: readonly number[] | null;
}

export interface Webhook extends WebhookSettings {
  id: number;
  partnerId: number;
  disabledReason: string | null;
  dateCreated: Date;
  lastUpdated: Date;
  consecutiveFailures: number;
  failingSince: Date | null;
  pausedUntil: Date | null;
  lastError: string | null;
  previousSecretSignsUntil: Date | null;
}

const longestWaitSeconds = 86_400;

const pushUrl = Type.String({ maxLength: 2048, description: 'Where deliveries are sent to' });
export const EventTypeField = Type.Enum([...eventTypeNames], { description: 'The event type it is for' });
const description = Type.String({ maxLength: 500 });
const enabled = Type.Boolean({ default: true });
const includeChildren = Type.Boolean({ default: true, description: 'Also the events of child partners' });
const retrySchedule = Type.Array(Type.Integer({ minimum: 1, maximum: longestWaitSeconds }), {
  maxItems: 10,
  description: "Seconds to wait before each retry, in place of the platform's schedule",
});

export const NewWebhook = Type.Object({
  pushUrl,
  type: EventTypeField,
  description: Type.Optional(description),
  enabled: Type.Optional(enabled),
  includeChildren: Type.Optional(includeChildren),
  retrySchedule: Type.Optional(retrySchedule),
  salesPartnerId: Type.Optional(Id),
});

export const WebhookChange = Type.Object({
  pushUrl: Type.Optional(pushUrl),
  type: Type.Optional(EventTypeField),
  description: Type.Optional(deletable(description)),
  enabled: Type.Optional(enabled),
  includeChildren: Type.Optional(includeChildren),
  retrySchedule: Type.Optional(deletable(retrySchedule)),
});

const WebhookHealth = Type.Object({
  state: Type.Enum(['HEALTHY', 'FAILING', 'PAUSED', 'OFF']),
  since: Type.Optional(Type.String({ description: 'The first of the failures' })),
  consecutiveFailures: Type.Integer(),
  pausedUntil: Type.Optional(Type.String({ description: 'Deliveries wait until then, without spending tries' })),
  lastError: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String({ description: 'Why it is off' })),
});

export const WebhookAnswer = Type.Object({
  id: Type.Integer(),
  pushUrl: Type.String(),
  type: EventTypeField,
  description: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  includeChildren: Type.Boolean(),
  retrySchedule: Type.Optional(Type.Array(Type.Integer())),
  salesPartnerId: Type.Integer(),
  health: WebhookHealth,
  previousSecretSignsUntil: Type.Optional(
    Type.String({ description: 'While the secret is being rotated: until then the one before signs as well' }),
  ),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

export const newSettings = (body: Static<typeof NewWebhook>): WebhookSettings => ({
  pushUrl: body.pushUrl,
  type: body.type,
  description: body.description ?? '',
  enabled: body.enabled ?? true,
  includeChildren: body.includeChildren ?? true,
  retrySchedule: body.retrySchedule ?? null,
});

/**
 * The settings after a change. `startsAfresh` tells that what is known of the destination no longer counts: its owner
 * switched it on, or it is another one now.
 */
export function changedSettings(
  { pushUrl, type, description, enabled, includeChildren, retrySchedule }: WebhookSettings,
  change: Static<typeof WebhookChange>,
): { settings: WebhookSettings; startsAfresh: boolean } {
  const settings = {
    pushUrl: change.pushUrl ?? pushUrl,
    type: change.type ?? type,
    description: change.description === undefined ? description : (change.description ?? ''),
    enabled: change.enabled ?? enabled,
    includeChildren: change.includeChildren ?? includeChildren,
    retrySchedule: change.retrySchedule === undefined ? retrySchedule : change.retrySchedule,
  };
  return { settings, startsAfresh: change.enabled === true || settings.pushUrl !== pushUrl };
}

export const webhookAnswer = (webhook: Webhook, now: Date): Static<typeof WebhookAnswer> => ({
  id: webhook.id,
  pushUrl: webhook.pushUrl,
  type: webhook.type,
  ...(webhook.description && { description: webhook.description }),
  enabled: webhook.enabled,
  includeChildren: webhook.includeChildren,
  ...(webhook.retrySchedule && { retrySchedule: [...webhook.retrySchedule] }),
  salesPartnerId: webhook.partnerId,
  health: healthOf(webhook, now),
  ...overlapOf(webhook, now),
  dateCreated: webhook.dateCreated.toISOString(),
  lastUpdated: webhook.lastUpdated.toISOString(),
});

const overlapOf = ({ previousSecretSignsUntil: until }: Webhook, now: Date) =>
  until && until > now ? { previousSecretSignsUntil: until.toISOString() } : {};

export function healthOf(webhook: Webhook, now: Date): Static<typeof WebhookHealth> {
  const { consecutiveFailures, failingSince, lastError, pausedUntil } = webhook;
  const failures = {
    consecutiveFailures,
    ...(failingSince && { since: failingSince.toISOString() }),
    ...(lastError && consecutiveFailures > 0 && { lastError }),
  };
  if (!webhook.enabled) {
    return { state: 'OFF', reason: webhook.disabledReason ?? 'It was switched off by its owner.', ...failures };
  }
  if (pausedUntil && pausedUntil > now) return { state: 'PAUSED', pausedUntil: pausedUntil.toISOString(), ...failures };
  return { state: consecutiveFailures > 0 ? 'FAILING' : 'HEALTHY', ...failures };
}
