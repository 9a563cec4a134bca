import type { Transaction } from '../../../database/transaction.ts';
import type { DatapointFeed } from '../../listings/index.ts';
import {
  findStoredReplies,
  insertReplies,
  lockDatapoints,
  setReplyStatus,
  summarizeThreads,
  updateReplies,
} from './check-store.ts';
import {
  diffReplies,
  type FetchedDatapoint,
  type Inventory,
  type Missing,
  type StoredReply,
} from './datapoint-diff.ts';

interface Threads {
  readonly fetched: readonly FetchedDatapoint[];
  readonly inventory: Inventory | undefined;
  readonly removed: Missing;
  /** Our ids of datapoints by their external ids. */
  readonly idOf: ReadonlyMap<string, number>;
}

/** Returns the ids of datapoints whose threads changed, and of replies that were deleted. */
export async function recordReplies(
  transaction: Transaction,
  place: DatapointFeed,
  { fetched, inventory, removed, idOf }: Threads,
): Promise<{ changed: number[]; deleted: number[] }> {
  const removedDatapoints = new Set(removed.datapoints.map(({ id }) => id));
  const touched = new Set([
    ...fetched.map(({ externalId }) => idOf.get(externalId) ?? 0),
    ...removedDatapoints,
    ...removed.replies.map(({ datapointId }) => datapointId),
  ]);
  if (touched.size > 0) await lockDatapoints(transaction, [...touched]);
  // Read after locking: one of our replies may just have been published.
  const replies = await findStoredReplies(transaction, place);
  const ofThread = Map.groupBy(replies, ({ datapointId }) => datapointId);
  const differences = fetched.flatMap(({ externalId, replies: given }) => {
    const id = idOf.get(externalId);
    return id === undefined ? [] : [diffReplies(id, given, ofThread.get(id) ?? [])];
  });
  const added = differences.flatMap((difference) => difference.added);
  const changed = differences.flatMap((difference) => difference.changed);
  const adopted = differences.flatMap((difference) => difference.adopted);
  const updated = new Set([...changed, ...adopted].map(({ id }) => id));
  const restored = findRestored(replies, inventory, idOf).filter(({ id }) => !updated.has(id));
  const deleted = [
    ...removed.replies.filter(({ id }) => !updated.has(id)),
    ...replies.filter((reply) => removedDatapoints.has(reply.datapointId) && isOnDirectory(reply)),
  ];

  if (added.length > 0) await insertReplies(transaction, added);
  if (updated.size > 0) await updateReplies(transaction, [...changed, ...adopted]);
  if (restored.length > 0) await setReplyStatus(transaction, idsOf(restored), 'PUBLISHED');
  if (deleted.length > 0) await setReplyStatus(transaction, idsOf(deleted), 'DELETED');
  const altered = [...added, ...changed, ...restored].map(({ datapointId }) => datapointId);
  const summarized = [...altered, ...[...adopted, ...deleted].map(({ datapointId }) => datapointId)];
  if (summarized.length > 0) await summarizeThreads(transaction, [...new Set(summarized)]);
  return { changed: altered, deleted: idsOf(deleted) };
}

const isOnDirectory = ({ status, externalId }: StoredReply) => status === 'PUBLISHED' && externalId !== null;

function findRestored(
  replies: readonly StoredReply[],
  inventory: Inventory = new Map(),
  idOf: ReadonlyMap<string, number>,
): StoredReply[] {
  const threads = new Map([...inventory].map(([externalId, thread]) => [idOf.get(externalId), thread]));
  return replies.filter(
    ({ status, datapointId, externalId }) =>
      status === 'DELETED' && externalId !== null && threads.get(datapointId)?.has(externalId),
  );
}

const idsOf = (entries: readonly { id: number }[]) => entries.map(({ id }) => id);
