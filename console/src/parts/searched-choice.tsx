import { Button, Group, Input, MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { useApi } from '../api/use-api.ts';
import { t, tn } from '../texts/t.ts';
import type { Option } from './filters.ts';
import { unknownLabel, useLabels as useAllLabels } from './label-choice.tsx';
import { nameOrId } from './name-or-id.ts';
import { useLocationNames } from './use-location-names.ts';

export interface Finder {
  /** Undefined until loaded. */
  useOptions: (typed: string) => Option[] | undefined;
  /** Names of selected options that the search does not return: undefined while they load, '' if unknown. */
  useNames: (ids: readonly string[]) => (id: string) => string | undefined;
  /** Selected options for which names are requested. */
  maxNames?: number;
  /** Text of selected options that are unknown. Default: `#id`. */
  unknown?: (value: string) => string;
  /** While their names load, options are shown by their value. */
  hasNamesAsValues?: boolean;
}

/** Adds the selected options that were not found. */
function useOffered(find: Finder, typed: string, chosen: readonly string[]): Option[] {
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const options = find.useOptions(typed);
  const missing = chosen.filter((id) => !options?.some(({ value }) => value === id));
  const unnamed = missing.slice(0, find.maxNames).filter((id) => !seen.has(id));
  const nameOf = find.useNames(options ? unnamed : []);
  const others = missing.map((id) => ({ value: id, label: seen.get(id) ?? (options && nameOf(id)) }));
  const fresh = [...(options ?? []), ...others].flatMap(({ value, label }) =>
    label && !seen.has(value) ? [[value, label] as const] : [],
  );
  if (fresh.length > 0) setSeen(new Map([...seen, ...fresh]));
  const shown = ({ value, label }: (typeof others)[number]) => {
    if (label === '' && find.unknown) return find.unknown(value);
    return find.hasNamesAsValues ? (label ?? value) : nameOrId(label, value);
  };
  return [...(options ?? []), ...others.map((other) => ({ value: other.value, label: shown(other) }))];
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
  const data = useOffered(find, settled, value);
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
      nothingFoundMessage={t('parts.choice.none')}
      clearable
    />
  );
}

const useBusinesses = (typed: string) => {
  const { data } = useApi(
    'GET /api/businesses',
    { query: { max: 50, ...(typed && { query: typed }) } },
    { keepPrevious: true },
  );
  return data?.businesses.map(({ id, name }) => ({ value: String(id), label: name }));
};

const useBusinessNames: Finder['useNames'] = (ids) => {
  const names = useQueries({
    queries: ids.map((id) => {
      const input = { path: { id: Number(id) } };
      return { queryKey: ['GET /api/businesses/{id}', input], queryFn: () => call('GET /api/businesses/{id}', input) };
    }),
    combine: (results) =>
      new Map(results.map(({ data, isPending }, index) => [ids[index], isPending ? undefined : (data?.name ?? '')])),
  });
  return (id) => (names.has(id) ? names.get(id) : '');
};

const useLabels = (typed: string) => {
  const { data } = useApi(
    'GET /api/labels',
    { query: { max: 50, ...(typed && { query: typed }) } },
    { keepPrevious: true },
  );
  return data?.labels.map(({ id, name }) => ({ value: String(id), label: name }));
};

const useLocations = (typed: string) => {
  const { data } = useApi(
    'GET /api/locations',
    { query: { max: 30, fieldMask: ['name', 'city'], ...(typed && { query: typed }) } },
    { keepPrevious: true },
  );
  return data?.locations.map(({ id, name, city }) => ({
    value: String(id),
    label: [name, city].filter(Boolean).join(', '),
  }));
};

/** The API has no list by ids. More names would use up the rate limit. */
export const businessFinder: Finder = { useOptions: useBusinesses, useNames: useBusinessNames, maxNames: 50 };

export const locationFinder: Finder = {
  useOptions: useLocations,
  useNames: (ids) => {
    const nameOf = useLocationNames(ids.map(Number));
    return (id) => nameOf(Number(id));
  },
};

