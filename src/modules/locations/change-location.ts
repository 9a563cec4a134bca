import { violates } from '../../database/faults.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { reaches } from '../../http/access.ts';
import { recordAudits } from '../../http/audit-trail.ts';
import { defineJob } from '../../jobs/job.ts';
import { type FieldError, notFound, Problem } from '../../problems.ts';
import { type Actor, isSystem } from '../accounts/index.ts';
import { locationsUsing } from '../catalog/index.ts';
import { type Location, type LocationPatch, syncedStatuses } from './location.ts';
import { requireFieldAccess } from './location-fields.ts';
import {
  countLiveLocations,
  findLinkedLocation,
  type LinkedLocation,
  type LockedLocation,
  lockLocations,
  recordChanges,
  removeLabel,
  touchLocations,
  updateLocations,
} from './location-store.ts';
import { type PreparedChange, prepareChanges } from './prepare-changes.ts';
import { identifierNotUnique, problemOf } from './references.ts';
import { replaceServices } from './service-item.ts';

/** Checks the listings of a location and submits its changes. Implemented by the listings module. */
export const locationChanged = defineJob<{ locationId: number; partnerId: number }>('listings.location-changed', {
  key: ({ locationId }) => `listings.location-changed-${locationId}`,
});

/** Cleanses the address of one location, or all pending addresses. The schedule finds locations that were locked. */
export const cleanseJob = defineJob<{ locationId?: number; partnerId?: number }>('locations.cleanse', {
  schedule: '*/10 * * * *',
});

/**
 * Applies a patch, records one event and returns the location for a response. `also` makes further changes and returns
 * their fields for the same event.
 */
export async function changeLocation(
  transaction: Transaction,
  actor: Actor,
  id: number,
  patch: LocationPatch,
  also?: (location: LockedLocation) => Promise<readonly string[]>,
): Promise<LinkedLocation> {
  const [locked] = await lockLocations(transaction, actor.partner.id, [id]);
  const before = requireVisible(actor, id, locked);
  requireFieldAccess(actor.user, Object.keys(patch));
  const [prepared] = await prepareChanges(transaction, actor, [{ before, patch }]);
  if (!prepared) throw new Error('Nothing was prepared.');
  if ('errors' in prepared) throw prepared.before ? deletedProblem(prepared.before) : problemOf(prepared.errors);
  const { row, fields } = prepared;
  const writing = fields.length > 0 ? write(transaction, actor, [prepared]) : undefined;
  if (also) await writing;
  const changed = also ? [...fields, ...(await also({ ...before, ...row }))] : fields;
  const [location] = await afterWrite(writing, [
    findLinkedLocation(transaction, actor.partner.id, id),
    changed.length > 0 && recordChangeEvents(transaction, actor, [{ locationId: id, fields: changed }]),
  ]);
  if (!location) throw locationNotFound(id);
  return location;
}

type ChangeResult =
  | { location: LockedLocation; changedFields: string[] }
  /** `before` is set when the location is deleted. */
  | { errors: FieldError[]; before?: LockedLocation };

/** Applies one patch each to locked locations, with events, in a fixed number of statements. Each may fail on its own. */
export async function writeChanges(
  transaction: Transaction,
  actor: Actor,
  wanted: readonly { before: LockedLocation; patch: LocationPatch }[],
): Promise<ChangeResult[]> {
  for (const { patch } of wanted) requireFieldAccess(actor.user, Object.keys(patch));
  // The update would apply one patch of a location and drop the others.
  if (new Set(wanted.map(({ before }) => before.id)).size < wanted.length) {
    throw new Error('A location is changed more than once.');
  }
  const prepared = await prepareChanges(transaction, actor, wanted);
  const changes = prepared.filter((one): one is PreparedChange => 'row' in one && one.fields.length > 0);
  const updated = changes.length > 0 ? await writeWithEvents(transaction, actor, changes) : new Map<number, Date>();
  return prepared.map((one) => {
    if ('errors' in one) return one;
    const { before, row, fields } = one;
    if (fields.length === 0) return { location: before, changedFields: [] };
    const lastUpdated = updated.get(row.id) ?? before.lastUpdated;
    return { location: { ...before, ...row, revision: before.revision + 1, lastUpdated }, changedFields: fields };
  });
}

async function writeWithEvents(transaction: Transaction, actor: Actor, changes: readonly PreparedChange[]) {
  const writing = write(transaction, actor, changes);
  const recorded = changes.map(({ row, fields }) => ({ locationId: row.id, fields }));
  await afterWrite(writing, [recordChangeEvents(transaction, actor, recorded)]);
  return writing;
}

/** Returns `lastUpdated` by id. */
async function write(transaction: Transaction, actor: Actor, changes: readonly PreparedChange[]) {
  const lists = changes.flatMap(({ row, services }) => (services ? [{ locationId: row.id, services }] : []));
  const updating = updateLocations(
    transaction,
    changes.map(({ row }) => row),
  ).catch((error) => {
    throw violates(error, 'locations_identifier') ? identifierRace(changes) : error;
  });
  await afterWrite(updating, [
    lists.length > 0 && replaceServices(transaction, actor.partner.id, lists),
    enqueueFollowUps(transaction, actor.partner.id, changes),
  ]);
  return updating;
}

