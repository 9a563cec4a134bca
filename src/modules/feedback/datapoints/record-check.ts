import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import type { DatapointFeed } from '../../listings/index.ts';
import { addRatings, lockBusinessOf } from '../../locations/index.ts';
import {
  findStoredReplies,
  insertDatapoints,
  insertReplies,
  lockDatapoints,
  setDatapointStatus,
  setReplyStatus,
  summarizeThreads,
  updateDatapoints,
  updateReplies,
} from './check-store.ts';
import type { DatapointType } from './datapoint.ts';
import {
  type DatapointChange,
  diffDatapoints,
  diffReplies,
  type FetchedDatapoint,
  type Inventory,
  type Missing,
  type RatingChange,
  ratingDelta,
  type StoredDatapoint,
  type StoredReply,
} from './datapoint-diff.ts';

export interface Findings {
  readonly fetched: readonly FetchedDatapoint[];
  /** Undefined if it could not be read. */
  readonly inventory: Inventory | undefined;
  /** Confirmed removals. */
  readonly removed: Missing;
}

/** Datapoints of a listing or brand page before the check. */
export interface Stored {
  readonly datapoints: readonly StoredDatapoint[];
  readonly replies: readonly StoredReply[];
}

/**
 * Writes the results of a check with its events. `before` was read when the check began: the caller ensures that no
 * other check was recorded since.
 */
export async function recordFindings(
  transaction: Transaction,
  feed: DatapointFeed,
  before: Stored,
  { fetched, inventory, removed }: Findings,
): Promise<Recorded> {
  const stored = before.datapoints;
  const unique = [...new Map(fetched.map((one) => [one.externalId, one])).values()];
  // A page may be stale: with an inventory, only datapoints in it are reinstated.
  const fetchedIds = new Set(unique.map(({ externalId }) => externalId));
  const isReinstated = ({ status, externalId }: StoredDatapoint) =>
    status === 'INVALID' && (inventory ?? fetchedIds).has(externalId);
  const differences = diffDatapoints(unique, stored);
  const changed = differences.changed.filter(
    (change) => change.stored.status === 'VALID' || isReinstated(change.stored),
  );
  const reinstated = stored.filter(isReinstated);

  const touched = [differences.added, changed, reinstated, removed.datapoints];
  // Lock order: a move of a location locks the location first, then its datapoints.
  const isLocked = feed.locationId !== null && touched.some((list) => list.length > 0);
  const lockedBusinessId = isLocked ? await lockBusinessOf(transaction, feed.locationId) : null;
  const inserted = differences.added.length > 0 ? await insertDatapoints(transaction, feed, differences.added) : [];
  const updates = changed.map((change) => ({ id: change.stored.id, fetched: change.fetched }));
  if (updates.length > 0) await updateDatapoints(transaction, updates);
  if (reinstated.length > 0) await setDatapointStatus(transaction, idsOf(reinstated), 'VALID');
  if (removed.datapoints.length > 0) await setDatapointStatus(transaction, idsOf(removed.datapoints), 'INVALID');

  const idOf = new Map([...stored, ...inserted].map(({ id, externalId }) => [externalId, id]));
  const insertedIds = new Set(idsOf(inserted));
  const mayRestore = before.replies.some(({ status }) => status === 'DELETED');
  const findings = { fetched: unique, inventory, removed, idOf, insertedIds, mayRestore };
  const threads = await recordReplies(transaction, feed, findings);

  const insertedExternalIds = new Set(inserted.map(({ externalId }) => externalId));
  const added = differences.added.filter(({ externalId }) => insertedExternalIds.has(externalId));
  const recorded = {
    added: uniqueSorted(insertedIds),
    addedTypes: added.map(({ type }) => type),
    updated: uniqueSorted([
      ...changed.map((change) => change.stored.id),
      ...idsOf(reinstated),
      ...threads.changed.filter((id) => !insertedIds.has(id)),
    ]),
    invalid: uniqueSorted(idsOf(removed.datapoints)),
    deleted: uniqueSorted(threads.deleted),
  };
  if (feed.locationId !== null) {
    const change = ratingDelta(ratingChangesOf(stored, added, changed, { reinstated, removed }));
    if (Object.values(change).some((figure) => figure !== 0)) await addRatings(transaction, feed.locationId, change);
  }
  await recordCheckEvents(transaction, { ...feed, businessId: lockedBusinessId ?? feed.businessId }, recorded);
  return recorded;
}

