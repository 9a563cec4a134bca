import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { requireFieldAccess } from '../../http/access.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import { type FieldError, Problem } from '../../problems.ts';
import { isDay } from '../../values/span.ts';
import { type Actor, isSystem } from '../accounts/index.ts';
import { isVisible, locationNotFound } from './change-location.ts';
import { locationChanged } from './follow-ups.ts';
import { invalidDay } from './hours.ts';
import type { LocationStatus } from './location.ts';
import { recordChanges } from './location-change-store.ts';
import { setStatuses } from './location-status-store.ts';
import { type LockedLocation, lockLocations } from './location-store.ts';
import { judgeTransition, type TransitionTrigger } from './status-transitions.ts';
import { dayIn } from './time-zone.ts';

export interface RequestedTransition {
  to: LocationStatus;
  /** With CANCELLED: the last day in the location's time zone. Default: today. */
  endDate?: string;
  comment?: string;
}

/** Changes the status of a location and records the event; no change if it already has the status. */
export async function changeStatus(
  transaction: Transaction,
  actor: Actor,
  id: number,
  wanted: RequestedTransition,
  now: Date,
): Promise<void> {
  requireFieldAccess(actor.user, ['status']);
  const [location] = await lockLocations(transaction, actor.partner.id, [id]);
  if (!location || !isVisible(actor, location)) throw locationNotFound(id);
  if (hasRequestedStatus(location, wanted)) return;
  const errors = endDateErrors(location, wanted, now);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  const [refused] = await transitionLocations(transaction, actor, [location], { ...wanted, by: 'user', now });
  if (refused) throw new Problem('CONFLICT', { message: refused.message });
}

export const hasRequestedStatus = ({ status, endDate }: LockedLocation, wanted: RequestedTransition): boolean =>
  status === wanted.to && (status !== 'CANCELLED' || wanted.endDate === undefined || wanted.endDate === endDate);

/** Changes the status of locked locations where allowed; returns the reasons for the others. */
export async function transitionLocations(
  transaction: Transaction,
  actor: Actor,
  locations: readonly LockedLocation[],
  wanted: RequestedTransition & { by: TransitionTrigger; now: Date },
): Promise<{ id: number; message: string }[]> {
  const { to, by, now, endDate, comment } = wanted;
  const refused: { id: number; message: string }[] = [];
  const moving = locations.flatMap((location) => {
    const today = dayIn(location.timeZone, now);
    const judged = judgeTransition(location, to, { by, today, ...(endDate !== undefined && { endDate }) });
    if (judged.allowed) return [{ location, endDate: judged.endDate }];
    refused.push({ id: location.id, message: judged.message });
    return [];
  });
  if (moving.length === 0) return refused;
  // A new end date of a cancelled location is not a status change.
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
          comment: comment ?? describeTransition(location.status, to, by, ends),
          location: location.id,
          from: location.status,
          to,
          ...(by === 'user' && !isSystem(actor) && { user: actor.by }),
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
    by === 'user' &&
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
  { to, endDate }: RequestedTransition,
  now: Date,
): FieldError[] {
  if (endDate === undefined) return [];
  if (!isDay(endDate)) return [invalidDay('endDate', endDate)];
  if (to !== 'CANCELLED') {
    return [{ field: 'endDate', rule: 'cancelled', message: 'endDate is allowed only with status CANCELLED.' }];
  }
  const today = dayIn(timeZone, now);
  if (endDate >= today) return [];
  const message = `endDate must be today (${today}, ${timeZone ?? 'UTC'}) or later.`;
  return [{ field: 'endDate', rule: 'minimum', message }];
}

function describeTransition(
  from: LocationStatus,
  to: LocationStatus,
  by: TransitionTrigger,
  endDate: string | null,
): string {
  if (by === 'first sync') return 'First sync';
  if (by === 'end date') return `End date ${endDate} has passed`;
  return to === 'CANCELLED' ? `Cancelled, ends on ${endDate}` : `Changed from ${from} to ${to}`;
}
