import { MultiSelect, Select, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ComponentType, type ReactNode, useState } from 'react';
import { t } from '../texts/t.ts';
import { DateTimeInput } from './date-time-input.tsx';
import type { Filter, FilterControl, FilterSearch, FilterSet, Filters, Option } from './filters.ts';
import { FoldedFilters } from './folded-filters.tsx';
import { SearchField } from './search-field.tsx';
import { BusinessesChoice, LabelsChoice, LocationsChoice } from './searched-choice.tsx';
import { ownTimeZone } from './time-text.ts';

interface Props<All extends Filters> {
  filters: FilterSet<All>;
  search: FilterSearch<All>;
  onChange: (change: FilterSearch<All>) => void;
  /** Default: all filters. */
  only?: readonly (keyof All & string)[];
  /** Whether labels are visible. Otherwise they are for screen readers. */
  isLabelled?: boolean;
}

export function FilterControls<All extends Filters>({
  filters,
  search,
  onChange,
  only,
  isLabelled = false,
}: Props<All>) {
  return (only ?? filters.names).map((name) => {
    const filter: Filter = filters.all[name] as Filter;
    if (!filter.control || filter.isShown?.(search) === false) return null;
    const Control = controls[filter.control];
    const reset = Object.fromEntries((filter.resets ?? []).map((other) => [other, undefined]));
    return (
      <Control
        key={name}
        filter={filter}
        value={search[name]}
        isLabelled={isLabelled}
        onChange={(given) => onChange({ ...reset, [name]: filter.param(given) } as FilterSearch<All>)}
      />
    );
  });
}

interface FoldedProps<All extends Filters> extends Omit<Props<All>, 'only' | 'isLabelled'> {
  /** Shown before the filters, also on narrow screens. */
  before?: ReactNode;
}

/** A row of filters that folds on narrow screens, except those with `isFirst`. */
export function FilterRow<All extends Filters>({ before, ...props }: FoldedProps<All>) {
  const { filters, search } = props;
  const first = filters.names.filter((name) => filters.all[name]?.isFirst);
  const rest = filters.names.filter((name) => !first.includes(name));
  return (
    <FoldedFilters
      count={filters.count(search, rest)}
      first={
        <>
          {before}
          <FilterControls {...props} only={first} />
        </>
      }
    >
      <FilterControls {...props} only={rest} />
    </FoldedFilters>
  );
}

interface ControlProps {
  filter: Filter;
  // biome-ignore lint/suspicious/noExplicitAny: the filter's `param` has read it
  value: any;
  isLabelled: boolean;
  /** The filter's `param` reads the value. */
  onChange: (given: unknown) => void;
}

const controls: Record<FilterControl, ComponentType<ControlProps>> = {
  search: ({ filter: { id, label, flex }, value, onChange }) => (
    <SearchField id={id} label={label} value={value} onChange={onChange} flex={flex} />
  ),
  number: ({ filter: { label, flex }, value, onChange }) => (
    <SearchField
      label={label}
      inputMode="numeric"
      value={value === undefined ? undefined : String(value)}
      onChange={(typed) => onChange(typed && /^\d{1,16}$/.test(typed) ? typed : undefined)}
      flex={flex}
    />
  ),
  choices: (props) => {
    const value: string[] = (props.value ?? []).map(String);
    return (
      <MultiSelect
        {...inputOf(props)}
        placeholder={props.value ? undefined : props.filter.any}
        data={useOptionsOf(props.filter, value)}
        value={value}
        onChange={props.onChange}
        searchable={props.filter.isSearchable ?? false}
        clearable
      />
    );
  },
  choice: (props) => {
    const chosen: string[] = [props.value ?? []].flat();
    const [typed, setTyped] = useState('');
    const [settled] = useDebouncedValue(typed.trim(), 250);
    const { isSearchable = false, searchesOptions = false } = props.filter;
    return (
      <Select
        {...inputOf(props)}
        placeholder={props.filter.any}
        // The control also reports the label of the chosen option as typed.
        data={useOptionsOf(props.filter, chosen, isSearchable ? settled : '')}
        value={chosen[0] ?? null}
        onChange={props.onChange}
        searchable={isSearchable}
        searchValue={typed}
        onSearchChange={setTyped}
        nothingFoundMessage={isSearchable && t('parts.choice.none')}
        {...(searchesOptions && { filter: ({ options }) => options })}
        clearable
      />
    );
  },
  choiceOrAny: (props) => (
    <Select
      {...inputOf(props)}
      data={[{ value: 'any', label: props.filter.any ?? '' }, ...useOptionsOf(props.filter, [])]}
      value={props.value ?? 'any'}
      onChange={props.onChange}
    />
  ),
  yesNo: (props) => (
    <Select
      {...inputOf(props)}
      placeholder={props.filter.any}
      data={useOptionsOf(props.filter, [])}
      value={props.value === undefined ? null : String(props.value)}
      onChange={(chosen) => props.onChange(chosen === null ? undefined : chosen === 'true')}
      clearable
    />
  ),
  switch: ({ filter, value, onChange }) => (
    <Switch
      label={filter.label}
      checked={value ?? false}
      onChange={(event) => onChange(event.currentTarget.checked || undefined)}
    />
  ),
  tags: (props) => (
    <TagsInput
      {...inputOf(props)}
      placeholder={props.value ? undefined : props.filter.any}
      value={props.value ?? []}
      onChange={props.onChange}
      clearable
    />
  ),
  day: (props) => (
    <TextInput
      {...inputOf(props)}
      type="date"
      max="9999-12-31"
      {...(!props.isLabelled && {
        leftSection: (
          <Text size="xs" c="dimmed" aria-hidden>
            {props.filter.label}
          </Text>
        ),
        leftSectionWidth: 48,
      })}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  ),
  dateTime: (props) => (
    <DateTimeInput
      {...inputOf(props)}
      title={t('parts.time.zone', { zone: ownTimeZone })}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  ),
  businesses: (props) => (
    <BusinessesChoice
      {...inputOf(props)}
      placeholder={props.filter.any}
      value={props.value}
      onChange={props.onChange}
    />
  ),
  locations: (props) => (
    <LocationsChoice {...inputOf(props)} placeholder={props.filter.any} value={props.value} onChange={props.onChange} />
  ),
  labels: (props) => (
    <LabelsChoice {...inputOf(props)} placeholder={props.filter.any} value={props.value} onChange={props.onChange} />
  ),
};

const inputOf = ({ filter: { label, flex, miw }, isLabelled }: ControlProps) => ({
  ...(isLabelled ? { label } : { 'aria-label': label }),
  flex,
  miw,
});

const noOptions = () => [];

function useOptionsOf({ useOptions = noOptions }: Filter, chosen: readonly string[], typed = ''): Option[] {
  return [...useOptions(chosen, typed)];
}
