import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-events.ts';
import { requireFieldAccess } from '../../http/access.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import { type FieldError, Problem } from '../../problems.ts';
import { isDay } from '../../values/days.ts';
import { type Actor, isSystem } from '../accounts/index.ts';
import { isVisible, noLocation } from './change-location.ts';
import { locationChanged } from './follow-ups.ts';
import { noSuchDay } from './hours.ts';
import type { LocationStatus } from './location.ts';
import { recordChanges } from './location-change-store.ts';
import { setStatuses } from './location-status-store.ts';
import { type LockedLocation, lockLocations } from './location-store.ts';
import { judgeMove, type Mover } from './status-moves.ts';
import { dayIn } from './time-zone.ts';

export interface WantedMove {
  to: LocationStatus;
  /** With CANCELLED: the last day in the location's time zone; today unless it is given. */
  endDate?: string;
  comment?: string;
}

/** Moves a location to another status, with its event; one that has it already stays as it is. */
export async function changeStatus(
  transaction: Transaction,
  actor: Actor,
  id: number,
  wanted: WantedMove,
  now: Date,
): Promise<void> {
  requireFieldAccess(actor.user, ['status']);
  const [location] = await lockLocations(transaction, actor.partner.id, [id]);
  if (!location || !isVisible(actor, location)) throw noLocation(id);
  if (isAsWanted(location, wanted)) return;
  const errors = endDateErrors(location, wanted, now);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  const [refused] = await moveLocations(transaction, actor, [location], { ...wanted, by: 'person', now });
  if (refused) throw new Problem('CONFLICT', { message: refused.message });
}

export const isAsWanted = ({ status, endDate }: LockedLocation, wanted: WantedMove): boolean =>
  status === wanted.to && (status !== 'CANCELLED' || wanted.endDate === undefined || wanted.endDate === endDate);

/** Moves those of the locked locations that may, and says why the others may not. */
export async function moveLocations(
  transaction: Transaction,
  actor: Actor,
  locations: readonly LockedLocation[],
  wanted: WantedMove & { by: Mover; now: Date },
): Promise<{ id: number; message: string }[]> {
  const { to, by, now, endDate, comment } = wanted;
  const refused: { id: number; message: string }[] = [];
  const moving = locations.flatMap((location) => {
    const today = dayIn(location.timeZone, now);
    const judged = judgeMove(location, to, { by, today, ...(endDate !== undefined && { endDate }) });
    if (judged.allowed) return [{ location, endDate: judged.endDate }];
    refused.push({ id: location.id, message: judged.message });
    return [];
  });
  if (moving.length === 0) return refused;
  // A cancelled location that gets another end date has not moved.
  const moved = moving.filter(({ location }) => location.status !== to);
  await Promise.all([
    setStatuses(
      transaction,
      to,
      moving.map(({ location, endDate: ends }) => ({ id: location.id, endDate: ends })),
    ),
    recordEvents(
      transaction,
      moved.map(({ location, endDate: ends }) => ({
        partner: actor.partner,
        type: 'LOCATION_STATUS_CHANGED' as const,
        fields: {
          comment: comment ?? describeMove(location.status, to, by, ends),
          location: location.id,
          from: location.status,
          to,
          ...(by === 'person' && !isSystem(actor) && { user: actor.by }),
        },
      })),
    ),
    recordChanges(
      transaction,
      actor.by,
      moving.map(({ location }) => ({
        locationId: location.id,
        fields: location.status === to ? ['endDate'] : ['status'],
      })),
    ),
    by === 'person' &&
      recordAudit(
        transaction,
        actor,
        moving.map(({ location }) => ({
          action: to === 'DELETED' ? 'DELETED' : 'CHANGED',
          subject: 'LOCATION',
          subjectId: location.id,
          details: { from: location.status, to },
        })),
      ),
    locationChanged.enqueueMany(
      transaction,
      moved
        .filter(({ location }) => location.autoSync && location.lastSyncStarted !== null)
        .map(({ location }) => ({ locationId: location.id })),
    ),
  ]);
  return refused;
}

export function endDateErrors(
  { timeZone }: Pick<LockedLocation, 'timeZone'>,
  { to, endDate }: WantedMove,
  now: Date,
): FieldError[] {
  if (endDate === undefined) return [];
  if (!isDay(endDate)) return [noSuchDay('endDate', endDate)];
  if (to !== 'CANCELLED') {
    return [{ field: 'endDate', rule: 'cancelled', message: 'endDate is given with the status CANCELLED only.' }];
  }
  const today = dayIn(timeZone, now);
  if (endDate >= today) return [];
  const message = `endDate must be today (${today}, ${timeZone ?? 'UTC'}) or later.`;
  return [{ field: 'endDate', rule: 'minimum', message }];
}

function describeMove(from: LocationStatus, to: LocationStatus, by: Mover, endDate: string | null): string {
  if (by === 'first sync') return 'Synced for the first time';
  if (by === 'end date') return `Its end date ${endDate} has passed`;
  return to === 'CANCELLED' ? `Cancelled, ends on ${endDate}` : `Moved from ${from} to ${to}`;
}
