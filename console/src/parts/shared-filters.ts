import { t } from '../texts/t.ts';
import type { Filter } from './filters.ts';
import { texts, wholeNumbers } from './search-params.ts';
import { useDirectoryOptions } from './use-directories.ts';

/** Filters of several pages. */
export const locationFilter = {
  param: wholeNumbers,
  control: 'locations',
  label: t('parts.filters.location'),
  any: t('parts.filters.allLocations'),
  apiParameter: 'locationIds',
} as const satisfies Filter;

export const businessFilter = {
  param: wholeNumbers,
  control: 'businesses',
  label: t('parts.filters.business'),
  any: t('parts.filters.allBusinesses'),
  apiParameter: 'businessIds',
} as const satisfies Filter;

export const labelFilter = {
  param: texts,
  control: 'labels',
  label: t('parts.filters.labels'),
  any: t('parts.filters.allLabels'),
  apiParameter: 'labels',
} as const satisfies Filter;

export const directoryFilter = {
  param: texts,
  control: 'choices',
  label: t('parts.filters.directory'),
  any: t('parts.filters.allDirectories'),
  useOptions: useDirectoryOptions,
  isSearchable: true,
  apiParameter: 'directoryTypes',
} as const satisfies Filter;
