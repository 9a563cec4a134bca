import { hash } from 'node:crypto';
import type { DirectoryDataPoint, DirectoryReply } from '../../directories/index.ts';
import { type DatapointStatus, type DatapointType, datapointTypes } from './datapoint.ts';
import type { ReplyStatus } from './reply.ts';

/** A datapoint as a directory shows it, in the shape in which it is kept. */
export interface ShownDatapoint {
  readonly externalId: string;
  readonly type: DatapointType;
  readonly text: string | null;
  readonly language: string | null;
  readonly rating: number | null;
  readonly author: string | null;
  readonly authorImage: string | null;
  readonly photoUrl: string | null;
  readonly directLink: string | null;
  readonly actionDate: Date;
  readonly threadActionDate: Date;
  readonly fingerprint: string;
  readonly replies: readonly ShownReply[];
}

export interface ShownReply {
  readonly externalId: string;
  readonly author: string;
  readonly text: string;
  readonly ownerReply: boolean;
  readonly date: Date;
}

export interface KnownDatapoint {
  readonly id: number;
  readonly externalId: string;
  readonly status: DatapointStatus;
  readonly rating: number | null;
  readonly fingerprint: string;
}

export interface KnownReply {
  readonly id: number;
  readonly datapointId: number;
  readonly externalId: string | null;
  readonly author: string;
  readonly text: string;
  readonly ownerReply: boolean;
  readonly status: ReplyStatus;
}

/** What is kept of a datapoint; nothing when the directory talks nonsense. */
export function readShown(given: DirectoryDataPoint): ShownDatapoint | undefined {
  const actionDate = new Date(given.actionDate);
  const replies = given.replies.map(readReply);
  const dates = [actionDate, new Date(given.threadActionDate), ...replies.map(({ date }) => date)];
  const { rating = null } = given;
  const isReadable =
    given.externalId !== '' &&
    datapointTypes.includes(given.type) &&
    (rating === null || (rating >= 0 && rating <= 5)) &&
    dates.every((date) => !Number.isNaN(date.getTime()));
  if (!isReadable) return undefined;
  const shown = {
    externalId: given.externalId,
    type: given.type,
    text: textOf(given.text),
    language: textOf(given.language)?.slice(0, 2).toLowerCase() ?? null,
    rating,
    author: textOf(given.author),
    authorImage: textOf(given.authorImage),
    photoUrl: textOf(given.photoUrl),
    directLink: textOf(given.directLink),
    actionDate,
  };
  return {
    ...shown,
    threadActionDate: new Date(Math.max(...dates.map((date) => date.getTime()))),
    // Not the date of the thread: an answer of ours moves it, and is no change by the directory.
    fingerprint: hash('sha256', JSON.stringify(Object.values(shown)), 'base64url').slice(0, 22),
    replies: [...new Map(replies.map((reply) => [reply.externalId, reply])).values()],
  };
}

const readReply = ({ externalId, author, text, isOwner, date }: DirectoryReply): ShownReply => ({
  externalId,
  author: textOf(author) ?? '',
  text: textOf(text) ?? '',
  ownerReply: isOwner,
  date: new Date(date),
});

/** Without what a database takes for no text: NUL, halves of surrogate pairs. */
const textOf = (text: string | undefined) => text?.replaceAll('\0', '').toWellFormed().trim() || null;

/** Which of the shown datapoints are new, and which differ from what is known. The same one shown twice counts once. */
export function compareDatapoints(
  shown: readonly ShownDatapoint[],
  known: readonly KnownDatapoint[],
): { added: ShownDatapoint[]; changed: { known: KnownDatapoint; shown: ShownDatapoint }[] } {
  const byExternalId = new Map(known.map((entry) => [entry.externalId, entry]));
  const added: ShownDatapoint[] = [];
  const changed: { known: KnownDatapoint; shown: ShownDatapoint }[] = [];
  for (const entry of new Map(shown.map((one) => [one.externalId, one])).values()) {
    const before = byExternalId.get(entry.externalId);
    if (!before) added.push(entry);
    else if (before.fingerprint !== entry.fingerprint) changed.push({ known: before, shown: entry });
  }
  return { added, changed };
}

export interface ReplyDifferences {
  added: { datapointId: number; shown: ShownReply }[];
  changed: { id: number; datapointId: number; shown: ShownReply }[];
  /** Our own, met on the directory before its acceptance was written down. */
  adopted: { id: number; datapointId: number; shown: ShownReply }[];
}

/** The same for the replies in a thread. */
export function compareReplies(
  datapointId: number,
  shown: readonly ShownReply[],
  known: readonly KnownReply[],
): ReplyDifferences {
  const differences: ReplyDifferences = { added: [], changed: [], adopted: [] };
  const ours = known.filter(({ externalId, status }) => externalId === null && isUnderWay(status));
  for (const reply of shown) {
    const before = known.find(({ externalId }) => externalId === reply.externalId);
    if (before) {
      if (differs(before, reply)) differences.changed.push({ id: before.id, datapointId, shown: reply });
      continue;
    }
    const own = reply.ownerReply ? ours.findIndex(({ text }) => text.trim() === reply.text) : -1;
    const [adopted] = own < 0 ? [] : ours.splice(own, 1);
    if (adopted) differences.adopted.push({ id: adopted.id, datapointId, shown: reply });
    else differences.added.push({ datapointId, shown: reply });
  }
  return differences;
}

const isUnderWay = (status: ReplyStatus) => status === 'SENDING' || status === 'SCHEDULED' || status === 'FAILED';

const differs = (before: KnownReply, shown: ShownReply) =>
  before.status === 'DELETED' || before.text.trim() !== shown.text || before.ownerReply !== shown.ownerReply;
