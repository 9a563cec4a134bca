import { raw } from '../../../database/query-builder.ts';
import type { Datapoint } from './datapoint.ts';
import { datapointColumns } from './datapoint-store.ts';
import { type InboxSort, type Position, sortColumns } from './inbox-order.ts';

const times = ['actionDate', 'threadActionDate', 'dateCreated', 'lastUpdated'] as const;
type Time = (typeof times)[number];
type ColumnName = (typeof datapointColumns)[number];

/**
 * A datapoint of a page. Its times are PostgreSQL text: a JavaScript date loses the microseconds of the position, and
 * takes 2 µs to parse and format.
 */
export type InboxEntry = Omit<Datapoint, Time> & Record<Time, string>;

const isTime = (name: ColumnName): name is `datapoints.${Time}` => times.some((time) => name === `datapoints.${time}`);

const otherColumns = datapointColumns.filter(
  (name): name is Exclude<ColumnName, `datapoints.${Time}`> => !isTime(name),
);

export const entryColumns = [
  ...otherColumns,
  ...times.map((time) => raw<string>`${raw.ref(`datapoints.${time}`)}::text`.as<Time>(time)),
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
