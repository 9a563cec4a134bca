import type { KnownDatapoint, KnownReply } from './findings.ts';

/** What a directory has: each datapoint and its replies. */
export type Inventory = ReadonlyMap<string, ReadonlySet<string>>;

export interface Missing {
  datapoints: KnownDatapoint[];
  /** Of datapoints that are still there. */
  replies: KnownReply[];
}

/** What is known and valid, but not in the inventory. */
export function missingFrom(
  inventory: Inventory,
  datapoints: readonly KnownDatapoint[],
  replies: readonly KnownReply[],
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

/** So few may go at once without further questions. */
const few = 3;
const largestShare = 0.2;
/** Much that is gone must stay gone for so long before it counts. */
export const doubtSeconds = 15 * 60;

/**
 * Directories lose their lists for a while more often than owners lose their reviews. What is missing counts at once
 * when it is little beside what is still there. When all of it is missing, or more than a few and a fifth, a second
 * reading by another way must miss it too; and when that confirms more than a few, it must still be so after a
 * quarter of an hour. Until then everything stays VALID.
 */
export const isDoubtful = (known: number, missing: number) =>
  missing > 0 && (missing === known || missing > Math.max(few, known * largestShare));

export type Verdict = 'believed' | 'doubted';

/** For what a second reading missed as well. */
export function judgeConfirmed(missing: number, doubtedSince: Date | null, now: Date): Verdict {
  if (missing <= few) return 'believed';
  return doubtedSince !== null && now.getTime() - doubtedSince.getTime() >= doubtSeconds * 1000
    ? 'believed'
    : 'doubted';
}
