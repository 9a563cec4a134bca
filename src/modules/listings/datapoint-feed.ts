import type { DataPointSource } from '../directories/index.ts';

/** A listing or brand page whose datapoints are read, with the progress. */
export interface DatapointFeed {
  readonly kind: 'listing' | 'page';
  readonly id: number;
  readonly partner: { readonly id: number; readonly identifier: string };
  readonly businessId: number;
  /** Null for a brand page. */
  readonly locationId: number | null;
  readonly directoryType: string;
  readonly externalId: string;
  readonly progress: CheckProgress;
}

/** How far the datapoints have been read. */
interface CheckProgress {
  readonly cursor: string | null;
  /** Version for optimistic locking: changes with every recorded check. */
  readonly stamp: string | null;
  /** Since when most known datapoints have been missing. */
  readonly doubtedSince: Date | null;
}

export interface NextProgress {
  readonly cursor: string | null;
  readonly doubtedSince: Date | null;
  /** Delay until the next check. */
  readonly dueSeconds: number;
}

export type DatapointFeedRow = Omit<DatapointFeed, 'kind' | 'partner' | 'progress'> &
  CheckProgress & { partnerId: number; partnerIdentifier: string };

export const toDatapointFeed = (
  kind: DatapointFeed['kind'],
  { partnerId, partnerIdentifier, cursor, stamp, doubtedSince, ...feed }: DatapointFeedRow,
): DatapointFeed => ({
  kind,
  ...feed,
  partner: { id: partnerId, identifier: partnerIdentifier },
  progress: { cursor, stamp, doubtedSince },
});

export const toDirectorySource = ({ kind, externalId }: DatapointFeed): DataPointSource =>
  kind === 'listing' ? { listing: externalId } : { brandPage: externalId };
