import { defineFilters, type FilterSearch, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { manyOf, text, texts } from '../../parts/search-params.ts';
import { businessFilter, labelFilter, locationFilter } from '../../parts/shared-filters.ts';
import { t } from '../../texts/t.ts';
import { countryCodes } from './countries.ts';
import { countryName, locationStatuses } from './location-values.ts';

export const locationFilters = defineFilters({
  query: {
    param: text,
    control: 'search',
    label: t('locations.search'),
    flex: '1 1 16rem',
    isFirst: true,
    apiParameter: 'query',
  },
  location: {
    ...locationFilter,
    flex: '1 1 11rem',
    isShown: ({ location }) => location !== undefined,
    apiParameter: 'ids',
  },
  business: { ...businessFilter, flex: '1 1 11rem' },
  status: {
    param: manyOf(locationStatuses),
    control: 'choices',
    label: t('locations.status'),
    any: t('locations.allStatuses'),
    useOptions: () => optionsOf('locations.statuses', locationStatuses),
    flex: '1 1 9rem',
    apiParameter: 'status',
  },
  label: { ...labelFilter, flex: '1 1 9rem' },
  city: {
    param: texts,
    control: 'tags',
    label: t('locations.city'),
    any: t('locations.allCities'),
    flex: '1 1 8rem',
    apiParameter: 'city',
  },
  country: {
    param: texts,
    control: 'choices',
    label: t('locations.country'),
    any: t('locations.allCountries'),
    useOptions: (chosen) =>
      [...new Set([...countryCodes(), ...chosen])].map((code) => ({ value: code, label: countryName(code) })),
    isSearchable: true,
    flex: '1 1 9rem',
    apiParameter: 'country',
  },
} satisfies FiltersOf<'GET /api/locations'>);

export type LocationSearch = FilterSearch<typeof locationFilters.all>;
