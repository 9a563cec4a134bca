import type { Transaction } from '../../../database/transaction.ts';
import type { Place } from '../../listings/index.ts';
import { addRatings, holdBusiness } from '../../locations/index.ts';
import { compareDatapoints, type KnownDatapoint, type ShownDatapoint } from './findings.ts';
import { type Recorded, recordFindingsEvents } from './findings-events.ts';
import { insertDatapoints, setDatapointStatus, updateDatapoints } from './findings-store.ts';
import { figuresChange, type Passage } from './rating-figures.ts';
import { recordReplies } from './record-replies.ts';
import type { Inventory, Missing } from './vanished.ts';

/** What a check found, as it is to be written down. */
export interface Findings {
  readonly shown: readonly ShownDatapoint[];
  /** What the directory has; undefined when it could not be read. */
  readonly inventory: Inventory | undefined;
  /** What is gone, beyond doubt. */
  readonly vanished: Missing;
}

/**
 * Writes down what a check found, with its events. `known` is what was known when the check began: the caller has made
 * sure that no other check was written down since.
 */
export async function recordFindings(
  transaction: Transaction,
  place: Place,
  known: readonly KnownDatapoint[],
  { shown, inventory, vanished }: Findings,
): Promise<Recorded> {
  const latest = [...new Map(shown.map((one) => [one.externalId, one])).values()];
  // A page may be an old one: with the inventory at hand, only what is in it is back.
  const isShown = new Set(latest.map(({ externalId }) => externalId));
  const isBack = ({ status, externalId }: KnownDatapoint) =>
    status === 'INVALID' && (inventory ?? isShown).has(externalId);
  const differences = compareDatapoints(latest, known);
  const changed = differences.changed.filter((change) => change.known.status === 'VALID' || isBack(change.known));
  const reinstated = known.filter(isBack);

  const touched = [differences.added, changed, reinstated, vanished.datapoints];
  // Before any datapoint is: a location that moves holds its own row, and then takes its datapoints along.
  if (place.locationId !== null && touched.some((list) => list.length > 0)) {
    await holdBusiness(transaction, place.locationId);
  }
  const inserted = differences.added.length > 0 ? await insertDatapoints(transaction, place, differences.added) : [];
  if (changed.length > 0) {
    await updateDatapoints(
      transaction,
      changed.map((change) => ({ id: change.known.id, shown: change.shown })),
    );
  }
  if (reinstated.length > 0) await setDatapointStatus(transaction, idsOf(reinstated), 'VALID');
  if (vanished.datapoints.length > 0) await setDatapointStatus(transaction, idsOf(vanished.datapoints), 'INVALID');

  const idOf = new Map([...known, ...inserted].map(({ id, externalId }) => [externalId, id]));
  const threads = await recordReplies(transaction, place, { shown: latest, inventory, vanished, idOf });

  const isInserted = new Set(inserted.map(({ externalId }) => externalId));
  const added = differences.added.filter(({ externalId }) => isInserted.has(externalId));
  const isNew = new Set(idsOf(inserted));
  const recorded = {
    added: inOrder(isNew),
    addedTypes: added.map(({ type }) => type),
    updated: inOrder([
      ...changed.map((change) => change.known.id),
      ...idsOf(reinstated),
      ...threads.changed.filter((id) => !isNew.has(id)),
    ]),
    invalid: inOrder(idsOf(vanished.datapoints)),
    deleted: inOrder(threads.deleted),
  };
  if (place.locationId !== null) {
    const change = figuresChange(passagesOf(known, added, changed, { reinstated, vanished }));
    if (Object.values(change).some((figure) => figure !== 0)) await addRatings(transaction, place.locationId, change);
  }
  await recordFindingsEvents(transaction, place, recorded);
  return recorded;
}

function passagesOf(
  known: readonly KnownDatapoint[],
  added: readonly ShownDatapoint[],
  changed: readonly { known: KnownDatapoint; shown: ShownDatapoint }[],
  moved: { reinstated: readonly KnownDatapoint[]; vanished: Missing },
): Passage[] {
  const newRating = new Map(changed.map((change) => [change.known.id, change.shown.rating]));
  const isBack = new Set(idsOf(moved.reinstated));
  const isGone = new Set(idsOf(moved.vanished.datapoints));
  const passages = known.map(({ id, status, rating }): Passage => {
    const after = newRating.get(id) === undefined ? rating : (newRating.get(id) ?? null);
    const counts = isBack.has(id) || (status === 'VALID' && !isGone.has(id));
    return { ...(status === 'VALID' && { before: rating }), ...(counts && { after }) };
  });
  return [...passages, ...added.map(({ rating }): Passage => ({ after: rating }))];
}

const idsOf = (entries: readonly { id: number }[]) => entries.map(({ id }) => id);

/** Each once. */
const inOrder = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);
