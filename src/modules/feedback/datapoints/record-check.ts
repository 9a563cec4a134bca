import type { Transaction } from '../../../database/transaction.ts';
import type { DatapointFeed } from '../../listings/index.ts';
import { addRatings, lockBusinessOf } from '../../locations/index.ts';
import { type Recorded, recordCheckEvents } from './check-events.ts';
import { insertDatapoints, setDatapointStatus, updateDatapoints } from './check-store.ts';
import {
  diffDatapoints,
  type FetchedDatapoint,
  type Inventory,
  type Missing,
  type RatingChange,
  ratingDelta,
  type StoredDatapoint,
} from './datapoint-diff.ts';
import { recordReplies } from './record-replies.ts';

export interface Findings {
  readonly fetched: readonly FetchedDatapoint[];
  /** Undefined if it could not be read. */
  readonly inventory: Inventory | undefined;
  /** Confirmed removals. */
  readonly removed: Missing;
}

/**
 * Writes the results of a check with its events. `stored` was read when the check began: the caller ensures that no
 * other check was recorded since.
 */
export async function recordFindings(
  transaction: Transaction,
  place: DatapointFeed,
  stored: readonly StoredDatapoint[],
  { fetched, inventory, removed }: Findings,
): Promise<Recorded> {
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
  if (place.locationId !== null && touched.some((list) => list.length > 0)) {
    await lockBusinessOf(transaction, place.locationId);
  }
  const inserted = differences.added.length > 0 ? await insertDatapoints(transaction, place, differences.added) : [];
  if (changed.length > 0) {
    await updateDatapoints(
      transaction,
      changed.map((change) => ({ id: change.stored.id, fetched: change.fetched })),
    );
  }
  if (reinstated.length > 0) await setDatapointStatus(transaction, idsOf(reinstated), 'VALID');
  if (removed.datapoints.length > 0) await setDatapointStatus(transaction, idsOf(removed.datapoints), 'INVALID');

  const idOf = new Map([...stored, ...inserted].map(({ id, externalId }) => [externalId, id]));
  const threads = await recordReplies(transaction, place, { fetched: unique, inventory, removed, idOf });

  const insertedExternalIds = new Set(inserted.map(({ externalId }) => externalId));
  const added = differences.added.filter(({ externalId }) => insertedExternalIds.has(externalId));
  const insertedIds = new Set(idsOf(inserted));
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
  if (place.locationId !== null) {
    const change = ratingDelta(ratingChangesOf(stored, added, changed, { reinstated, removed }));
    if (Object.values(change).some((figure) => figure !== 0)) await addRatings(transaction, place.locationId, change);
  }
  await recordCheckEvents(transaction, place, recorded);
  return recorded;
}

function ratingChangesOf(
  stored: readonly StoredDatapoint[],
  added: readonly FetchedDatapoint[],
  changed: readonly { stored: StoredDatapoint; fetched: FetchedDatapoint }[],
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
