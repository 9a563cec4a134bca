import { ActionIcon, Button, Group, MultiSelect, type MultiSelectProps, Select, Stack, TagsInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { DecimalInput } from '../../parts/decimal-input.tsx';
import {
  businessFinder,
  type Finder,
  labelFinder,
  locationFinder,
  SearchedMany,
} from '../../parts/searched-choice.tsx';
import { useDirectoryOptions } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import {
  type Comparison,
  type Condition,
  type Conditions,
  comparisonsOf,
  type FilterableField,
  newCondition,
  valuesFor,
} from './filter-conditions.ts';

const maxConditions = 50;
const inputWidth = { flex: '1 1 9rem', minWidth: 0 };

interface Props {
  value: Conditions;
  fields: readonly FilterableField[];
  onChange: (conditions: Conditions) => void;
}

/** A filter as a list of conditions. */
export function FilterBuilder({ value, fields, onChange }: Props) {
  const { match, rows } = value;
  const set = (index: number, row: Condition) => onChange({ match, rows: rows.with(index, row) });
  return (
    <Stack gap="xs" mt="xs">
      {rows.length > 1 && (
        <Select
          aria-label={t('webhooks.filter.match')}
          data={[
            { value: 'all', label: t('webhooks.filter.all') },
            { value: 'any', label: t('webhooks.filter.any') },
          ]}
          value={match}
          onChange={(chosen) => onChange({ match: chosen === 'any' ? 'any' : 'all', rows })}
        />
      )}
      {rows.map((row, index) => (
        <ConditionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no id, and their inputs have no state
          key={index}
          number={index + 1}
          row={row}
          fields={fields}
          onChange={(changed) => set(index, changed)}
          onRemove={() => onChange({ match, rows: rows.toSpliced(index, 1) })}
        />
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} aria-hidden />}
        style={{ alignSelf: 'flex-start' }}
        disabled={fields.length === 0 || rows.length >= maxConditions}
        onClick={() => onChange({ match, rows: [...rows, newCondition] })}
      >
        {t('webhooks.filter.add')}
      </Button>
    </Stack>
  );
}

/** Fields whose values are chosen by name. */
const finders: Readonly<Record<string, Finder>> = {
  business: businessFinder,
  location: locationFinder,
  labels: labelFinder,
};

interface RowProps {
  number: number;
  row: Condition;
  fields: readonly FilterableField[];
  onChange: (row: Condition) => void;
  onRemove: () => void;
}

function ConditionRow({ number, row, fields, onChange, onRemove }: RowProps) {
  const field = fields.find(({ name }) => name === row.field);
  const names = fields.map(({ name }) => name);
  // A field that the chosen types do not have stays visible until it is replaced.
  const data = row.field && !field ? [row.field, ...names] : names;
  const choose = (name: string) => {
    const [first = 'is', ...others] = comparisonsOf(fields.find((one) => one.name === name));
    const comparison = [first, ...others].includes(row.comparison) ? row.comparison : first;
    onChange({ ...newCondition, field: name, comparison });
  };
  return (
    <Group role="group" aria-label={t('webhooks.filter.condition', { number })} gap="xs" align="flex-start">
      <Select
        aria-label={t('webhooks.filter.field', { number })}
        placeholder={t('webhooks.filter.fieldHint')}
        data={data}
        value={row.field || null}
        searchable
        selectFirstOptionOnChange
        style={inputWidth}
        onChange={(name) => name && choose(name)}
      />
      <Select
        aria-label={t('webhooks.filter.comparison', { number })}
        data={comparisonsOf(field).map((name) => ({ value: name, label: t(`webhooks.filter.${name}`) }))}
        value={row.comparison}
        style={inputWidth}
        onChange={(chosen) => onChange({ ...row, comparison: (chosen ?? 'is') as Comparison })}
      />
      <OperandInput number={number} row={row} field={field} onChange={onChange} />
      <ActionIcon mt={4} aria-label={t('webhooks.filter.remove', { number })} onClick={onRemove}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

function OperandInput({
  number,
  row,
  field,
  onChange,
}: Pick<RowProps, 'number' | 'row' | 'onChange'> & { field: FilterableField | undefined }) {
  const label = t('webhooks.filter.value', { number });
  if (row.comparison === 'exists' || row.comparison === 'missing') return null;
  if (row.comparison === 'greater' || row.comparison === 'less') {
    const bound = row.bound === '' ? undefined : row.bound;
    const setBound = (number: number | undefined) => onChange({ ...row, bound: number ?? '' });
    return <DecimalInput aria-label={label} value={bound} style={inputWidth} onChange={setBound} />;
  }
  const setValues = (typed: string[]) => onChange({ ...row, values: valuesFor(field, typed, row.values) });
  const input = {
    'aria-label': label,
    value: row.values.map(String),
    style: inputWidth,
    disabled: !row.field,
    onChange: setValues,
  };
  const hint = (name: 'choose' | 'enter') => (row.values.length === 0 ? t(`webhooks.filter.${name}`) : '');
  const find = finders[row.field];
  if (find) return <SearchedMany key={row.field} {...input} find={find} placeholder={hint('choose')} />;
  if (row.field === 'directoryType') return <DirectoriesInput {...input} placeholder={hint('choose')} />;
  const options = field?.kind === 'BOOLEAN' ? ['true', 'false'] : field?.values;
  if (options) return <MultiSelect {...input} data={options} searchable placeholder={hint('choose')} />;
  return <TagsInput {...input} splitChars={[',']} maxTags={500} placeholder={hint('enter')} />;
}

function DirectoriesInput(input: Omit<MultiSelectProps, 'data'>) {
  return <MultiSelect {...input} data={useDirectoryOptions()} searchable />;
}
