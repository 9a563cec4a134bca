import { Button, MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { t, tn } from '../texts/t.ts';
import type { Option } from './filters.ts';

export type Finder = (typed: string) => Option[];

/** Caches names of selected options; unknown ones are shown by id. */
function useOffered(options: Option[], chosen: readonly string[]): Option[] {
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const fresh = options.filter(({ value }) => !seen.has(value));
  if (fresh.length > 0) setSeen(new Map([...seen, ...fresh.map(({ value, label }) => [value, label] as const)]));
  const missing = chosen.filter((id) => !options.some(({ value }) => value === id));
  return [...options, ...missing.map((id) => ({ value: id, label: seen.get(id) ?? `#${id}` }))];
}

interface ManyProps extends Omit<MultiSelectProps, 'value' | 'onChange' | 'data'> {
  find: Finder;
  value: readonly string[];
  onChange: (values: string[]) => void;
}

/** Searches while the user types. */
export function SearchedMany({ find, value, onChange, placeholder, ...input }: ManyProps) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 250);
  const data = useOffered(find(settled), value);
  return (
    <MultiSelect
      hidePickedOptions
      {...input}
      data={data}
      value={[...value]}
      onChange={onChange}
      placeholder={value.length > 0 ? undefined : placeholder}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      clearable
    />
  );
}

export const useBusinesses: Finder = (typed) => {
  const { data } = useApi(
    'GET /api/businesses',
    { query: { max: 50, ...(typed && { query: typed }) } },
    { keepPrevious: true },
  );
  return (data?.businesses ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
};

export const useLabels: Finder = (typed) => {
  const { data } = useApi(
    'GET /api/labels',
    { query: { max: 50, ...(typed && { query: typed }) } },
    { keepPrevious: true },
  );
  return (data?.labels ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
};

const useLabelNames: Finder = (typed) => useLabels(typed).map(({ label }) => ({ value: label, label }));

export const useLocations: Finder = (typed) => {
  const { data } = useApi(
    'GET /api/locations',
    { query: { max: 30, fieldMask: ['name', 'city'], ...(typed && { query: typed }) } },
    { keepPrevious: true },
  );
  return (data?.locations ?? []).map(({ id, name, city }) => ({
    value: String(id),
    label: [name, city].filter(Boolean).join(', '),
  }));
};

type Chosen = Omit<ManyProps, 'find' | 'value' | 'onChange'>;

interface IdsProps extends Chosen {
  value: readonly number[] | undefined;
  onChange: (ids: number[] | undefined) => void;
}

const someOf = <T,>(values: T[]) => (values.length > 0 ? values : undefined);

export function BusinessesChoice({ value = [], onChange, ...input }: IdsProps) {
  return (
    <SearchedMany
      {...input}
      find={useBusinesses}
      value={value.map(String)}
      onChange={(ids) => onChange(someOf(ids.map(Number)))}
    />
  );
}

/** Longer selections come from a task and are shown as a count. */
const mostNamed = 5;

export function LocationsChoice({ value = [], onChange, ...input }: IdsProps) {
  if (value.length > mostNamed) {
    return (
      <Button
        variant="light"
        rightSection={<X size={14} aria-hidden />}
        onClick={() => onChange(undefined)}
        title={t('parts.choice.allLocations')}
      >
        {tn('parts.choice.locations', value.length)}
      </Button>
    );
  }
  return (
    <SearchedMany
      {...input}
      find={useLocations}
      value={value.map(String)}
      onChange={(ids) => onChange(someOf(ids.map(Number)))}
    />
  );
}

interface NamesProps extends Chosen {
  value: readonly string[] | undefined;
  onChange: (names: string[] | undefined) => void;
}

export function LabelsChoice({ value = [], onChange, ...input }: NamesProps) {
  return <SearchedMany {...input} find={useLabelNames} value={value} onChange={(names) => onChange(someOf(names))} />;
}

interface OneProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

export function BusinessChoice({ value, onChange, ...input }: OneProps) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 250);
  const chosen = useApi('GET /api/businesses/{id}', { path: { id: value ?? 0 } }, { enabled: value !== undefined });
  const chosenName = chosen.data?.name;
  const options = useBusinesses(settled === chosenName ? '' : settled);
  const data = useOffered(options, []);
  const isListed = value === undefined || data.some((option) => option.value === String(value));
  return (
    <Select
      {...input}
      data={isListed ? data : [{ value: String(value), label: chosenName ?? `#${value}` }, ...data]}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
    />
  );
}
