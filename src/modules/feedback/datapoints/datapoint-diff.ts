import { hash } from 'node:crypto';
import { type DirectoryDataPoint, type DirectoryReply, dataPointTypes } from '../../directories/index.ts';
import type { Datapoint, Reply, ReplyStatus } from './datapoint.ts';

/** A datapoint from a directory, normalized for storage. `threadActionDate` is not before any of the replies. */
export interface FetchedDatapoint extends Readonly<Pick<Datapoint, Exclude<keyof DirectoryDataPoint, 'replies'>>> {
  readonly fingerprint: string;
  /** Without duplicates. */
  readonly replies: readonly FetchedReply[];
}

export interface FetchedReply extends Readonly<Pick<Reply, 'author' | 'text' | 'ownerReply'>> {
  readonly externalId: string;
  readonly date: Date;
}

export interface StoredDatapoint extends Readonly<Pick<Datapoint, 'id' | 'externalId' | 'status' | 'rating'>> {
  readonly fingerprint: string;
}

export type StoredReply = Readonly<
  Pick<Reply, 'id' | 'datapointId' | 'externalId' | 'author' | 'text' | 'ownerReply' | 'status'>
>;

/** Returns undefined if the data is invalid. */
export function parseDatapoint(source: DirectoryDataPoint): FetchedDatapoint | undefined {
  const actionDate = readDate(source.actionDate);
  const replies = source.replies.map(readReply);
  const dates = [actionDate, readDate(source.threadActionDate), ...replies.map(({ date }) => date)];
  const { rating = null } = source;
  const isValid =
    source.externalId !== '' &&
    dataPointTypes.includes(source.type) &&
    (rating === null || (rating >= 0 && rating <= 5)) &&
    dates.every((date) => !Number.isNaN(date.getTime()));
  if (!isValid) return undefined;
  const fetched = {
    externalId: source.externalId,
    type: source.type,
    text: textOf(source.text),
    language: textOf(source.language)?.slice(0, 2).toLowerCase() ?? null,
    rating,
    author: textOf(source.author),
    authorImage: textOf(source.authorImage),
    photoUrl: textOf(source.photoUrl),
    directLink: textOf(source.directLink),
    actionDate,
  };
  return {
    ...fetched,
    threadActionDate: new Date(Math.max(...dates.map((date) => date.getTime()))),
    // Excludes threadActionDate: our own replies change it.
    fingerprint: hash('sha256', JSON.stringify(Object.values(fetched)), 'base64url').slice(0, 22),
    replies: [...new Map(replies.map((reply) => [reply.externalId, reply])).values()],
  };
}

const readReply = ({ externalId, author, text, isOwner, date }: DirectoryReply): FetchedReply => ({
  externalId,
  author: textOf(author) ?? '',
  text: textOf(text) ?? '',
  ownerReply: isOwner,
  date: readDate(date),
});

/** Directories use early dates such as 0001-01-01 for an unknown date. PostgreSQL rejects the year 0. */
const readDate = (text: string) => new Date(Math.max(Date.parse(text), 0));

/** Removes NUL and lone surrogates, which PostgreSQL rejects. */
const textOf = (text: string | undefined) => text?.replaceAll('\0', '').toWellFormed().trim() || null;

export interface DatapointChange {
  stored: StoredDatapoint;
  fetched: FetchedDatapoint;
}

/** Duplicates in `fetched` count once. */
export function diffDatapoints(
  fetched: readonly FetchedDatapoint[],
  stored: readonly StoredDatapoint[],
): { added: FetchedDatapoint[]; changed: DatapointChange[] } {
  const byExternalId = new Map(stored.map((entry) => [entry.externalId, entry]));
  const added: FetchedDatapoint[] = [];
  const changed: DatapointChange[] = [];
  for (const entry of new Map(fetched.map((one) => [one.externalId, one])).values()) {
    const before = byExternalId.get(entry.externalId);
    if (!before) added.push(entry);
    else if (before.fingerprint !== entry.fingerprint) changed.push({ stored: before, fetched: entry });
  }
  return { added, changed };
}

interface ReplyDifferences {
  added: { datapointId: number; fetched: FetchedReply }[];
  changed: { id: number; datapointId: number; fetched: FetchedReply }[];
  /** Our own replies, found on the directory before their publication was recorded. */
  adopted: { id: number; datapointId: number; fetched: FetchedReply }[];
}

export function diffReplies(
  datapointId: number,
  fetched: readonly FetchedReply[],
  stored: readonly StoredReply[],
): ReplyDifferences {
  const differences: ReplyDifferences = { added: [], changed: [], adopted: [] };
  const ours = stored.filter(({ externalId, status }) => externalId === null && isPending(status));
  for (const reply of fetched) {
    const before = stored.find(({ externalId }) => externalId === reply.externalId);
    if (before) {
      if (differs(before, reply)) differences.changed.push({ id: before.id, datapointId, fetched: reply });
      continue;
    }
    const own = reply.ownerReply ? ours.findIndex(({ text }) => text.trim() === reply.text) : -1;
    const [adopted] = own < 0 ? [] : ours.splice(own, 1);
    if (adopted) differences.adopted.push({ id: adopted.id, datapointId, fetched: reply });
    else differences.added.push({ datapointId, fetched: reply });
  }
  return differences;
}

const isPending = (status: ReplyStatus) => status === 'SENDING' || status === 'SCHEDULED' || status === 'FAILED';

const differs = (before: StoredReply, fetched: FetchedReply) =>
  before.status === 'DELETED' || before.text.trim() !== fetched.text || before.ownerReply !== fetched.ownerReply;

/** External ids of all datapoints on the directory, with those of their replies: undefined if they are unknown. */
export type Inventory = ReadonlyMap<string, ReadonlySet<string> | undefined>;

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

type LossVerdict = 'accepted' | 'doubted';

/** For datapoints that a second full read did not find either. */
export function judgeConfirmedLoss(missing: number, doubtedSince: Date | null, now: Date): LossVerdict {
  if (missing <= unconfirmedLimit) return 'accepted';
  return doubtedSince !== null && now.getTime() - doubtedSince.getTime() >= doubtSeconds * 1000
    ? 'accepted'
    : 'doubted';
}

/** Rating of a datapoint before and after a check: null without a rating, absent if the datapoint does not count. */
export interface RatingChange {
  readonly before?: number | null;
  readonly after?: number | null;
}

export function ratingDelta(changes: readonly RatingChange[]): {
  dataPoints: number;
  ratings: number;
  ratingSum: number;
} {
  const delta = { dataPoints: 0, ratings: 0, ratingSum: 0 };
  const count = (rating: number | null | undefined, sign: 1 | -1) => {
    if (rating === undefined) return;
    delta.dataPoints += sign;
    if (rating === null) return;
    delta.ratings += sign;
    delta.ratingSum += sign * rating;
  };
  for (const { before, after } of changes) {
    count(before, -1);
    count(after, 1);
  }
  return delta;
}