function ratingChangesOf(
  stored: readonly StoredDatapoint[],
  added: readonly FetchedDatapoint[],
  changed: readonly DatapointChange[],
  statusChanges: { reinstated: readonly StoredDatapoint[]; removed: Missing },
): RatingChange[] {
  const newRating = new Map(changed.map((change) => [change.stored.id, change.fetched.rating]));
  const isReinstated = new Set(idsOf(statusChanges.reinstated));
  const isRemoved = new Set(idsOf(statusChanges.removed.datapoints));
  const ratingChanges = stored.map(({ id, status, rating }): RatingChange => {
    const after = newRating.get(id) === undefined ? rating : (newRating.get(id) ?? null);
    const counts = isReinstated.has(id) || (status === 'VALID' && !isRemoved.has(id));
    return { ...(status === 'VALID' && { before: rating }), ...(counts && { after }) };
  });
  return [...ratingChanges, ...added.map(({ rating }): RatingChange => ({ after: rating }))];
}

const idsOf = (entries: readonly { id: number }[]) => entries.map(({ id }) => id);

/** Ascending, without duplicates. */
const uniqueSorted = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);

interface Threads extends Findings {
  /** Our ids of datapoints by their external ids. */
  readonly idOf: ReadonlyMap<string, number>;
  /** Datapoints that this check added. Their threads have no stored replies and are summarized already. */
  readonly insertedIds: ReadonlySet<number>;
  /** Whether deleted replies are stored, which may be on the directory again. */
  readonly mayRestore: boolean;
}

/** Returns the ids of datapoints whose threads changed, and of replies that were deleted. */
async function recordReplies(
  transaction: Transaction,
  feed: DatapointFeed,
  { fetched, inventory, removed, idOf, insertedIds, mayRestore }: Threads,
): Promise<{ changed: number[]; deleted: number[] }> {
  const removedDatapoints = new Set(removed.datapoints.map(({ id }) => id));
  const touched = new Set([
    ...fetched.map(({ externalId }) => idOf.get(externalId) ?? 0),
    ...removedDatapoints,
    ...removed.replies.map(({ datapointId }) => datapointId),
  ]);
  const older = [...touched].filter((id) => !insertedIds.has(id));
  if (older.length > 0) await lockDatapoints(transaction, older);
  // Read after locking: one of our replies may just have been published.
  const replies = older.length > 0 || mayRestore ? await findStoredReplies(transaction, feed) : [];
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
  const changedThreads = new Set([...altered, ...[...adopted, ...deleted].map(({ datapointId }) => datapointId)]);
  const summarized = [...changedThreads].filter((id) => !insertedIds.has(id));
  if (summarized.length > 0) await summarizeThreads(transaction, summarized);
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

/** Ids that a check changed, in ascending order. */
export interface Recorded {
  readonly added: number[];
  readonly addedTypes: DatapointType[];
  readonly updated: number[];
  /** Datapoints that were removed from the directory. */
  readonly invalid: number[];
  /** Replies that were removed from the directory. */
  readonly deleted: number[];
}

/** Records one event for additions and updates and one for removals. A check without changes records none. */
async function recordCheckEvents(
  transaction: Transaction,
  { id, partner, businessId: business, locationId: location, directoryType }: DatapointFeed,
  recorded: Recorded,
): Promise<void> {
  const { added, updated, invalid, deleted } = recorded;
  const additions = { newDatapointsFound: added.length > 0, newDataPointIds: added };
  const removals = { invalidDataPointIds: invalid, deletedDataPointIds: deleted };
  const counts = countFields(recorded);
  if (location !== null) {
    const common = { business, listing: id, location, directoryType };
    if (hasAdditions(recorded)) {
      const updates = updated.length > 0 && { updatedDataPointIds: updated };
      const fields = { ...common, ...counts, ...additions, ...updates };
      await recordEvent(transaction, { partner, type: 'LISTING_DATAPOINT_CHECK', fields });
    }
    if (hasRemovals(recorded)) {
      const fields = { ...common, ...removals };
      await recordEvent(transaction, { partner, type: 'LISTING_DATAPOINT_INVALID', fields });
    }
    return;
  }
  const common = { business, directoryType, directoryBusinessPage: id };
  if (hasAdditions(recorded)) {
    const fields = { ...common, ...additions, updatedDataPointIds: updated };
    await recordEvent(transaction, { partner, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK', fields });
    await recordEvent(transaction, { partner, type: 'BRAND_DATAPOINT_CHECK', fields: { ...fields, ...counts } });
  }
  if (hasRemovals(recorded)) {
    const fields = { ...common, ...removals };
    await recordEvent(transaction, { partner, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID', fields });
  }
}

export const hasAdditions = ({ added, updated }: Recorded) => added.length + updated.length > 0;

export const hasRemovals = ({ invalid, deleted }: Recorded) => invalid.length + deleted.length > 0;

function countFields({ addedTypes }: Recorded) {
  const count = (type: DatapointType) => addedTypes.filter((one) => one === type).length;
  return {
    newPhotosFound: count('PHOTO'),
    newReviewsFound: count('REVIEW'),
    newCheckinsFound: count('CHECKIN'),
    newConversationsFound: count('CONVERSATION'),
    newCommentsFound: count('COMMENT'),
    newQuestionsFound: count('QUESTION'),
  };
}
