import type { DataPointSource } from '../directories/index.ts';

/** Where datapoints are: the listing of a location, or a page of the brand. */
export interface Place {
  readonly kind: 'listing' | 'page';
  readonly id: number;
  readonly partner: { readonly id: number; readonly identifier: string };
  readonly businessId: number;
  /** Null for a page. */
  readonly locationId: number | null;
  readonly directoryType: string;
  readonly externalId: string;
  readonly progress: CheckProgress;
}

/** How far the datapoints of a place have been read. */
interface CheckProgress {
  readonly cursor: string | null;
  /** Changes with every check that was written down: whoever finds another one than before was overtaken. */
  readonly stamp: string | null;
  /** Since when most of what was known seems to be gone. */
  readonly doubtedSince: Date | null;
}

export interface NextProgress {
  readonly cursor: string | null;
  readonly doubtedSince: Date | null;
  /** From now. */
  readonly dueSeconds: number;
}

/** A place as it comes out of a query. */
export type PlaceRow = Omit<Place, 'kind' | 'partner' | 'progress'> &
  CheckProgress & { partnerId: number; partnerIdentifier: string };

export const placeOf = (
  kind: Place['kind'],
  { partnerId, partnerIdentifier, cursor, stamp, doubtedSince, ...place }: PlaceRow,
): Place => ({
  kind,
  ...place,
  partner: { id: partnerId, identifier: partnerIdentifier },
  progress: { cursor, stamp, doubtedSince },
});

export const onDirectory = ({ kind, externalId }: Place): DataPointSource =>
  kind === 'listing' ? { listing: externalId } : { brandPage: externalId };
