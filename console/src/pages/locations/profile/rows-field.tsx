import { ActionIcon, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../../texts/t.ts';
import { FieldFrame } from './field-frame.tsx';
import { FieldProblems } from './field-problems.tsx';
import { type FieldsOf, useFieldInput } from './fields.tsx';
import classes from './profile.module.css';
import { type Draft, useDraft } from './profile-draft.ts';

const fieldset = { root: classes.fieldset ?? '', legend: classes.legend ?? '' };

type ListField = FieldsOf<readonly object[]>;
type RowOf<Name extends ListField> = NonNullable<Draft['location'][Name]>[number];

interface Props<Name extends ListField, Row = RowOf<Name>> {
  field: Name;
  /** Initial value of a new row. */
  blank: (rows: readonly Row[]) => Row;
  addLabel: string;
  /** Row label for screen readers. */
  rowName: (row: Row, index: number) => string;
  render: (row: Row, change: (part: Partial<Row>) => void, isLocked: boolean) => ReactNode;
  empty: string;
  /** Beside the button that adds a row. */
  actions?: ReactNode;
  isOrdered?: boolean;
  buttonsAt?: 'start' | 'end';
}

/** Edits a list of the profile, one row per entry. */
export function RowsField<Name extends ListField>(props: Props<Name>) {
  type Row = RowOf<Name>;
  const { field, blank, addLabel, rowName, render, empty, actions, isOrdered = false, buttonsAt = 'end' } = props;
  const { label, disabled } = useFieldInput(field);
  const { value, set, problemsOf } = useDraft();
  const rows: readonly Row[] = value(field) ?? [];
  const onChange = (next: Row[]) => set(field, next as Draft['location'][Name]);
  const replaced = (index: number, row: Row) => rows.map((one, at) => (at === index ? row : one));
  const move = (index: number, by: -1 | 1) => {
    const next = [...rows];
    const [row] = next.splice(index, 1);
    if (row) next.splice(index + by, 0, row);
    onChange(next);
  };
  return (
    <FieldFrame field={field}>
      <Fieldset legend={label} variant="unstyled" disabled={disabled} classNames={fieldset}>
        <Stack gap="sm" mt={4}>
          {rows.length === 0 && (
            <Text size="sm" c="dimmed">
              {empty}
            </Text>
          )}
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id while they are edited
            <Group key={index} gap="xs" align={buttonsAt} wrap="nowrap" role="group" aria-label={rowName(row, index)}>
              <div style={{ flex: 1, minWidth: 0 }}>
                {render(row, (part) => onChange(replaced(index, { ...row, ...part })), disabled)}
              </div>
              {!disabled && (
                <Group gap={2} wrap="nowrap" py={4}>
                  {isOrdered && (
                    <>
                      <ActionIcon
                        disabled={index === 0}
                        aria-label={t('locations.rows.up', { row: rowName(row, index) })}
                        onClick={() => move(index, -1)}
                      >
                        <ArrowUp size={16} aria-hidden />
                      </ActionIcon>
                      <ActionIcon
                        disabled={index === rows.length - 1}
                        aria-label={t('locations.rows.down', { row: rowName(row, index) })}
                        onClick={() => move(index, 1)}
                      >
                        <ArrowDown size={16} aria-hidden />
                      </ActionIcon>
                    </>
                  )}
                  <ActionIcon
                    color="red"
                    aria-label={t('locations.rows.remove', { row: rowName(row, index) })}
                    onClick={() => onChange(rows.filter((_, at) => at !== index))}
                  >
                    <Trash2 size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              )}
            </Group>
          ))}
          <FieldProblems
            problems={problemsOf(field)}
            entryName={(index) => (rows[index] ? rowName(rows[index], index) : '')}
          />
          {!disabled && (
            <Group gap="xs">
              <Button
                variant="light"
                size="compact-sm"
                leftSection={<Plus size={14} aria-hidden />}
                onClick={() => onChange([...rows, blank(rows)])}
              >
                {addLabel}
              </Button>
              {actions}
            </Group>
          )}
        </Stack>
      </Fieldset>
    </FieldFrame>
  );
}
