import { t } from '../texts/t.ts';
import type { Filter } from './filters.ts';
import { text, texts, wholeNumbers } from './search-params.ts';
import { useDirectoryOptions } from './use-directories.ts';

/** Filters of lists by the content of events. */
export const eventSearchFilters = {
  location: {
    param: wholeNumbers,
    control: 'locations',
    label: t('parts.eventSearch.location'),
    any: t('parts.eventSearch.allLocations'),
    flex: '1 1 14rem',
    apiParameter: 'locationIds',
  },
  business: {
    param: wholeNumbers,
    control: 'businesses',
    label: t('parts.eventSearch.business'),
    any: t('parts.eventSearch.allBusinesses'),
    flex: '1 1 14rem',
    apiParameter: 'businessIds',
  },
  directory: {
    param: texts,
    control: 'choices',
    label: t('parts.eventSearch.directory'),
    any: t('parts.eventSearch.allDirectories'),
    useOptions: useDirectoryOptions,
    isSearchable: true,
    flex: '1 1 14rem',
    apiParameter: 'directoryTypes',
  },
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
