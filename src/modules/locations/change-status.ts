import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { recordAudits } from '../../http/audit-trail.ts';
import { type FieldError, Problem } from '../../problems.ts';
import { dayIn } from '../../values/calendar.ts';
import { isDay } from '../../values/span.ts';
import { type Actor, isSystem } from '../accounts/index.ts';
import { locationChanged, requireVisible } from './change-location.ts';
import { invalidDay } from './hours.ts';
import type { Location, LocationStatus } from './location.ts';
import { requireFieldAccess } from './location-fields.ts';
import { setStatuses } from './location-status-store.ts';
import { type LockedLocation, lockLocations, recordChanges } from './location-store.ts';

export type TransitionTrigger = 'user' | 'first sync' | 'end date';

interface Transition {
  from: LocationStatus;
  to: LocationStatus;
  by: TransitionTrigger;
  /** Whether the transition is allowed on this day. */
  on?(today: string, endDate: string | null): boolean;
  /** For error messages, after the name of the status. */
  condition?: string;
}

const transitions: readonly Transition[] = [
  // Never submitted to a directory.
  { from: 'CREATED', to: 'DELETED', by: 'user' },
  { from: 'CREATED', to: 'ACTIVE', by: 'first sync', condition: 'with its first sync, POST /api/locations/{id}/sync' },
  { from: 'ACTIVE', to: 'NEEDS_REVIEW', by: 'user' },
  { from: 'NEEDS_REVIEW', to: 'ACTIVE', by: 'user' },
  { from: 'ACTIVE', to: 'CANCELLED', by: 'user' },
  { from: 'NEEDS_REVIEW', to: 'CANCELLED', by: 'user' },
  {
    from: 'CANCELLED',
    to: 'ACTIVE',
    by: 'user',
    on: (today, endDate) => endDate === null || today < endDate,
    condition: 'before its end date',
  },
  {
    from: 'CANCELLED',
    to: 'INACTIVE',
    by: 'end date',
    on: (today, endDate) => endDate !== null && today > endDate,
    condition: 'automatically after its end date',
  },
  { from: 'INACTIVE', to: 'ACTIVE', by: 'user' },
  { from: 'ACTIVE', to: 'CLOSED', by: 'user' },
  { from: 'CANCELLED', to: 'CLOSED', by: 'user' },
  { from: 'INACTIVE', to: 'CLOSED', by: 'user' },
  { from: 'CLOSED', to: 'ACTIVE', by: 'user' },
  {
    from: 'INACTIVE',
    to: 'DELETED',
    by: 'user',
    on: (today, endDate) => endDate === null || today > endDate,
    condition: 'after its end date',
  },
];

type StatusAndEndDate = Pick<Location, 'status' | 'endDate'>;

type Judgement = { allowed: true; endDate: string | null } | { allowed: false; message: string };

/** Whether a transition is allowed, and the resulting end date. Days are YYYY-MM-DD in the location's time zone. */
export function judgeTransition(
  location: StatusAndEndDate,
  to: LocationStatus,
  { by, today, endDate }: { by: TransitionTrigger; today: string; endDate?: string | undefined },
): Judgement {
  if (location.status === 'CANCELLED' && to === 'CANCELLED' && by === 'user' && endDate !== undefined) {
    return { allowed: true, endDate };
  }
  const move = transitions.find((one) => one.from === location.status && one.to === to && one.by === by);
  if (!move || (move.on && !move.on(today, location.endDate)))
    return { allowed: false, message: transitionError(location, to) };
  if (to === 'CANCELLED') return { allowed: true, endDate: endDate ?? today };
  return { allowed: true, endDate: to === 'ACTIVE' ? null : location.endDate };
}

function transitionError({ status, endDate }: StatusAndEndDate, to: LocationStatus): string {
  const targets = transitions
    .filter(({ from }) => from === status)
    .map(({ to: target, condition }) => (condition ? `${target} (${condition})` : target));
  const ends = endDate === null ? '' : ` and ends on ${endDate}`;
  const allowed =
    targets.length > 0 ? `Allowed from ${status}: ${targets.join(', ')}.` : `No status is allowed after ${status}.`;
  return `A location that is ${status}${ends} cannot become ${to}. ${allowed}`;
}

export interface RequestedTransition {
  to: LocationStatus;
  /** With CANCELLED: the last day in the location's time zone. Default: today. */
  endDate?: string;
  comment?: string;
}

/** The transition of a body with `status` and `endDate`. */
export function requestedTransition(
  status: LocationStatus | undefined,
  endDate: string | undefined,
): RequestedTransition | undefined {
  if (status === undefined && endDate !== undefined) {
    throw new Problem('INVALID_PARAMETER', { errors: [onlyWithCancelled] });
  }
  return status && { to: status, ...(endDate !== undefined && { endDate }) };
}

