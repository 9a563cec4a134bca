import type { ResponseOf } from '../../api/call.ts';

type Listing = ResponseOf<'GET /api/listings'>['listings'][number];

export type Delivery = ResponseOf<'GET /api/events/{id}'>['deliveries'][number];

/** No delivery changes any more. Without deliveries, they may not have been created yet. */
export const isSettled = (deliveries: readonly Pick<Delivery, 'state'>[] = []): boolean =>
  deliveries.length > 0 && deliveries.every(({ state }) => state !== 'WAITING' && state !== 'RETRYING');

export interface Trigger {
  key: string;
  /** In browser time. */
  at: number;
  text: string;
  listingId: number;
  /** Reviews and other changes cause different event types. */
  concerns: 'reviews' | 'page';
  /** Last event before the change; only later events can belong to it. */
  lastEventId: number;
}

export interface FormProps {
  listing: Listing | undefined;
  onTriggered: (trigger: Trigger) => void;
}
