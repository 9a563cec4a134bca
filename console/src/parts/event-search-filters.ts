import { t } from '../texts/t.ts';
import type { Filter } from './filters.ts';
import { text } from './search-params.ts';
import { businessFilter, directoryFilter, locationFilter } from './shared-filters.ts';

/** Filters of lists by the content of events. */
export const eventSearchFilters = {
  location: { ...locationFilter, flex: '1 1 14rem' },
  business: { ...businessFilter, flex: '1 1 14rem' },
  directory: { ...directoryFilter, flex: '1 1 14rem' },
  field: {
    param: text,
    control: 'search',
    label: t('parts.eventSearch.field'),
    flex: '1 1 16rem',
    apiParameter: 'filter',
    toApi: (typed: string | undefined) => fieldFilter(typed),
  },
} as const satisfies Record<string, Filter>;

/** `updateResult=FAILURE` as a filter; undefined while it is incomplete. Several values are separated by commas. */
export function fieldFilter(typed: string | undefined): string | undefined {
  const [field = '', ...rest] = (typed ?? '').split('=');
  const values = rest.join('=');
  const read = values.split(',').flatMap((value) => (value.trim() ? [readValue(value.trim())] : []));
  return field.trim() && read.length > 0 ? JSON.stringify({ field: field.trim(), in: read }) : undefined;
}

/** Numbers, true, false, null and quoted texts as in JSON; other texts need no quotes. */
function readValue(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

export const contentFilters = Object.keys(eventSearchFilters) as (keyof typeof eventSearchFilters)[];
