import { MultiSelect, TagsInput } from '@mantine/core';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { BusinessesChoice, LabelsChoice, LocationsChoice } from '../../parts/searched-choice.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { countryName, type LocationStatus, locationStatuses } from './location-values.ts';

export interface LocationSearch {
  query?: string;
  business?: number[];
  status?: LocationStatus[];
  label?: string[];
  city?: string[];
  country?: string[];
  location?: number[];
}

export const noFilters = {
  query: undefined,
  business: undefined,
  status: undefined,
  label: undefined,
  city: undefined,
  country: undefined,
  location: undefined,
};

const filtersSet = (search: LocationSearch): number =>
  Object.keys(noFilters).filter((name) => search[name as keyof LocationSearch] !== undefined).length;

export const isFiltered = (search: LocationSearch): boolean => filtersSet(search) > 0;

export const filterQuery = ({ query, business, status, label, city, country, location }: LocationSearch) => ({
  query,
  businessIds: business,
  status,
  labels: label,
  city,
  country,
  ids: location,
});

interface Props {
  search: LocationSearch;
  onChange: (change: { [Name in keyof LocationSearch]?: LocationSearch[Name] | undefined }) => void;
  /** Countries to offer. */
  countries: readonly string[];
}

const someOf = <T,>(values: T[]) => (values.length > 0 ? values : undefined);

export function LocationFilters({ search, onChange, countries }: Props) {
  const { query, business, status, label, city, country, location } = search;
  const offered = [...new Set([...countries, ...(country ?? [])])].map((code) => ({
    value: code,
    label: countryName(code),
  }));
  return (
    <FoldedFilters
      count={filtersSet({ ...search, query: undefined } as LocationSearch)}
      first={
        <SearchField
          label={t('locations.search')}
          value={query}
          onChange={(value) => onChange({ query: value })}
          flex="1 1 16rem"
        />
      }
    >
      {location && (
        <LocationsChoice
          aria-label={t('listings.location')}
          value={location}
          onChange={(value) => onChange({ location: value })}
          flex="1 1 11rem"
        />
      )}
      <BusinessesChoice
        aria-label={t('locations.business')}
        placeholder={t('locations.allBusinesses')}
        value={business}
        onChange={(value) => onChange({ business: value })}
        flex="1 1 11rem"
      />
      <MultiSelect
        aria-label={t('locations.status')}
        placeholder={status ? undefined : t('locations.allStatuses')}
        data={locationStatuses.map((value) => ({ value, label: textOrWords('locations.statuses', value) }))}
        value={status ?? []}
        onChange={(values) => onChange({ status: someOf(values as LocationStatus[]) })}
        clearable
        flex="1 1 9rem"
      />
      <LabelsChoice
        aria-label={t('locations.labels')}
        placeholder={t('locations.allLabels')}
        value={label}
        onChange={(value) => onChange({ label: value })}
        flex="1 1 9rem"
      />
      <TagsInput
        aria-label={t('locations.city')}
        placeholder={city ? undefined : t('locations.allCities')}
        value={city ?? []}
        onChange={(values) => onChange({ city: someOf(values) })}
        clearable
        flex="1 1 8rem"
      />
      <MultiSelect
        aria-label={t('locations.country')}
        placeholder={country ? undefined : t('locations.allCountries')}
        data={offered}
        value={country ?? []}
        onChange={(values) => onChange({ country: someOf(values) })}
        clearable
        searchable
        flex="1 1 9rem"
      />
    </FoldedFilters>
  );
}
