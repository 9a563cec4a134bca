import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../texts/t.ts';

interface Props {
  value?: number[];
  onChange?: (ids: number[]) => void;
  error?: React.ReactNode;
}

interface Option {
  value: string;
  label: string;
}

export function BusinessChoice(props: Props) {
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 250);
  const { data } = useApi(
    'GET /api/businesses',
    { query: { max: 50, ...(query && { query }) } },
    { keepPrevious: true },
  );
  const options = (data?.businesses ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <Choice
      {...props}
      label={t('users.businesses')}
      hint={t('users.businessesHint')}
      options={options}
      typed={typed}
      onType={setTyped}
    />
  );
}

export function LocationChoice(props: Props) {
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 250);
  const { data } = useApi(
    'GET /api/locations',
    { query: { max: 50, fieldMask: ['name', 'city'], ...(query && { query }) } },
    { keepPrevious: true },
  );
  const options = (data?.locations ?? []).map(({ id, name, city }) => ({
    value: String(id),
    label: [name, city].filter(Boolean).join(', '),
  }));
  return (
    <Choice
      {...props}
      label={t('users.locations')}
      hint={t('users.locationsHint')}
      options={options}
      typed={typed}
      onType={setTyped}
    />
  );
}

interface ChoiceProps extends Props {
  label: string;
  hint: string;
  options: Option[];
  typed: string;
  onType: (typed: string) => void;
}

/** Selected options stay in the list; unknown ones are shown by id. */
function Choice({ value = [], onChange, error, label, hint, options, typed, onType }: ChoiceProps) {
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const fresh = options.filter((option) => !seen.has(option.value));
  if (fresh.length > 0) setSeen(new Map([...seen, ...fresh.map((option) => [option.value, option.label] as const)]));
  const offered = new Map(options.map((option) => [option.value, option.label]));
  for (const id of value.map(String)) if (!offered.has(id)) offered.set(id, seen.get(id) ?? `#${id}`);
  return (
    <MultiSelect
      label={label}
      description={hint}
      data={[...offered].map(([id, text]) => ({ value: id, label: text }))}
      value={value.map(String)}
      onChange={(ids) => onChange?.(ids.map(Number))}
      error={error}
      searchable
      searchValue={typed}
      onSearchChange={onType}
      clearable
    />
  );
}
