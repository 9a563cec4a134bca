import type { Location, LocationStatus } from './location.ts';

/** What makes a status move: somebody, the first sync, or the end date that has come. */
export type Mover = 'person' | 'first sync' | 'end date';

interface Move {
  from: LocationStatus;
  to: LocationStatus;
  by: Mover;
  /** Whether the day is right for it. */
  on?(today: string, endDate: string | null): boolean;
  /** Reads on after the status it leads to. */
  condition?: string;
}

const moves: readonly Move[] = [
  // Nothing of it was published.
  { from: 'CREATED', to: 'DELETED', by: 'person' },
  { from: 'CREATED', to: 'ACTIVE', by: 'first sync', condition: 'by its first sync, POST /api/locations/{id}/sync' },
  { from: 'ACTIVE', to: 'NEEDS_REVIEW', by: 'person' },
  { from: 'NEEDS_REVIEW', to: 'ACTIVE', by: 'person' },
  { from: 'ACTIVE', to: 'CANCELLED', by: 'person' },
  { from: 'NEEDS_REVIEW', to: 'CANCELLED', by: 'person' },
  {
    from: 'CANCELLED',
    to: 'ACTIVE',
    by: 'person',
    on: (today, endDate) => endDate === null || today < endDate,
    condition: 'before its end date',
  },
  {
    from: 'CANCELLED',
    to: 'INACTIVE',
    by: 'end date',
    on: (today, endDate) => endDate !== null && today > endDate,
    condition: 'by itself after its end date',
  },
  { from: 'INACTIVE', to: 'ACTIVE', by: 'person' },
  { from: 'ACTIVE', to: 'CLOSED', by: 'person' },
  { from: 'CANCELLED', to: 'CLOSED', by: 'person' },
  { from: 'INACTIVE', to: 'CLOSED', by: 'person' },
  { from: 'CLOSED', to: 'ACTIVE', by: 'person' },
  {
    from: 'INACTIVE',
    to: 'DELETED',
    by: 'person',
    on: (today, endDate) => endDate === null || today > endDate,
    condition: 'once its end date has passed',
  },
];

type Moving = Pick<Location, 'status' | 'endDate'>;

export type Judgement = { allowed: true; endDate: string | null } | { allowed: false; message: string };

/** Whether a location may move, and the end date that it has then. Days are those of its time zone, as YYYY-MM-DD. */
export function judgeMove(
  location: Moving,
  to: LocationStatus,
  { by, today, endDate }: { by: Mover; today: string; endDate?: string },
): Judgement {
  if (location.status === 'CANCELLED' && to === 'CANCELLED' && by === 'person' && endDate !== undefined) {
    return { allowed: true, endDate };
  }
  const move = moves.find((one) => one.from === location.status && one.to === to && one.by === by);
  if (!move || (move.on && !move.on(today, location.endDate)))
    return { allowed: false, message: refusal(location, to) };
  if (to === 'CANCELLED') return { allowed: true, endDate: endDate ?? today };
  return { allowed: true, endDate: to === 'ACTIVE' ? null : location.endDate };
}

function refusal({ status, endDate }: Moving, to: LocationStatus): string {
  const ways = moves
    .filter(({ from }) => from === status)
    .map(({ to: target, condition }) => (condition ? `${target} (${condition})` : target));
  const ends = endDate === null ? '' : ` and ends on ${endDate}`;
  const allowed = ways.length > 0 ? `From ${status} it can move to ${ways.join(', ')}.` : 'It stays that way.';
  return `A location that is ${status}${ends} cannot become ${to}. ${allowed}`;
}
