import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useApi } from '../api/use-api.ts';

interface Props extends Omit<MultiSelectProps, 'value' | 'onChange' | 'data'> {
  value: readonly number[];
  onChange: (ids: number[]) => void;
}

export function LabelChoice({ value, onChange, ...input }: Props) {
  const { data } = useApi('GET /api/labels', { query: { max: 500 } });
  const known = (data?.labels ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  const unknown = value.map(String).filter((id) => !known.some((label) => label.value === id));
  return (
    <MultiSelect
      {...input}
      data={[...known, ...unknown.map((id) => ({ value: id, label: `#${id}` }))]}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
      searchable
      clearable
    />
  );
}
