import type { StoredDatapoint, StoredReply } from './datapoint-diff.ts';

/** External ids of all datapoints on the directory, with those of their replies. */
export type Inventory = ReadonlyMap<string, ReadonlySet<string>>;

export interface Missing {
  datapoints: StoredDatapoint[];
  /** Replies of datapoints that still exist. */
  replies: StoredReply[];
}

export function findMissing(
  inventory: Inventory,
  datapoints: readonly StoredDatapoint[],
  replies: readonly StoredReply[],
): Missing {
  const threads = new Map(datapoints.map(({ id, externalId }) => [id, inventory.get(externalId)]));
  return {
    datapoints: datapoints.filter(({ externalId, status }) => status === 'VALID' && !inventory.has(externalId)),
    replies: replies.filter(({ datapointId, externalId, status }) => {
      const thread = threads.get(datapointId);
      return status === 'PUBLISHED' && externalId !== null && thread !== undefined && !thread.has(externalId);
    }),
  };
}

/** Up to this number of removals is accepted without confirmation. */
const unconfirmedLimit = 3;
const largestShare = 0.2;
/** How long a larger loss must persist before it is accepted. */
export const doubtSeconds = 15 * 60;

/**
 * Directories sometimes return incomplete lists. A loss of everything, or of more than 3 and more than 20 %, needs a
 * second full read; a confirmed loss of more than 3 must also persist for 15 minutes.
 */
export const needsConfirmation = (stored: number, missing: number) =>
  missing > 0 && (missing === stored || missing > Math.max(unconfirmedLimit, stored * largestShare));

export type LossVerdict = 'accepted' | 'doubted';

/** For datapoints that a second full read did not find either. */
export function judgeConfirmedLoss(missing: number, doubtedSince: Date | null, now: Date): LossVerdict {
  if (missing <= unconfirmedLimit) return 'accepted';
  return doubtedSince !== null && now.getTime() - doubtedSince.getTime() >= doubtSeconds * 1000
    ? 'accepted'
    : 'doubted';
}
