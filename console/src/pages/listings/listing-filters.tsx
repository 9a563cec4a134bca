import { MultiSelect, Select } from '@mantine/core';
import { FoldedFilters } from '../../parts/folded-filters.tsx';
import { BusinessesChoice, LocationsChoice } from '../../parts/searched-choice.tsx';
import { useDirectories } from '../../parts/use-directories.ts';
import { t, textOrWords } from '../../texts/t.ts';
import {
  type ClaimStatus,
  type ConnectStatus,
  claimStatuses,
  connectStatuses,
  type FlowStatus,
  flowStatuses,
  type SyncStatus,
  syncStatuses,
} from './listing-values.ts';

export interface ListingSearch {
  directory?: string[];
  sync?: SyncStatus[];
  flow?: FlowStatus[];
  claim?: ClaimStatus[];
  connect?: ConnectStatus[];
  business?: number[];
  location?: number[];
  duplicates?: boolean;
}

type Change = { [Name in keyof ListingSearch]?: ListingSearch[Name] | undefined };

export const noFilters = {
  directory: undefined,
  sync: undefined,
  flow: undefined,
  claim: undefined,
  connect: undefined,
  business: undefined,
  location: undefined,
  duplicates: undefined,
};

const filtersSet = (search: ListingSearch): number =>
  Object.keys(noFilters).filter((name) => search[name as keyof ListingSearch] !== undefined).length;

export const isFiltered = (search: ListingSearch): boolean => filtersSet(search) > 0;

const someOf = <T,>(values: T[]) => (values.length > 0 ? values : undefined);

interface ManyProps<Value extends string> {
  label: string;
  all: string;
  data: readonly { value: Value; label: string }[];
  value: Value[] | undefined;
  onChange: (values: Value[] | undefined) => void;
}

function Many<Value extends string>({ label, all, data, value, onChange }: ManyProps<Value>) {
  return (
    <MultiSelect
      aria-label={label}
      placeholder={value ? undefined : all}
      data={data}
      value={value ?? []}
      onChange={(values) => onChange(someOf(values as Value[]))}
      clearable
      searchable
      flex="1 1 12rem"
      miw="9rem"
    />
  );
}

export function ListingFilters({ search, onChange }: { search: ListingSearch; onChange: (change: Change) => void }) {
  const directories = useDirectories();
  const { directory, sync, flow, claim, connect, business, location, duplicates } = search;
  const labelled = <Value extends string>(stem: string, values: readonly Value[]) =>
    values.map((value) => ({ value, label: textOrWords(stem, value) }));
  return (
    <FoldedFilters
      count={filtersSet({ ...search, location: undefined } as ListingSearch)}
      first={
        <LocationsChoice
          aria-label={t('listings.location')}
          placeholder={t('listings.allLocations')}
          value={location}
          onChange={(value) => onChange({ location: value })}
          flex="1 1 12rem"
          miw="9rem"
        />
      }
    >
      <BusinessesChoice
        aria-label={t('locations.business')}
        placeholder={t('locations.allBusinesses')}
        value={business}
        onChange={(value) => onChange({ business: value })}
        flex="1 1 12rem"
        miw="9rem"
      />
      <Many
        label={t('listings.directory')}
        all={t('listings.allDirectories')}
        data={directories.map(({ type, name }) => ({ value: type, label: name }))}
        value={directory}
        onChange={(value) => onChange({ directory: value })}
      />
      <Many
        label={t('listings.syncStatus')}
        all={t('listings.allSync')}
        data={labelled('listings.sync', syncStatuses)}
        value={sync}
        onChange={(value) => onChange({ sync: value })}
      />
      <Many
        label={t('listings.flowStatus')}
        all={t('listings.allFlow')}
        data={labelled('listings.flow', flowStatuses)}
        value={flow}
        onChange={(value) => onChange({ flow: value })}
      />
      <Many
        label={t('listings.claimStatus')}
        all={t('listings.allClaim')}
        data={labelled('listings.claim', claimStatuses)}
        value={claim}
        onChange={(value) => onChange({ claim: value })}
      />
      <Many
        label={t('listings.connectStatus')}
        all={t('listings.allConnect')}
        data={labelled('listings.connect', connectStatuses)}
        value={connect}
        onChange={(value) => onChange({ connect: value })}
      />
      <Select
        aria-label={t('listings.duplicates')}
        placeholder={t('listings.withDuplicates')}
        data={[
          { value: 'true', label: t('listings.onlyDuplicates') },
          { value: 'false', label: t('listings.noDuplicates') },
        ]}
        value={duplicates === undefined ? null : String(duplicates)}
        onChange={(value) => onChange({ duplicates: value === null ? undefined : value === 'true' })}
        clearable
        flex="1 1 12rem"
        miw="9rem"
      />
    </FoldedFilters>
  );
}
