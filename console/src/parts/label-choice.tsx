import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { loadProblem, useWholeList } from '../api/use-api.ts';
import { t } from '../texts/t.ts';
import { nameOrId } from './name-or-id.ts';

interface Props extends Omit<MultiSelectProps, 'value' | 'onChange' | 'data'> {
  value: readonly number[];
  onChange: (ids: number[]) => void;
}

const pageSize = 500;

export const useLabels = (options: { enabled?: boolean } = {}) =>
  useWholeList('GET /api/labels', 'labels', (page) => ({ offset: page * pageSize, max: pageSize }), options);

/** Deleted, hidden from this user, or a label of a child partner. */
export const unknownLabel = (id: string) => t('parts.choice.unknownLabel', { label: `#${id}` });

export function LabelChoice({ value, onChange, error, ...input }: Props) {
  const labels = useLabels();
  const known = (labels.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  const unknown = value.map(String).filter((id) => !known.some((label) => label.value === id));
  return (
    <MultiSelect
      {...input}
      error={error ?? loadProblem(labels)}
      data={[
        ...known,
        ...unknown.map((id) => ({
          value: id,
          label: labels.data ? unknownLabel(id) : nameOrId(labels.isPending ? undefined : '', id),
        })),
      ]}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
      searchable
      clearable
    />
  );
}
