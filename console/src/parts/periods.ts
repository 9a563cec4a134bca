import { t } from '../texts/t.ts';
import { type Filters, optionsOf } from './filters.ts';
import { oneOf, text } from './search-params.ts';

export const ranges = ['1h', '24h', '7d', '30d'] as const;
const periods = ['1h', '24h', '7d', '30d', 'own'] as const;

export type Range = (typeof ranges)[number];

const hourMs = 3_600_000;
export const rangeMs: Record<Range, number> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '30d': 720 * hourMs,
};

type Search = Readonly<Record<string, unknown>>;

const isOwnPeriod = ({ period }: Search) => period === 'own';

/** `since` and `until` belong to the period "own"; the other periods end now. */
export const periodFilters = {
  period: {
    param: oneOf(periods),
    control: 'choiceOrAny',
    label: t('webhook.deliveries.period'),
    any: t('webhook.deliveries.periods.any'),
    useOptions: () => optionsOf('webhook.deliveries.periods', periods),
    flex: '0 1 11rem',
    resets: ['since', 'until'],
  },
  since: {
    param: text,
    control: 'dateTime',
    label: t('webhook.deliveries.from'),
    flex: '0 1 13rem',
    isShown: isOwnPeriod,
    apiParameter: 'since',
    toApi: (since: string | undefined, search: Search) => {
      const range = ranges.find((one) => one === search.period);
      if (range) return new Date(Date.now() - rangeMs[range]).toISOString();
      return isOwnPeriod(search) ? momentOf(since) : undefined;
    },
  },
  until: {
    param: text,
    control: 'dateTime',
    label: t('webhook.deliveries.to'),
    flex: '0 1 13rem',
    isShown: isOwnPeriod,
    apiParameter: 'until',
    toApi: (until: string | undefined, search: Search) => (isOwnPeriod(search) ? momentOf(until) : undefined),
  },
} as const satisfies Filters;

/** Parses a date input such as 2026-11-15T09:30. */
export function momentOf(local: string | undefined): string | undefined {
  const moment = new Date(local ?? '');
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** An unreadable date is sent as it is: the API rejects it at its field. */
export const momentOrText = (local: string): string => momentOf(local) ?? local;

/** Formats for a date input. */
export function localText(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
