import type { DataPointFilter } from '../../api/api-types.ts';
import { endOfDay, localDay, startOfDay } from '../../parts/days.ts';
import { defineFilters, type FilterSearch, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { day, flag, manyOf, text, wholeNumbers } from '../../parts/search-params.ts';
import { businessFilter, directoryFilter, labelFilter, locationFilter } from '../../parts/shared-filters.ts';
import { t, tn } from '../../texts/t.ts';
import { datapointTypes, type sorts } from './inbox-values.ts';

const dayOf = (moment: number | undefined) => moment && localDay(new Date(moment));

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
  directory: directoryFilter,
  rating: {
    param: wholeNumbers,
    control: 'choices',
    label: t('inbox.rating'),
    any: t('inbox.allRatings'),
    useOptions: () => [5, 4, 3, 2, 1].map((value) => ({ value: String(value), label: tn('inbox.stars', value) })),
    apiParameter: 'rating',
  },
  location: locationFilter,
  business: businessFilter,
  label: labelFilter,
  hasText: { ...yesNo('hasText'), apiParameter: 'hasText' },
  flagged: { ...yesNo('flagged'), apiParameter: 'flagged' },
  from: {
    param: day,
    control: 'day',
    label: t('inbox.from'),
    apiParameter: 'minActionDate',
    toApi: (from: string | undefined) => (from ? startOfDay(from).getTime() : undefined),
    fromApi: dayOf,
  },
  until: {
    param: day,
    control: 'day',
    label: t('inbox.until'),
    apiParameter: 'maxActionDate',
    toApi: (until: string | undefined) => (until ? endOfDay(until).getTime() : undefined),
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