export const labelFinder: Finder = {
  useOptions: useLabels,
  useNames: (ids) => {
    const { data } = useAllLabels({ enabled: ids.length > 0 });
    return (id) => data && (data.find((label) => String(label.id) === id)?.name ?? '');
  },
  unknown: unknownLabel,
};

const labelNameFinder: Finder = {
  useOptions: (typed) => useLabels(typed)?.map(({ label }) => ({ value: label, label })),
  // The API finds labels by name, ignoring case, or by id.
  useNames: (names) => {
    const { data } = useAllLabels({ enabled: names.length > 0 });
    const isCalled = (text: string, { id, name }: { id: number; name: string }) =>
      String(id) === text || name.toLowerCase() === text.toLowerCase();
    return (text) => data && (data.find((label) => isCalled(text, label))?.name ?? '');
  },
  unknown: (label) => t('parts.choice.unknownLabel', { label }),
  hasNamesAsValues: true,
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
      find={businessFinder}
      value={value.map(String)}
      onChange={(ids) => onChange(someOf(ids.map(Number)))}
    />
  );
}

/** Longer selections of a link or a saved record are shown as a count until the user edits them. */
const mostNamed = 5;

export function LocationsChoice({ value = [], onChange, ...input }: IdsProps) {
  const [edited, setEdited] = useState<ReadonlySet<number>>(new Set());
  const [wasCount, setWasCount] = useState(false);
  const edit = (ids: readonly number[]) => setEdited(new Set([...edited, ...ids]));
  const change = (ids: number[]) => {
    edit(ids);
    onChange(someOf(ids));
  };
  if (value.filter((id) => !edited.has(id)).length > mostNamed) {
    const { label, description, error, flex, miw, 'aria-label': name = label } = input;
    return (
      <Input.Wrapper labelElement="div" {...{ label, description, error, flex, miw }}>
        <Group role="group" aria-label={typeof name === 'string' ? name : undefined} gap="xs" wrap="nowrap">
          <Button
            variant="light"
            rightSection={<X size={14} aria-hidden />}
            onClick={() => {
              setWasCount(true);
              change([]);
            }}
            title={t('parts.choice.allLocations')}
          >
            {tn('parts.choice.locations', value.length)}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setWasCount(true);
              edit(value);
            }}
          >
            {t('parts.choice.edit')}
          </Button>
        </Group>
      </Input.Wrapper>
    );
  }
  return (
    <SearchedMany
      {...input}
      // The button that had the focus is unmounted.
      autoFocus={wasCount}
      find={locationFinder}
      value={value.map(String)}
      onChange={(ids) => change(ids.map(Number))}
    />
  );
}

interface NamesProps extends Chosen {
  value: readonly string[] | undefined;
  onChange: (names: string[] | undefined) => void;
}

export function LabelsChoice({ value = [], onChange, ...input }: NamesProps) {
  return <SearchedMany {...input} find={labelNameFinder} value={value} onChange={(names) => onChange(someOf(names))} />;
}

interface OneProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  find: Finder;
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

/** Searches while the user types. */
export function SearchedOne({ find, value, onChange, ...input }: OneProps) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 250);
  const chosen = value === undefined ? [] : [String(value)];
  const nameOf = find.useNames(chosen);
  const [picked, setPicked] = useState<string>();
  // The control also reports the label of the chosen option as typed.
  const isLabel = chosen.some((id) => [picked, nameOrId(nameOf(id), id)].includes(typed.trim()));
  const found = find.useOptions(isLabel ? '' : settled) ?? [];
  const missing = chosen.filter((id) => !found.some((option) => option.value === id));
  return (
    <Select
      {...input}
      data={[...missing.map((id) => ({ value: id, label: nameOrId(nameOf(id), id) })), ...found]}
      value={chosen[0] ?? null}
      onChange={(id, option) => {
        setPicked(option?.label.trim());
        onChange(id === null ? undefined : Number(id));
      }}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      nothingFoundMessage={t('parts.choice.none')}
    />
  );
}

export const BusinessChoice = (props: Omit<OneProps, 'find'>) => <SearchedOne {...props} find={businessFinder} />;
