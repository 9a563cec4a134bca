import type { Direction } from '../../../http/pagination.ts';
import { invalidField } from '../../../problems.ts';

export const inboxSorts = ['threadActionDate', 'actionDate', 'rating'] as const;
export type InboxSort = (typeof inboxSorts)[number];

/** By what an inbox is put in order, the id last: no two have the same place. */
export const sortColumns = {
  threadActionDate: [
    { column: 'thread_action_date', type: 'timestamptz' },
    { column: 'id', type: 'bigint' },
  ],
  actionDate: [
    { column: 'action_date', type: 'timestamptz' },
    { column: 'id', type: 'bigint' },
  ],
  rating: [
    { column: 'rating', type: 'real' },
    { column: 'thread_action_date', type: 'timestamptz' },
    { column: 'id', type: 'bigint' },
  ],
} as const;

/** Where a page ended, in the database's own spelling: milliseconds would lose what lies between them. */
export type Position = readonly string[];

/** A position as clients hand it back in `after`. */
export const cursorOf = (sort: InboxSort, order: Direction, position: Position) =>
  Buffer.from(JSON.stringify([sort, order, ...position])).toString('base64url');

const shapes = {
  timestamptz: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/,
  bigint: /^\d{1,16}$/,
  real: /^[0-5](\.\d{1,8})?$/,
};

export function readCursor(cursor: string, sort: InboxSort, order: Direction): Position {
  const read = parse(cursor);
  const columns = sortColumns[sort];
  const [itsSort, itsOrder, ...position] = read;
  if (itsSort !== undefined && (itsSort !== sort || itsOrder !== order)) {
    throw invalidField('after', 'order', `after comes from a list with another order: give it with the same sort.`);
  }
  const fits =
    position.length === columns.length && columns.every(({ type }, index) => isOfType(type, position[index]));
  if (!fits) throw invalidField('after', 'cursor', 'after must be a value that an earlier page had in after.');
  return position as string[];
}

function isOfType(type: keyof typeof shapes, value: unknown): boolean {
  if (typeof value !== 'string' || !shapes[type].test(value)) return false;
  return type !== 'timestamptz' || !Number.isNaN(Date.parse(value.replace(' ', 'T').replace('+00', 'Z')));
}

function parse(cursor: string): unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}
