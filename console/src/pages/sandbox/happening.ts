import type { ResponseOf } from '../../api/call.ts';

export type Listing = ResponseOf<'GET /api/listings'>['listings'][number];

/** Something that was made to happen on a directory. */
export interface Happening {
  key: string;
  /** When, by the clock of this browser. */
  at: number;
  text: string;
  /** The listing whose events come of it. */
  listingId: number;
  /** Events of reviews come of the one, all others of the other. */
  concerns: 'reviews' | 'page';
  /** The last event that there was before: what comes of it is younger. */
  lastEventId: number;
}

export interface FormProps {
  listing: Listing | undefined;
  onHappened: (happening: Happening) => void;
}