const onlyWithCancelled: FieldError = {
  field: 'endDate',
  rule: 'cancelled',
  message: 'endDate is allowed only with status CANCELLED.',
};

/** Changes the status of a location and records the event; no change if it already has the status. */
export async function changeStatus(
  transaction: Transaction,
  actor: Actor,
  id: number,
  wanted: RequestedTransition,
  now: Date,
): Promise<void> {
  requireFieldAccess(actor.user, ['status']);
  const [locked] = await lockLocations(transaction, actor.partner.id, [id]);
  const location = requireVisible(actor, id, locked);
  if (hasRequestedStatus(location, wanted)) return;
  const refusal = refusalOf(location, wanted, now);
  if (refusal) throw refusal;
  await transitionLocations(transaction, actor, [location], { ...wanted, by: 'user', now });
}

/** True also for the current `endDate`, so that clients can write a location back as read. */
export const hasRequestedStatus = ({ status, endDate }: LockedLocation, wanted: RequestedTransition): boolean =>
  status === wanted.to && (wanted.endDate === undefined || wanted.endDate === endDate);

/** Changes the status of locked locations where allowed. */
export async function transitionLocations(
  transaction: Transaction,
  actor: Actor,
  locations: readonly LockedLocation[],
  wanted: RequestedTransition & { by: TransitionTrigger; now: Date },
): Promise<void> {
  const { to, by, now, endDate, comment } = wanted;
  const moving = locations.flatMap((location) => {
    const today = dayIn(location.timeZone, now);
    const judged = judgeTransition(location, to, { by, today, endDate });
    return judged.allowed ? [{ location, endDate: judged.endDate }] : [];
  });
  if (moving.length === 0) return;
  // A new end date of a cancelled location is not a status change.
  const moved = moving.filter(({ location }) => location.status !== to);
  const statuses = moving.map(({ location, endDate: ends }) => ({ id: location.id, endDate: ends }));
  const events = moved.map(({ location, endDate: ends }) => ({
    partner: actor.partner,
    type: 'LOCATION_STATUS_CHANGED' as const,
    fields: {
      comment: comment ?? describeTransition(location.status, to, by, ends),
      location: location.id,
      from: location.status,
      to,
      ...(by === 'user' && !isSystem(actor) && { user: actor.by }),
    },
  }));
  const changes = moving.map(({ location }) => ({
    locationId: location.id,
    fields: location.status === to ? ['endDate'] : ['status'],
  }));
  const entries = moving.map(({ location }) => ({
    action: to === 'DELETED' ? 'DELETED' : 'CHANGED',
    subject: 'LOCATION',
    subjectId: location.id,
    details: { from: location.status, to },
  }));
  // Without autoSync, the check submits removals only.
  const checks = moved
    .filter(({ location }) => location.lastSyncStarted !== null)
    .map(({ location }) => ({ locationId: location.id, partnerId: actor.partner.id }));
  await Promise.all([
    setStatuses(transaction, to, statuses),
    recordEvents(transaction, events),
    recordChanges(transaction, actor.by, changes),
    by === 'user' && recordAudits(transaction, actor, entries),
    locationChanged.enqueueMany(transaction, checks),
  ]);
}

/** Why a user cannot change the status of the location. */
export function refusalOf(location: LockedLocation, wanted: RequestedTransition, now: Date): Problem | undefined {
  const { to, endDate } = wanted;
  const errors = endDateErrors(location, wanted, now);
  if (errors.length > 0) return new Problem('INVALID_PARAMETER', { errors });
  const today = dayIn(location.timeZone, now);
  const judged = judgeTransition(location, to, { by: 'user', today, endDate });
  return judged.allowed ? undefined : new Problem('CONFLICT', { message: judged.message });
}

function endDateErrors(
  { timeZone }: Pick<LockedLocation, 'timeZone'>,
  { to, endDate }: RequestedTransition,
  now: Date,
): FieldError[] {
  if (endDate === undefined) return [];
  if (!isDay(endDate)) return [invalidDay('endDate', endDate)];
  if (to !== 'CANCELLED') return [onlyWithCancelled];
  const today = dayIn(timeZone, now);
  if (endDate >= today) return [];
  const message = `endDate must be today (${today}, ${timeZone ?? 'UTC'}) or later.`;
  return [{ field: 'endDate', rule: 'minimum', message }];
}

function describeTransition(from: LocationStatus, to: LocationStatus, by: TransitionTrigger, endDate: string | null) {
  if (by === 'first sync') return 'First sync';
  if (by === 'end date') return `End date ${endDate} has passed`;
  return to === 'CANCELLED' ? `Cancelled, ends on ${endDate}` : `Changed from ${from} to ${to}`;
}
