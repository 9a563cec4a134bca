import { raw } from '../../../database/query-builder.ts';
import type { Direction } from '../../../http/pagination.ts';
import { invalidField } from '../../../problems.ts';
import type { Datapoint } from './datapoint.ts';
import { otherColumns, timeColumns } from './datapoint-store.ts';

const id = { column: 'id', type: 'bigint' } as const;
const threadActionDate = { column: 'threadActionDate', type: 'timestamptz' } as const;

/** The id comes last to make the order total. */
export const sortColumns = {
  threadActionDate: [threadActionDate, id],
  actionDate: [{ column: 'actionDate', type: 'timestamptz' }, id],
  rating: [{ column: 'rating', type: 'real' }, threadActionDate, id],
} as const;

export type InboxSort = keyof typeof sortColumns;
export const inboxSorts = Object.keys(sortColumns) as InboxSort[];

/** Sort values of the last row of a page, as PostgreSQL text: a JavaScript date would lose microseconds. */
export type Position = readonly string[];

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
  const [cursorSort, cursorOrder, ...position] = read;
  if (cursorSort !== undefined && (cursorSort !== sort || cursorOrder !== order)) {
    throw invalidField(
      'after',
      'order',
      'after belongs to a list with another order. Use the same sort and order as for the previous page.',
    );
  }
  const fits =
    position.length === columns.length && columns.every(({ type }, index) => isOfType(type, position[index]));
  if (!fits) throw invalidField('after', 'cursor', 'after must be the value of after in an earlier response.');
  return position as string[];
}

function isOfType(type: keyof typeof shapes, value: unknown): boolean {
  if (typeof value !== 'string' || !shapes[type].test(value)) return false;
  return type !== 'timestamptz' || isExistingTime(value);
}

/** JavaScript accepts 30 February and the year 0; PostgreSQL rejects them. */
function isExistingTime(value: string): boolean {
  const moment = new Date(value.replace(' ', 'T').replace('+00', 'Z'));
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1) return false;
  return moment.toISOString().slice(0, 10) === value.slice(0, 10);
}

function parse(cursor: string): unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

type Time = (typeof timeColumns)[number];

/**
 * A datapoint of a page. Its times are PostgreSQL text: a JavaScript date loses the microseconds of the position, and
 * takes 2 µs to parse and format.
 */
export type InboxEntry = Omit<Datapoint, Time> & Record<Time, string>;

export const entryColumns = [
  ...otherColumns,
  ...timeColumns.map((time) => raw<string>`${raw.ref(`datapoints.${time}`)}::text`.as<Time>(time)),
];

export const positionOf = (sort: InboxSort, entry: InboxEntry): Position =>
  sortColumns[sort].map(({ column }) => String(entry[column]));

export const withIsoTimes = (entry: InboxEntry): InboxEntry => ({
  ...entry,
  actionDate: isoTime(entry.actionDate),
  threadActionDate: isoTime(entry.threadActionDate),
  dateCreated: isoTime(entry.dateCreated),
  lastUpdated: isoTime(entry.lastUpdated),
});

/** Converts `2026-07-13 08:30:00.25+00` to `2026-07-13T08:30:00.250Z`. */
function isoTime(text: string): string {
  const milliseconds = text.slice(20, -3).slice(0, 3).padEnd(3, '0');
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`;
}
