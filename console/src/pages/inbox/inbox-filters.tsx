import { Button, Collapse, Group, MultiSelect, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';
import { SearchField } from '../../parts/search-field.tsx';
import { BusinessesChoice, LabelsChoice, LocationsChoice } from '../../parts/searched-choice.tsx';
import { useDirectories } from '../../parts/use-directories.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { datapointTypes, filtersSet, type InboxChange, type InboxSearch } from './inbox-values.ts';

interface Props {
  search: InboxSearch;
  onChange: (change: InboxChange) => void;
  onClear: () => void;
}

const someOf = <T,>(values: T[]) => (values.length > 0 ? values : undefined);

export function InboxFilters({ search, onChange, onClear }: Props) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const outside = { query: undefined, ...(!isNarrow && { isRead: undefined, hasReply: undefined, type: undefined }) };
  const count = filtersSet({ ...search, ...outside } as InboxSearch);
  return (
    <div>
      <Group gap="sm" align="start" mb="sm">
        <SearchField
          id="inbox-search"
          label={t('inbox.search')}
          value={search.query}
          onChange={(query) => onChange({ query })}
          flex="1 1 9rem"
        />
        {!isNarrow && <QuickFilters search={search} onChange={onChange} />}
        <Button
          variant="default"
          leftSection={<SlidersHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {count > 0 ? tn('inbox.moreFiltersSet', count) : t('inbox.moreFilters')}
        </Button>
        {filtersSet(search) > 0 && (
          <Button variant="subtle" onClick={onClear}>
            {t('parts.list.clearFilters')}
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        {isNarrow && (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
            <QuickFilters search={search} onChange={onChange} />
          </SimpleGrid>
        )}
        <MoreFilters search={search} onChange={onChange} />
      </Collapse>
    </div>
  );
}

/** On narrow screens these are collapsed with the other filters. */
function QuickFilters({ search, onChange }: Omit<Props, 'onClear'>) {
  return (
    <>
      <MultiSelect
        aria-label={t('inbox.type')}
        placeholder={search.type ? undefined : t('inbox.allTypes')}
        data={datapointTypes.map((value) => ({ value, label: textOrWords('inbox.types', value) }))}
        value={search.type ?? []}
        onChange={(values) => onChange({ type: someOf(values as (typeof datapointTypes)[number][]) })}
        clearable
        flex="1 1 8rem"
        miw="8rem"
      />
      <YesNo field="isRead" search={search} onChange={onChange} />
      <YesNo field="hasReply" search={search} onChange={onChange} />
    </>
  );
}

function MoreFilters({ search, onChange }: Omit<Props, 'onClear'>) {
  const directories = useDirectories();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" mb="md">
      <MultiSelect
        label={t('inbox.directory')}
        placeholder={search.directory ? undefined : t('listings.allDirectories')}
        data={directories.map(({ type, name }) => ({ value: type, label: name }))}
        value={search.directory ?? []}
        onChange={(values) => onChange({ directory: someOf(values) })}
        searchable
        clearable
      />
      <MultiSelect
        label={t('inbox.rating')}
        placeholder={search.rating ? undefined : t('inbox.allRatings')}
        data={[5, 4, 3, 2, 1].map((value) => ({ value: String(value), label: tn('inbox.stars', value) }))}
        value={(search.rating ?? []).map(String)}
        onChange={(values) => onChange({ rating: someOf(values.map(Number)) })}
        clearable
      />
      <LocationsChoice
        label={t('inbox.location')}
        placeholder={t('listings.allLocations')}
        value={search.location}
        onChange={(location) => onChange({ location })}
      />
      <BusinessesChoice
        label={t('locations.business')}
        placeholder={t('locations.allBusinesses')}
        value={search.business}
        onChange={(business) => onChange({ business })}
      />
      <LabelsChoice
        label={t('locations.labels')}
        placeholder={t('locations.allLabels')}
        value={search.label}
        onChange={(label) => onChange({ label })}
      />
      <YesNo field="hasText" search={search} onChange={onChange} isLabelled />
      <YesNo field="flagged" search={search} onChange={onChange} isLabelled />
      <Select
        label={t('inbox.sort')}
        data={(['newest', 'oldest', 'best', 'worst'] as const).map((value) => ({
          value,
          label: t(`inbox.sorts.${value}`),
        }))}
        value={search.sort ?? 'newest'}
        onChange={(value) => onChange({ sort: value === 'newest' ? undefined : (value as InboxSearch['sort']) })}
      />
      <TextInput
        type="date"
        label={t('inbox.from')}
        value={search.from ?? ''}
        onChange={(event) => onChange({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={t('inbox.until')}
        value={search.until ?? ''}
        onChange={(event) => onChange({ until: event.currentTarget.value || undefined })}
      />
    </SimpleGrid>
  );
}

interface YesNoProps extends Omit<Props, 'onClear'> {
  field: 'isRead' | 'hasReply' | 'hasText' | 'flagged';
  isLabelled?: boolean;
}

function YesNo({ field, search, onChange, isLabelled = false }: YesNoProps) {
  const label = t(`inbox.${field}.label`);
  const value = search[field];
  return (
    <Select
      {...(isLabelled ? { label } : { 'aria-label': label })}
      placeholder={t(`inbox.${field}.any`)}
      data={[
        { value: 'true', label: t(`inbox.${field}.yes`) },
        { value: 'false', label: t(`inbox.${field}.no`) },
      ]}
      value={value === undefined ? null : String(value)}
      onChange={(next) => onChange({ [field]: next === null ? undefined : next === 'true' })}
      clearable
      flex={isLabelled ? undefined : '0 1 11rem'}
    />
  );
}
