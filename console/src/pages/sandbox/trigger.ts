import type { ResponseOf } from '../../api/call.ts';

export type Listing = ResponseOf<'GET /api/listings'>['listings'][number];

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
