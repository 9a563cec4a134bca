import type { ResponseOf } from '../../api/call.ts';
import type { Tone } from '../../parts/status-badge.tsx';
import { t, textOrWords } from '../../texts/t.ts';

export type Webhook = ResponseOf<'GET /api/sales-partners/webhooks/{id}'>;
export type EventTypeName = Webhook['type'];
export type Destination = ResponseOf<'GET /api/sales-partners/webhooks/destinations'>[number];
export type Delivery = ResponseOf<'GET /api/sales-partners/webhooks/{id}/deliveries'>['deliveries'][number];
export type DeliveryStory = ResponseOf<'GET /api/deliveries/{id}'>;
export type Attempt = DeliveryStory['history'][number];
export type Trial = ResponseOf<'POST /api/sales-partners/webhooks/{id}/test'>;

export const healthStates = ['HEALTHY', 'FAILING', 'PAUSED', 'OFF'] as const;
export const deliveryStates = ['WAITING', 'RETRYING', 'DELIVERED', 'DISCARDED'] as const;
export const sortKeys = ['url', 'type', 'health', 'success', 'last'] as const;
export const webhookTabs = ['deliveries', 'replays', 'signature', 'details'] as const;

export const healthTones: Record<Webhook['health']['state'], Tone> = {
  HEALTHY: 'good',
  FAILING: 'bad',
  PAUSED: 'warning',
  OFF: 'neutral',
};

export const deliveryTones: Record<string, Tone> = {
  WAITING: 'busy',
  RETRYING: 'warning',
  DELIVERED: 'good',
  DISCARDED: 'bad',
  CANCELLED: 'neutral',
  SKIPPED: 'neutral',
};

/** Why a delivery is on hold, in a few words. */
export const heldUpLine = ({ reason, eventId = 0 }: NonNullable<Delivery['heldUp']>) =>
  reason === 'WAITING_FOR_EVENT'
    ? t('webhook.deliveries.heldUp.WAITING_FOR_EVENT', { id: eventId })
    : t(`webhook.deliveries.heldUp.${reason}`);

/** "503", "Timed out": HTTP status or failure reason. */
export const outcomeText = ({ statusCode, reason, outcome }: Pick<Attempt, 'statusCode' | 'reason' | 'outcome'>) =>
  reason
    ? textOrWords('webhooks.response.reasons', reason)
    : (statusCode ?? textOrWords('webhooks.response.outcomes', outcome));

/** Operations to invalidate when a webhook changes. */
export const webhookReads = [
  'GET /api/sales-partners/webhooks',
  'GET /api/sales-partners/webhooks/{id}',
  'GET /api/sales-partners/webhooks/activity',
  'GET /api/sales-partners/webhooks/destinations',
  'GET /api/audit-trail',
] as const;

/** Operations to poll while deliveries are in progress. */
export const deliveryReads = [
  'GET /api/sales-partners/webhooks/{id}/deliveries',
  'GET /api/sales-partners/webhooks/{id}/statistics',
  'GET /api/deliveries/{id}',
  'GET /api/events/{id}',
] as const;
