import type { DataPointFilter } from '../../api/api-types.ts';
import { defineFilters, type FilterSearch, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { day, flag, manyOf, text, texts, wholeNumbers } from '../../parts/search-params.ts';
import { useDirectoryOptions } from '../../parts/use-directories.ts';
import { t, tn } from '../../texts/t.ts';
import { datapointTypes, type sorts } from './inbox-values.ts';

/** Days are in the browser's time zone. */
const dayStart = (date: string) => new Date(`${date}T00:00:00`).getTime();
const dayEnd = (date: string) => new Date(`${date}T23:59:59.999`).getTime();

const yesNo = (field: 'isRead' | 'hasReply' | 'hasText' | 'flagged') =>
  ({
    param: flag,
    control: 'yesNo',
    label: t(`inbox.${field}.label`),
    any: t(`inbox.${field}.any`),
    useOptions: () => [
      { value: 'true', label: t(`inbox.${field}.yes`) },
      { value: 'false', label: t(`inbox.${field}.no`) },
    ],
  }) as const;

export const inboxFilters = defineFilters({
  query: {
    param: text,
    control: 'search',
    label: t('inbox.search'),
    id: 'inbox-search',
    flex: '1 1 9rem',
    apiParameter: 'query',
  },
  type: {
    param: manyOf(datapointTypes),
    control: 'choices',
    label: t('inbox.type'),
    any: t('inbox.allTypes'),
    useOptions: () => optionsOf('inbox.types', datapointTypes),
    flex: '1 1 8rem',
    miw: '8rem',
    apiParameter: 'types',
  },
  isRead: { ...yesNo('isRead'), flex: '0 1 11rem', apiParameter: 'isRead' },
  hasReply: { ...yesNo('hasReply'), flex: '0 1 13rem', apiParameter: 'hasReply' },
  directory: {
    param: texts,
    control: 'choices',
    label: t('inbox.directory'),
    any: t('listings.allDirectories'),
    useOptions: useDirectoryOptions,
    isSearchable: true,
    apiParameter: 'directoryTypes',
  },
  rating: {
    param: wholeNumbers,
    control: 'choices',
    label: t('inbox.rating'),
    any: t('inbox.allRatings'),
    useOptions: () => [5, 4, 3, 2, 1].map((value) => ({ value: String(value), label: tn('inbox.stars', value) })),
    apiParameter: 'rating',
  },
  location: {
    param: wholeNumbers,
    control: 'locations',
    label: t('inbox.location'),
    any: t('listings.allLocations'),
    apiParameter: 'locationIds',
  },
  business: {
    param: wholeNumbers,
    control: 'businesses',
    label: t('locations.business'),
    any: t('locations.allBusinesses'),
    apiParameter: 'businessIds',
  },
  label: {
    param: texts,
    control: 'labels',
    label: t('locations.labels'),
    any: t('locations.allLabels'),
    apiParameter: 'labels',
  },
  hasText: { ...yesNo('hasText'), apiParameter: 'hasText' },
  flagged: { ...yesNo('flagged'), apiParameter: 'flagged' },
  from: {
    param: day,
    control: 'day',
    label: t('inbox.from'),
    apiParameter: 'minActionDate',
    toApi: (from: string | undefined) => (from ? dayStart(from) : undefined),
    fromApi: dayOf,
  },
  until: {
    param: day,
    control: 'day',
    label: t('inbox.until'),
    apiParameter: 'maxActionDate',
    toApi: (until: string | undefined) => (until ? dayEnd(until) : undefined),
    fromApi: dayOf,
  },
} satisfies FiltersOf<'GET /api/data-points'>);

export interface InboxSearch extends FilterSearch<typeof inboxFilters.all> {
  sort?: (typeof sorts)[number] | undefined;
  open?: number | undefined;
}

const orders = {
  newest: {},
  oldest: { sort: 'threadActionDate', order: 'ASC' },
  best: { sort: 'rating', order: 'DESC' },
  worst: { sort: 'rating', order: 'ASC' },
} as const;

export const orderOf = ({ sort }: InboxSearch) => orders[sort ?? 'newest'];

/** The search of a saved filter. */
export function searchOf(saved: DataPointFilter): InboxSearch {
  const rating = saved.rating ?? ratingsBetween(saved.minRating, saved.maxRating);
  return inboxFilters.searchOf({ ...saved, rating });
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
