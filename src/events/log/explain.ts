import { type Delivery, type DeliveryState, type Standing, stateOf } from './delivery.ts';

/** What a webhook was like at some moment. */
export interface PastWebhook {
  type: string;
  enabled: boolean;
  includeChildren: boolean;
  deleted: boolean;
}

/** An event, and one webhook that it might have gone to. */
export interface Encounter {
  event: { type: string; partnerId: number };
  webhook: Pick<Standing, 'deleted'> & { partnerId: number; type: string };
  /** The webhook when the event was recorded; null when it did not exist yet. */
  past: PastWebhook | null;
  /** The delivery, when there is a trace of one. */
  delivery: Pick<Delivery, 'dueAt' | 'attempts' | 'lastAttempt'> | null;
}

export const skipReasons = {
  CREATED_LATER: 'The webhook was created after this event had been recorded.',
  WAS_DELETED: 'The webhook had been deleted when this event was recorded.',
  OTHER_TYPE: 'The webhook was for another event type when this event was recorded.',
  WAS_OFF: 'The webhook was off when this event was recorded.',
  CHILDREN_EXCLUDED: 'This is an event of a child partner, and the webhook did not include those.',
  JUST_CHANGED: 'The webhook was being changed at the very moment when this event was recorded.',
} as const;

type SkipReason = keyof typeof skipReasons;

export type Fate = { state: DeliveryState } | { state: 'SKIPPED'; reason: SkipReason };

/** Why an event has reached a webhook or has not, from the facts of that moment. */
export function explain(encounter: Encounter): Fate {
  const { delivery, webhook, event } = encounter;
  if (delivery) return { state: stateOf(delivery, webhook) };
  const reason = reasonToSkip(encounter);
  if (reason) return { state: 'SKIPPED', reason };
  // It was wanted and nothing is left of it: it went with its webhook, or with the type that this had.
  const isCancelled = webhook.deleted || webhook.type !== event.type;
  return isCancelled ? { state: 'CANCELLED' } : { state: 'SKIPPED', reason: 'JUST_CHANGED' };
}

function reasonToSkip({ event, webhook, past }: Encounter): SkipReason | undefined {
  if (!past) return 'CREATED_LATER';
  if (past.deleted) return 'WAS_DELETED';
  if (past.type !== event.type) return 'OTHER_TYPE';
  if (!past.enabled) return 'WAS_OFF';
  if (webhook.partnerId !== event.partnerId && !past.includeChildren) return 'CHILDREN_EXCLUDED';
  return undefined;
}

const verbs: Record<DeliveryState, string> = {
  DELIVERED: 'delivered to',
  RETRYING: 'being tried again for',
  WAITING: 'waiting for its first try to',
  DISCARDED: 'discarded for',
  CANCELLED: 'cancelled for',
};

/** All fates of an event in a sentence. `sawAll`: it could have gone to no other webhook than these. */
export function summarize(type: string, fates: readonly Fate[], sawAll: boolean): string {
  const went = Object.entries(verbs).flatMap(([state, verb]) => {
    const count = fates.filter((fate) => fate.state === state).length;
    return count > 0 ? [`${verb} ${webhooks(count)}`] : [];
  });
  if (went.length > 0) return `${capitalize(new Intl.ListFormat('en').format(went))}.`;
  const count = (reason: SkipReason) => fates.filter((fate) => 'reason' in fate && fate.reason === reason).length;
  const off = count('WAS_OFF');
  const excluding = count('CHILDREN_EXCLUDED');
  if (off > 0) return `Not sent: ${webhooks(off)} for ${type} ${off > 1 ? 'were' : 'was'} off when it was recorded.`;
  if (excluding > 0) return `Not sent: ${webhooks(excluding)} for ${type} did not include child partners.`;
  return `${sawAll ? 'Nobody had' : 'None of your webhooks was'} subscribed to ${type} when this event was recorded.`;
}

const webhooks = (count: number) => `${count} ${count > 1 ? 'webhooks' : 'webhook'}`;

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
