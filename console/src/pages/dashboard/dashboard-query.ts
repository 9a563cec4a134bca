import { daysAfter, daysBetween, today } from '../../parts/days.ts';
import { defineFilters, type FilterSearch } from '../../parts/filters.ts';
import { text } from '../../parts/search-params.ts';
import { businessFilter, labelFilter, locationFilter } from '../../parts/shared-filters.ts';
import { t } from '../../texts/t.ts';

export const presets = [7, 30, 90, 365] as const;
export const groups = ['DAY', 'WEEK', 'MONTH'] as const;
export type Group = (typeof groups)[number];

const flex = '1 1 8.5rem';

export const dashboardFilters = defineFilters({
  business: { ...businessFilter, label: t('dashboard.businesses'), flex },
  label: { ...labelFilter, flex },
  location: { ...locationFilter, label: t('dashboard.locations'), flex },
  text: { param: text, control: 'search', label: t('dashboard.text'), flex, apiParameter: 'textFilter' },
});

export interface DashboardSearch extends FilterSearch<typeof dashboardFilters.all> {
  days?: (typeof presets)[number];
  start?: string;
  end?: string;
  group?: Group;
  directory?: string;
  metric?: string[];
}

export interface Span {
  startDate: string;
  endDate: string;
}

export interface DashboardQuery {
  scope: ReturnType<typeof dashboardFilters.query>;
  span: Span;
  /** The preceding period of the same length. */
  before: Span;
  group: Group;
}

/** Undefined if the end is before the start. */
export function queryOf(search: DashboardSearch): DashboardQuery | undefined {
  const span = spanOf(search);
  if (span.startDate > span.endDate) return undefined;
  const length = daysBetween(span.startDate, span.endDate) + 1;
  return {
    scope: dashboardFilters.query(search),
    span,
    before: { startDate: daysAfter(span.startDate, -length), endDate: daysAfter(span.endDate, -length) },
    group: search.group ?? usualGroup(length),
  };
}

function spanOf({ days = 30, start, end }: DashboardSearch): Span {
  const yesterday = daysAfter(today(), -1);
  const endDate = end ?? yesterday;
  return { startDate: start ?? daysAfter(endDate, 1 - days), endDate };
}

/** At most about 30 points stay readable. */
const usualGroup = (days: number): Group => (days <= 45 ? 'DAY' : days <= 190 ? 'WEEK' : 'MONTH');

const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthAndYear = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** Axis labels: "3 Nov", "Nov 2026". The chart library also calls this without a date. */
export const periodText =
  (group: Group) =>
  (period: string): string => {
    const moment = new Date(`${period}T00:00:00Z`);
    return Number.isNaN(moment.getTime()) ? '' : (group === 'MONTH' ? monthAndYear : dayAndMonth).format(moment);
  };
