import type { Location, LocationStatus } from './location.ts';

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
  { by, today, endDate }: { by: TransitionTrigger; today: string; endDate?: string },
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
