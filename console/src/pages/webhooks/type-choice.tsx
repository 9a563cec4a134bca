import {
  Button,
  type ComboboxItem,
  Group,
  MultiSelect,
  type MultiSelectProps,
  type OptionsFilter,
  Select,
  type SelectProps,
  Stack,
  Text,
} from '@mantine/core';
import { Check } from 'lucide-react';
import { loadProblem, useApi } from '../../api/use-api.ts';
import { inWords, t } from '../../texts/t.ts';
import classes from './webhooks.module.css';

type OneProps = Omit<SelectProps, 'data' | 'value'> & { value: string | undefined };

export function TypeChoice({ value, ...select }: OneProps) {
  const { about, error, ...options } = useTypeOptions();
  return (
    <Select
      label={t('webhooks.form.type')}
      description={(value && about.get(value)) || t('webhooks.form.typeHint')}
      value={value || null}
      required
      searchable
      selectFirstOptionOnChange
      {...options}
      {...select}
      error={select.error ?? error}
    />
  );
}

type ManyProps = Omit<MultiSelectProps, 'data' | 'value' | 'onChange'> & {
  value: readonly string[];
  onChange: (types: string[]) => void;
};

export function TypesChoice({ value, onChange, ...select }: ManyProps) {
  const { about, error, ...options } = useTypeOptions();
  const all = [...about.keys()];
  const buttons = (
    <Group gap="xs" mb={4}>
      <Text size="xs" c="dimmed" role="status">
        {t('webhooks.form.typesChosen', { count: value.length, total: all.length })}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={value.length === all.length}
        onClick={() => onChange([...value, ...all.filter((type) => !value.includes(type))])}
      >
        {t('webhooks.form.selectAll')}
      </Button>
      <Button size="compact-xs" variant="subtle" disabled={value.length === 0} onClick={() => onChange([])}>
        {t('webhooks.form.clear')}
      </Button>
    </Group>
  );
  return (
    <MultiSelect
      label={t('webhooks.form.types')}
      description={t('webhooks.form.typesHint')}
      // Above the field, because the list of options covers the space below it.
      inputContainer={(input) => (
        <>
          {buttons}
          {input}
        </>
      )}
      value={[...value]}
      onChange={onChange}
      required
      searchable
      selectFirstOptionOnChange
      {...options}
      {...select}
      error={select.error ?? error}
    />
  );
}

function useTypeOptions() {
  const found = useApi('GET /api/event-types', {}, { staleTime: Number.POSITIVE_INFINITY });
  const about = new Map<string, string>(found.data?.eventTypes.map(({ type, description }) => [type, description]));
  const filter: OptionsFilter = ({ options, search }) => {
    const words = search.toLowerCase().split(/[\s_]+/);
    const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
    const found = options.filter((option): option is ComboboxItem => 'value' in option);
    const named = found.filter(({ label, value: type }) => fits(`${label} ${type}`));
    // Matches in the name come before matches in the description.
    return [
      ...named,
      ...found.filter((option) => !named.includes(option) && fits(`${option.label} ${about.get(option.value)}`)),
    ];
  };
  const renderOption = ({ option, checked = false }: { option: ComboboxItem; checked?: boolean }) => (
    <Group justify="space-between" wrap="nowrap" flex={1}>
      <Stack gap={0}>
        <Text span size="sm" fw={550}>
          {option.label}
        </Text>
        <Text span size="xs" className={classes.optionText}>
          {about.get(option.value)}
        </Text>
      </Stack>
      {checked && <Check size={16} aria-hidden style={{ flex: 'none' }} />}
    </Group>
  );
  return {
    about,
    error: loadProblem(found),
    data: [...about.keys()].map((type) => ({ value: type, label: inWords(type) })),
    filter,
    renderOption,
    nothingFoundMessage: t('webhooks.form.typeNone'),
    maxDropdownHeight: 360,
  };
}