/** For statements sent together with a write. If the write fails, its error is thrown and theirs are ignored. */
async function afterWrite<T extends readonly unknown[]>(writing: Promise<unknown> | undefined, following: T) {
  const results = Promise.all(following);
  results.catch(() => {});
  await writing;
  return results;
}

type FieldChange = { locationId: number; fields: readonly string[] };

const changeEvents = ({ partner, by }: Actor, changes: readonly FieldChange[]) =>
  changes.map(({ locationId, fields }) => ({
    partner,
    type: 'LOCATION_PROFILE_CHANGED' as const,
    fields: { comment: `Changed: ${fields.join(', ')}`, location: locationId, user: by },
  }));

/** Records changes in the history, as events and in the audit log. System changes are recorded in the history only. */
export async function recordChangeEvents(transaction: Transaction, actor: Actor, changes: readonly FieldChange[]) {
  const audits = changes.map(({ locationId, fields }) => ({
    action: 'CHANGED',
    subject: 'LOCATION',
    subjectId: locationId,
    details: { fields },
  }));
  await Promise.all([
    recordChanges(transaction, actor.by, changes),
    !isSystem(actor) && recordEvents(transaction, changeEvents(actor, changes)),
    !isSystem(actor) && recordAudits(transaction, actor, audits),
  ]);
}

/** A location outside the reach of the user is reported as not found. */
export function requireVisible<T extends Pick<Location, 'id' | 'businessId'>>(
  who: Pick<Actor, 'user'>,
  id: number,
  location: T | undefined,
): T {
  if (!location || !isVisible(who, location)) throw locationNotFound(id);
  return location;
}

export const isVisible = (
  { user }: Pick<Actor, 'user'>,
  { id, businessId }: Pick<Location, 'id' | 'businessId'>,
): boolean => !user || reaches(user.reach, { businessId, locationId: id });

export const locationNotFound = (id: number): Problem => notFound(`location ${id}`);

export const deletedProblem = ({ id }: Pick<Location, 'id'>): Problem =>
  new Problem('CONFLICT', { message: `Location ${id} is deleted and cannot be changed.` });

/** A concurrent transaction has taken the identifier. */
const identifierRace = (changes: readonly PreparedChange[]) => {
  const identifiers = changes.filter(({ fields }) => fields.includes('identifier')).map(({ row }) => row.identifier);
  return problemOf([identifierNotUnique(identifiers.join(', '))]);
};

/** Fields that are not submitted to directories. */
const internalFields: ReadonlySet<string> = new Set(['identifier', 'businessId', 'labels', 'customFields']);

async function enqueueFollowUps(transaction: Transaction, partnerId: number, changes: readonly PreparedChange[]) {
  const cleansed = changes.filter(
    ({ before, row }) => row.cleansingStatus === 'PENDING' && before.cleansingStatus !== 'PENDING',
  );
  const shown = changes.filter(
    ({ before, row, fields }) =>
      row.autoSync && syncedStatuses.includes(before.status) && fields.some((field) => !internalFields.has(field)),
  );
  await Promise.all([
    // One job for many locations: it finds all that are pending.
    cleanseJob.enqueueMany(
      transaction,
      cleansed.slice(0, 1).map(({ row }) => (cleansed.length > 1 ? {} : { locationId: row.id, partnerId })),
    ),
    locationChanged.enqueueMany(
      transaction,
      shown.map(({ row }) => ({ locationId: row.id, partnerId })),
    ),
  ]);
}

/** Bounds memory use. */
const batchSize = 1000;

/** Removes a label from every location that has it, and records the change of each. */
export async function removeLabelFromLocations(
  transaction: Transaction,
  actor: Actor,
  { id: labelId }: { id: number },
): Promise<void> {
  for (;;) {
    const dropped = await removeLabel(transaction, actor.partner.id, labelId, batchSize);
    await recordEach(
      transaction,
      actor,
      dropped.filter(({ deleted }) => !deleted),
      'labels',
    );
    if (dropped.length < batchSize) return;
  }
}

/** Records the change of a field in the history and as events, in the order of ids. */
async function recordEach(transaction: Transaction, actor: Actor, locations: readonly { id: number }[], field: string) {
  if (locations.length === 0) return;
  const ordered = locations.toSorted((a, b) => a.id - b.id);
  const changes = ordered.map(({ id }) => ({ locationId: id, fields: [field] }));
  await recordChanges(transaction, actor.by, changes);
  await recordEvents(transaction, changeEvents(actor, changes));
}

/** Records changed items of a collection for the next locations that use it. Returns the last one, if more may follow. */
export async function recordCollectionChange(
  transaction: Transaction,
  actor: Actor,
  {
    collectionId,
    exceptLocationId,
    after = 0,
  }: { collectionId: number; exceptLocationId?: number | undefined; after?: number },
): Promise<number | undefined> {
  const using = await locationsUsing(transaction, collectionId, after, batchSize);
  const touched = await touchLocations(
    transaction,
    actor.partner.id,
    using.filter((id) => id !== exceptLocationId),
  );
  await recordEach(transaction, actor, touched, 'contentLists');
  return using.length < batchSize ? undefined : using.at(-1);
}

export async function rejectDeletionWithLocations(transaction: Transaction, businessId: number): Promise<void> {
  const locations = await countLiveLocations(transaction, businessId);
  if (locations === 0) return;
  throw new Problem('CONFLICT', {
    message: `Business ${businessId} has ${locations} ${locations === 1 ? 'location' : 'locations'}. Delete them first.`,
  });
}
