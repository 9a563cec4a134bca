import type { DataPointFilter, NewDataPointFilter } from '../../api/api-types.ts';
import type { ResponseOf } from '../../api/call.ts';
import type { Tone } from '../../parts/status-badge.tsx';

export type Datapoint = ResponseOf<'PATCH /api/data-points/{id}'>;
export type ListedDatapoint = ResponseOf<'GET /api/data-points'>['inbox']['dataPoints'][number];
export type Reply = Datapoint['replies'][number];

export const datapointTypes = [
  'REVIEW',
  'QUESTION',
  'COMMENT',
  'CONVERSATION',
  'PHOTO',
  'CHECKIN',
] as const satisfies readonly Datapoint['type'][];

export const sorts = ['oldest', 'best', 'worst'] as const;

export const replyTones: Record<Reply['status'], Tone> = {
  PENDING_APPROVAL: 'warning',
  SCHEDULED: 'busy',
  SENDING: 'busy',
  PUBLISHED: 'good',
  FAILED: 'bad',
  DELETED: 'neutral',
};

export interface InboxSearch {
  query?: string;
  type?: Datapoint['type'][];
  directory?: string[];
  rating?: number[];
  isRead?: boolean;
  hasReply?: boolean;
  hasText?: boolean;
  flagged?: boolean;
  from?: string;
  until?: string;
  location?: number[];
  business?: number[];
  label?: string[];
  sort?: (typeof sorts)[number];
  open?: number;
}

export type InboxChange = { [Name in keyof InboxSearch]?: InboxSearch[Name] | undefined };

export const noFilters = {
  query: undefined,
  type: undefined,
  directory: undefined,
  rating: undefined,
  isRead: undefined,
  hasReply: undefined,
  hasText: undefined,
  flagged: undefined,
  from: undefined,
  until: undefined,
  location: undefined,
  business: undefined,
  label: undefined,
} satisfies InboxChange;

export const filtersSet = (search: InboxSearch): number =>
  Object.keys(noFilters).filter((name) => search[name as keyof InboxSearch] !== undefined).length;

const dayStart = (day: string) => new Date(`${day}T00:00:00`).getTime();
const dayEnd = (day: string) => new Date(`${day}T23:59:59.999`).getTime();

/** Filters as API parameters. Days are in the browser's time zone. */
export function filterOf(search: InboxSearch): Omit<NewDataPointFilter, 'name'> {
  const { query, type, directory, rating, isRead, hasReply, hasText, flagged, from, until } = search;
  return defined({
    query,
    types: type,
    directoryTypes: directory,
    rating,
    isRead,
    hasReply,
    hasText,
    flagged,
    minActionDate: from ? dayStart(from) : undefined,
    maxActionDate: until ? dayEnd(until) : undefined,
    locationIds: search.location,
    businessIds: search.business,
    labels: search.label,
  });
}

const orders = {
  newest: {},
  oldest: { sort: 'threadActionDate', order: 'ASC' },
  best: { sort: 'rating', order: 'DESC' },
  worst: { sort: 'rating', order: 'ASC' },
} as const;

export const orderOf = ({ sort }: InboxSearch) => orders[sort ?? 'newest'];

export function searchOf(filter: DataPointFilter): InboxChange {
  return {
    ...noFilters,
    query: filter.query,
    type: filter.types,
    directory: filter.directoryTypes,
    rating: filter.rating ?? ratingsBetween(filter.minRating, filter.maxRating),
    isRead: filter.isRead ?? undefined,
    hasReply: filter.hasReply ?? undefined,
    hasText: filter.hasText ?? undefined,
    flagged: filter.flagged,
    from: dayOf(filter.minActionDate),
    until: dayOf(filter.maxActionDate),
    location: filter.locationIds,
    business: filter.businessIds,
    label: filter.labels,
  };
}

function ratingsBetween(least: number | undefined, most: number | undefined): number[] | undefined {
  if (least === undefined && most === undefined) return undefined;
  return [0, 1, 2, 3, 4, 5].filter((rating) => rating >= (least ?? 0) && rating <= (most ?? 5));
}

function dayOf(moment: number | undefined): string | undefined {
  if (moment === undefined) return undefined;
  const date = new Date(moment);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function defined<T extends object>(values: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
