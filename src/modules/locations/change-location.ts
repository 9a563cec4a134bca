import { violates } from '../../database/faults.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { reaches, requireFieldAccess } from '../../http/access.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import { type FieldError, notFound, Problem } from '../../problems.ts';
import { type Actor, isSystem } from '../accounts/index.ts';
import { problemOf } from './create-location.ts';
import { enqueueFollowUps } from './follow-ups.ts';
import { identifierNotUnique } from './identifier-not-unique.ts';
import type { Location, LocationPatch } from './location.ts';
import { recordChanges } from './location-change-store.ts';
import { type LockedLocation, lockLocations, updateLocations } from './location-store.ts';
import { type PreparedChange, prepareChanges } from './prepare-changes.ts';
import { replaceServices, servicesOf } from './service-item-store.ts';

export interface Changed {
  location: Location;
  changedFields: string[];
}

/** Applies a patch and records one event. `also` makes further changes and returns their fields for the same event. */
export async function changeLocation(
  transaction: Transaction,
  actor: Actor,
  id: number,
  patch: LocationPatch,
  also: (location: LockedLocation) => Promise<readonly string[]> = async () => [],
): Promise<Changed> {
  const [before] = await lockLocations(transaction, actor.partner.id, [id]);
  if (!before || !isVisible(actor, before)) throw locationNotFound(id);
  const [result] = await writeChanges(transaction, actor, [{ before, patch }], { recordsEvents: false });
  if (!result) throw new Error('Nothing was written.');
  if ('errors' in result) throw result.before ? deletedProblem(result.before) : problemOf(result.errors);
  const fields = [...result.changedFields, ...(await also(result.location))];
  if (fields.length > 0) await recordChangeEvents(transaction, actor, [{ locationId: id, fields }]);
  const services = result.location.servicesCount > 0 ? (await servicesOf(transaction, [id])).get(id) : undefined;
  return { location: { ...result.location, services: services ?? [] }, changedFields: result.changedFields };
}

export type ChangeResult =
  | { location: LockedLocation; changedFields: string[] }
  /** `before` is set when the location is deleted. */
  | { errors: FieldError[]; before?: LockedLocation };

/** Applies patches to locked locations, with their events, in a fixed number of statements. Each may fail on its own. */
export async function writeChanges(
  transaction: Transaction,
  actor: Actor,
  wanted: readonly { before: LockedLocation; patch: LocationPatch }[],
  { recordsEvents = true }: { recordsEvents?: boolean } = {},
): Promise<ChangeResult[]> {
  for (const { patch } of wanted) requireFieldAccess(actor.user, Object.keys(patch));
  const prepared = await prepareChanges(transaction, actor, wanted);
  const changes = prepared.filter((one): one is PreparedChange => 'row' in one && one.fields.length > 0);
  const updated =
    changes.length > 0 ? await write(transaction, actor, changes, recordsEvents) : new Map<number, Date>();
  return prepared.map((one) => {
    if ('errors' in one) return one;
    const { before, row, fields } = one;
    if (fields.length === 0) return { location: before, changedFields: [] };
    const lastUpdated = updated.get(row.id) ?? before.lastUpdated;
    return { location: { ...before, ...row, revision: before.revision + 1, lastUpdated }, changedFields: fields };
  });
}

async function write(
  transaction: Transaction,
  actor: Actor,
  changes: readonly PreparedChange[],
  recordsEvents: boolean,
): Promise<Map<number, Date>> {
  const lists = changes.flatMap(({ row, services }) => (services ? [{ locationId: row.id, services }] : []));
  const updating = updateLocations(
    transaction,
    changes.map(({ row }) => row),
  );
  // Pipelined with the update. If the update fails, its error is thrown and these errors are ignored.
  const following = Promise.all([
    lists.length > 0 && replaceServices(transaction, actor.partner.id, lists),
    recordsEvents &&
      recordChangeEvents(
        transaction,
        actor,
        changes.map(({ row, fields }) => ({ locationId: row.id, fields })),
      ),
    enqueueFollowUps(transaction, changes),
  ]);
  following.catch(() => {});
  const updated = await updating.catch((error) => {
    throw violates(error, 'locations_identifier') ? identifierRace(changes) : error;
  });
  await following;
  return updated;
}

/** Records changes in the history, as events and in the audit log. System changes are recorded in the history only. */
async function recordChangeEvents(
  transaction: Transaction,
  actor: Actor,
  changes: readonly { locationId: number; fields: readonly string[] }[],
): Promise<void> {
  await Promise.all([
    recordChanges(transaction, actor.by, changes),
    ...(isSystem(actor)
      ? []
      : [
          recordEvents(
            transaction,
            changes.map(({ locationId, fields }) => ({
              partner: actor.partner,
              type: 'LOCATION_PROFILE_CHANGED' as const,
              fields: { comment: `Changed: ${fields.join(', ')}`, location: locationId, user: actor.by },
            })),
          ),
          recordAudit(
            transaction,
            actor,
            changes.map(({ locationId, fields }) => ({
              action: 'CHANGED',
              subject: 'LOCATION',
              subjectId: locationId,
              details: { fields },
            })),
          ),
        ]),
  ]);
}

export const isVisible = ({ user }: Actor, { id, businessId }: Pick<Location, 'id' | 'businessId'>): boolean =>
  !user || reaches(user.reach, { businessId, locationId: id });

export const locationNotFound = (id: number): Problem => notFound(`location ${id}`);

const deletedProblem = ({ id }: LockedLocation) =>
  new Problem('CONFLICT', { message: `Location ${id} is deleted and cannot be changed.` });

/** A concurrent transaction has taken the identifier. */
const identifierRace = (changes: readonly PreparedChange[]) => {
  const identifiers = changes.filter(({ fields }) => fields.includes('identifier')).map(({ row }) => row.identifier);
  return problemOf([identifierNotUnique(identifiers.join(', '))]);
};
