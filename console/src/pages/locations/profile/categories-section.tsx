import { ActionIcon, Badge, Combobox, Group, Paper, Stack, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { ArrowUp, Search, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { useApi } from '../../../api/use-api.ts';
import { nameOrId } from '../../../parts/name-or-id.ts';
import { t } from '../../../texts/t.ts';
import { FieldFrame } from './field-frame.tsx';
import { useFieldInput } from './fields.tsx';
import { useDraft } from './profile-draft.ts';
import { ProfileSection } from './profile-section.tsx';

export function CategoriesSection() {
  const { value, set } = useDraft();
  const { disabled, error } = useFieldInput('categories');
  return (
    <ProfileSection id="categories" text={t('locations.categories.lead')}>
      <FieldFrame field="categories">
        <CategoryPicker
          value={value('categories') ?? []}
          onChange={(ids) => set('categories', ids)}
          isLocked={disabled}
          error={error}
        />
      </FieldFrame>
    </ProfileSection>
  );
}

interface PickerProps {
  value: readonly number[];
  onChange: (ids: number[]) => void;
  isLocked?: boolean;
  isRequired?: boolean;
  error?: string | undefined;
}

export function CategoryPicker({ value, onChange, isLocked = false, isRequired = false, error }: PickerProps) {
  const names = useCategoryNames(value);
  return (
    <Stack gap="sm">
      {value.map((id, index) => {
        const name = nameOrId(names.get(id), id);
        return (
          <Paper key={id} withBorder p="xs" radius="md">
            <Group justify="space-between" wrap="nowrap">
              <Group gap="xs" miw={0}>
                <Text size="sm" fw={550}>
                  {name}
                </Text>
                {index === 0 && <Badge>{t('locations.categories.main')}</Badge>}
              </Group>
              {!isLocked && (
                <Group gap={2} wrap="nowrap">
                  {index > 0 && (
                    <ActionIcon
                      aria-label={t('locations.categories.makeMain', { name })}
                      onClick={() => onChange([id, ...value.filter((one) => one !== id)])}
                    >
                      <ArrowUp size={16} aria-hidden />
                    </ActionIcon>
                  )}
                  <ActionIcon
                    color="red"
                    aria-label={t('locations.rows.remove', { row: name })}
                    onClick={() => onChange(value.filter((one) => one !== id))}
                  >
                    <Trash2 size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              )}
            </Group>
          </Paper>
        );
      })}
      {!isLocked && (
        <CategorySearch
          chosen={value}
          onChoose={(id) => onChange([...value, id])}
          isRequired={isRequired && value.length === 0}
          error={error}
        />
      )}
    </Stack>
  );
}

interface SearchProps {
  chosen: readonly number[];
  onChoose: (id: number) => void;
  isRequired: boolean;
  error: string | undefined;
}

function CategorySearch({ chosen, onChoose, isRequired, error }: SearchProps) {
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 250);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const {
    data,
    error: failure,
    isFetching,
  } = useApi(
    'GET /api/categories',
    { query: { selectable: true, max: 20, ...(query && { query }) } },
    { keepPrevious: true },
  );
  const found = (data?.categories ?? []).filter(({ id }) => !chosen.includes(id));
  return (
    <Combobox
      store={box}
      onOptionSubmit={(id) => {
        onChoose(Number(id));
        setTyped('');
        box.closeDropdown();
      }}
    >
      <Combobox.Target>
        <TextInput
          label={t('locations.categories.add')}
          required={isRequired}
          placeholder={t('locations.categories.search')}
          leftSection={<Search size={16} aria-hidden />}
          value={typed}
          error={error}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            box.openDropdown();
            box.updateSelectedOptionIndex();
          }}
          onFocus={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={280} style={{ overflowY: 'auto' }}>
          {found.map(({ id, name, path }) => (
            <Combobox.Option key={id} value={String(id)}>
              <Text size="sm">{name}</Text>
              <Text size="xs" c="dimmed">
                {path.split('/').join(' › ')}
              </Text>
            </Combobox.Option>
          ))}
          {found.length === 0 && !isFetching && (
            <Combobox.Empty>{failure?.message ?? t('locations.categories.none')}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function useCategoryNames(ids: readonly number[]): Map<number, string | undefined> {
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['GET /api/categories/{id}', { path: { id } }],
      queryFn: () => call('GET /api/categories/{id}', { path: { id } }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  return new Map(ids.map((id, index) => [id, found[index]?.isPending ? undefined : (found[index]?.data?.name ?? '')]));
}
