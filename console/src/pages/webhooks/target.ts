import { useApi, useApiWrite } from '../../api/use-api.ts';
import { numberText } from '../../parts/number-text.ts';
import { t, tn } from '../../texts/t.ts';
import type { DestinationChange } from './webhook-form-values.ts';
import { type Destination, deliveryReads, type Webhook, webhookReads } from './webhook-values.ts';

/** All webhooks of a destination, or one webhook. */
export interface Target extends Pick<Destination, 'pushUrl' | 'salesPartnerId' | 'webhooks'> {
  /** Undefined for a destination. */
  webhookId?: number;
}

export const targetOf = (webhook: Webhook): Target => ({
  pushUrl: webhook.pushUrl,
  salesPartnerId: webhook.salesPartnerId,
  webhooks: [webhook],
  webhookId: webhook.id,
});

const changes = [...webhookReads, ...deliveryReads];
// Without reads of the deleted webhook itself, which fail.
const listReads = webhookReads.filter((name) => name !== 'GET /api/sales-partners/webhooks/{id}');

export function useTargetWrites({ webhookId: id, pushUrl, salesPartnerId }: Target) {
  const updateOne = useApiWrite('PATCH /api/sales-partners/webhooks/{id}', { changes });
  const updateAll = useApiWrite('PATCH /api/sales-partners/webhooks/destinations', { changes });
  const removeOne = useApiWrite('DELETE /api/sales-partners/webhooks/{id}', { changes: listReads });
  const removeAll = useApiWrite('DELETE /api/sales-partners/webhooks/destinations', { changes: listReads });
  const rotateOne = useApiWrite('POST /api/sales-partners/webhooks/{id}/rotate-secret', { changes });
  const rotateAll = useApiWrite('POST /api/sales-partners/webhooks/destinations/rotate-secret', { changes });
  const query = { pushUrl, salesPartnerId };
  return {
    update: (change: DestinationChange) => {
      if (id === undefined) return updateAll.mutateAsync({ query, body: change });
      const { types: [type] = [], ...others } = change;
      return updateOne.mutateAsync({ path: { id }, body: { ...others, ...(type && { type }) } });
    },
    remove: () => (id === undefined ? removeAll.mutateAsync({ query }) : removeOne.mutateAsync({ path: { id } })),
    rotate: (overlapHours: number) => {
      const body = { overlapHours };
      return id === undefined ? rotateAll.mutateAsync({ query, body }) : rotateOne.mutateAsync({ path: { id }, body });
    },
  };
}

/** Describes how many pending deliveries of the webhooks are lost. */
export function useWaiting(target: Target, isNeeded: boolean): (webhooks: readonly Webhook[]) => string {
  const count = useWaitingCount(target, isNeeded);
  return (webhooks) => {
    const waiting = count(webhooks);
    if (waiting === null) return t('webhooks.remove.losses.notCounted');
    if (!waiting) return t('webhooks.remove.losses.counting');
    if (waiting.count === 0) return t('webhooks.remove.losses.noneWaiting');
    if (!waiting.isExact) return t('webhooks.remove.losses.waitingMore', { count: numberText(waiting.count) });
    return tn('webhooks.remove.losses.waiting', waiting.count);
  };
}

interface Waiting {
  count: number;
  isExact: boolean;
}

/** Counts pending deliveries of webhooks; undefined while loading, null if they could not be loaded. */
export function useWaitingCount(
  { salesPartnerId }: Target,
  isNeeded: boolean,
): (webhooks: readonly Webhook[]) => Waiting | null | undefined {
  const activity = useApi(
    'GET /api/sales-partners/webhooks/activity',
    { query: { salesPartnerId } },
    { enabled: isNeeded },
  );
  return (webhooks) => {
    if (activity.error && !activity.data) return null;
    const counted = activity.data?.webhooks.filter(({ webhookId }) => webhooks.some(({ id }) => id === webhookId));
    return (
      counted && {
        count: counted.reduce((total, { waiting }) => total + waiting, 0),
        isExact: counted.every(({ waitingIsExact }) => waitingIsExact),
      }
    );
  };
}
