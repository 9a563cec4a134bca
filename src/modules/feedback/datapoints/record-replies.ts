import type { Transaction } from '../../../database/transaction.ts';
import type { Place } from '../../listings/index.ts';
import { compareReplies, type KnownReply, type ShownDatapoint } from './findings.ts';
import {
  insertReplies,
  knownReplies,
  lockDatapoints,
  setReplyStatus,
  summarizeThreads,
  updateReplies,
} from './findings-store.ts';
import type { Inventory, Missing } from './vanished.ts';

interface Threads {
  readonly shown: readonly ShownDatapoint[];
  readonly inventory: Inventory | undefined;
  readonly vanished: Missing;
  /** Our ids of datapoints by those of the directory. */
  readonly idOf: ReadonlyMap<string, number>;
}

/** Answers the datapoints whose threads changed, and the replies that are gone. */
export async function recordReplies(
  transaction: Transaction,
  place: Place,
  { shown, inventory, vanished, idOf }: Threads,
): Promise<{ changed: number[]; deleted: number[] }> {
  const goneWith = new Set(vanished.datapoints.map(({ id }) => id));
  const touched = new Set([
    ...shown.map(({ externalId }) => idOf.get(externalId) ?? 0),
    ...goneWith,
    ...vanished.replies.map(({ datapointId }) => datapointId),
  ]);
  if (touched.size > 0) await lockDatapoints(transaction, [...touched]);
  // Read behind the lock: an answer of ours may have been accepted by the directory a moment ago.
  const replies = await knownReplies(transaction, place);
  const ofThread = Map.groupBy(replies, ({ datapointId }) => datapointId);
  const differences = shown.flatMap(({ externalId, replies: given }) => {
    const id = idOf.get(externalId);
    return id === undefined ? [] : [compareReplies(id, given, ofThread.get(id) ?? [])];
  });
  const added = differences.flatMap((difference) => difference.added);
  const changed = differences.flatMap((difference) => difference.changed);
  const adopted = differences.flatMap((difference) => difference.adopted);
  const settled = new Set([...changed, ...adopted].map(({ id }) => id));
  const back = repliesBack(replies, inventory, idOf).filter(({ id }) => !settled.has(id));
  const deleted = [
    ...vanished.replies.filter(({ id }) => !settled.has(id)),
    ...replies.filter((reply) => goneWith.has(reply.datapointId) && isOnDirectory(reply)),
  ];

  if (added.length > 0) await insertReplies(transaction, added);
  if (settled.size > 0) await updateReplies(transaction, [...changed, ...adopted]);
  if (back.length > 0) await setReplyStatus(transaction, idsOf(back), 'PUBLISHED');
  if (deleted.length > 0) await setReplyStatus(transaction, idsOf(deleted), 'DELETED');
  const altered = [...added, ...changed, ...back].map(({ datapointId }) => datapointId);
  const summarized = [...altered, ...[...adopted, ...deleted].map(({ datapointId }) => datapointId)];
  if (summarized.length > 0) await summarizeThreads(transaction, [...new Set(summarized)]);
  return { changed: altered, deleted: idsOf(deleted) };
}

const isOnDirectory = ({ status, externalId }: KnownReply) => status === 'PUBLISHED' && externalId !== null;

function repliesBack(
  replies: readonly KnownReply[],
  inventory: Inventory = new Map(),
  idOf: ReadonlyMap<string, number>,
): KnownReply[] {
  const threads = new Map([...inventory].map(([externalId, thread]) => [idOf.get(externalId), thread]));
  return replies.filter(
    ({ status, datapointId, externalId }) =>
      status === 'DELETED' && externalId !== null && threads.get(datapointId)?.has(externalId),
  );
}

const idsOf = (entries: readonly { id: number }[]) => entries.map(({ id }) => id);
