import type { Grant } from '../../api/versions/version-change.ts';
import type { Transaction } from '../../database/transaction.ts';
import { reachOf, requireFieldAccess } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { type FieldError, Problem } from '../../problems.ts';
import { actorOf } from '../accounts/index.ts';
import { isVisible, writeChanges } from './change-location.ts';
import { endDateErrors, isAsWanted, moveLocations, type WantedMove } from './change-status.ts';
import { problemOf } from './create-location.ts';
import type { LocationPatch } from './location.ts';
import { readLocationFilter } from './location-filter.ts';
import { listLocationIds } from './location-list-store.ts';
import { type LockedLocation, lockLocations } from './location-store.ts';
import { judgeMove } from './status-moves.ts';
import { dayIn } from './time-zone.ts';

/** How many locations one call may change. */
export const mostAtOnce = 1000;

export interface Failed {
  id: number;
  status: string;
  message: string;
  errorCode?: string;
  errors?: FieldError[];
}

/** Which locations a call is about: those named, or those that fit. */
export interface Chosen {
  ids?: number[];
  filter?: Parameters<typeof readLocationFilter>[2];
}

/**
 * Changes many locations at once. Each is changed wholly or not at all, and what is wrong with one does not touch the
 * others.
 */
export async function changeMany(
  transaction: Transaction,
  { caller, grants }: { caller: Caller; grants: ReadonlySet<Grant> },
  chosen: Chosen,
  wanted: { patch?: LocationPatch; move?: WantedMove },
  now: Date,
): Promise<{ updatedIds: number[]; failed: Failed[] }> {
  const { patch = {}, move } = wanted;
  const actor = actorOf(caller, grants);
  requireFieldAccess(caller.user, [...Object.keys(patch), ...(move ? ['status'] : [])]);
  const ids = await idsOf(transaction, caller, chosen);
  const locked = await lockLocations(transaction, actor.partner.id, ids);
  const visible = new Map(locked.filter((one) => isVisible(actor, one)).map((one) => [one.id, one]));
  const failures = new Map<number, Failed>();
  for (const id of ids) if (!visible.has(id)) failures.set(id, failure(id, notThere(id)));

  const moving: LockedLocation[] = [];
  for (const location of visible.values()) {
    const refusal = move && !isAsWanted(location, move) ? refusalOf(location, move, now) : undefined;
    if (refusal) failures.set(location.id, failure(location.id, refusal));
    else moving.push(location);
  }
  const changed = await writeChanges(
    transaction,
    actor,
    moving.map((before) => ({ before, patch })),
  );
  const done = moving.filter(({ id }, index) => {
    const result = changed[index];
    if (!result || !('errors' in result)) return true;
    // One that is deleted already is as a deletion wants it.
    if (result.before && move?.to === 'DELETED') return true;
    failures.set(id, failure(id, problemOf(result.errors)));
    return false;
  });
  const due = move ? done.filter((location) => !isAsWanted(location, move)) : [];
  if (move && due.length > 0) await moveLocations(transaction, actor, due, { ...move, by: 'person', now });
  return {
    updatedIds: done.map(({ id }) => id),
    failed: ids.flatMap((id) => failures.get(id) ?? []),
  };
}

function refusalOf(location: LockedLocation, move: WantedMove, now: Date): Problem | undefined {
  const { to, endDate } = move;
  const errors = endDateErrors(location, move, now);
  if (errors.length > 0) return new Problem('INVALID_PARAMETER', { errors });
  const today = dayIn(location.timeZone, now);
  const judged = judgeMove(location, to, { by: 'person', today, ...(endDate !== undefined && { endDate }) });
  return judged.allowed ? undefined : new Problem('CONFLICT', { message: judged.message });
}

async function idsOf(transaction: Transaction, caller: Caller, { ids, filter }: Chosen): Promise<number[]> {
  if ((ids === undefined) === (filter === undefined)) {
    const message = 'Say which locations: give either ids or filter.';
    throw new Problem('MISSING_PARAMETER', { errors: [{ field: 'ids', rule: 'required', message }] });
  }
  if (ids) return [...new Set(ids)];
  const { partnerId } = caller;
  const wanted = await readLocationFilter(transaction, caller, filter ?? {});
  const found = await listLocationIds(
    transaction,
    { partnerId, reach: reachOf(caller), filter: wanted },
    mostAtOnce + 1,
  );
  if (found.length <= mostAtOnce) return found;
  const message = `filter fits more than ${mostAtOnce} locations, which is the most for one call. Narrow it down.`;
  throw new Problem('INVALID_PARAMETER', { errors: [{ field: 'filter', rule: 'maximum', message }] });
}

const notThere = (id: number) => new Problem('NOT_FOUND', { message: `There is no location ${id}.` });

const failure = (id: number, { status, message, errorCode, errors }: Problem): Failed => ({
  id,
  status,
  message,
  ...(errorCode && { errorCode }),
  ...(errors.length > 0 && { errors: [...errors] }),
});
