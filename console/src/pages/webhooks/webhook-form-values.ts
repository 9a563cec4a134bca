import type { InputOf } from '../../api/call.ts';
import type { EventTypeName, Webhook } from './webhook-values.ts';

export interface Values {
  type: EventTypeName | '';
  pushUrl: string;
  description: string;
  /** Seconds, separated by commas. */
  retrySchedule: string;
  includeChildren: boolean;
  enabled: boolean;
}

type NewWebhook = InputOf<'POST /api/sales-partners/webhooks'>['body'];
type WebhookChange = NonNullable<InputOf<'PATCH /api/sales-partners/webhooks/{id}'>['body']>;

export const valuesOf = (webhook: Webhook | undefined, type?: EventTypeName): Values => ({
  type: webhook?.type ?? type ?? '',
  pushUrl: webhook?.pushUrl ?? '',
  description: webhook?.description ?? '',
  retrySchedule: webhook?.retrySchedule?.join(', ') ?? '',
  includeChildren: webhook?.includeChildren ?? true,
  enabled: webhook?.enabled ?? true,
});

const waitsOf = (typed: string): number[] =>
  typed
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

export function wrongRetries(typed: string): boolean {
  const waits = waitsOf(typed);
  return waits.length > 10 || waits.some((wait) => !Number.isInteger(wait) || wait < 1 || wait > 86_400);
}

export function bodyOf({ type, pushUrl, description, retrySchedule, includeChildren, enabled }: Values): NewWebhook {
  const waits = waitsOf(retrySchedule);
  return {
    type: type as EventTypeName,
    pushUrl: pushUrl.trim(),
    includeChildren,
    enabled,
    ...(description.trim() && { description: description.trim() }),
    ...(waits.length > 0 && { retrySchedule: waits }),
  };
}

/** Changed fields only, so concurrent changes are kept. */
export function changesOf(webhook: Webhook, values: Values): WebhookChange {
  const before = valuesOf(webhook);
  const waits = waitsOf(values.retrySchedule);
  return {
    ...(values.type && values.type !== before.type && { type: values.type }),
    ...(values.pushUrl.trim() !== before.pushUrl && { pushUrl: values.pushUrl.trim() }),
    ...(values.description.trim() !== before.description && { description: values.description.trim() || null }),
    ...(values.includeChildren !== before.includeChildren && { includeChildren: values.includeChildren }),
    ...(values.enabled !== before.enabled && { enabled: values.enabled }),
    ...(waits.join(', ') !== before.retrySchedule && { retrySchedule: waits.length > 0 ? waits : null }),
  };
}
