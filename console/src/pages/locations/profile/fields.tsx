import { MultiSelect, Select, Switch, TagsInput, Text, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { locationFields } from '../../../api/location-fields.ts';
import { DecimalInput } from '../../../parts/decimal-input.tsx';
import { t, textOrWords } from '../../../texts/t.ts';
import { FieldFrame } from './field-frame.tsx';
import { type Field, fieldNames, type SectionId, shownFields, useDraft } from './profile-draft.ts';

export type TextFieldName = FieldsOf<string>;

export type FieldsOf<Type> = {
  [Name in Field]: NonNullable<ReturnType<typeof useDraft>['location'][Name]> extends Type ? Name : never;
}[Field];

export const fieldLabel = (field: string): string => textOrWords('locations.fields', field);

export function useFieldInput(field: Field) {
  const { mayWrite, errorOf } = useDraft();
  return { label: fieldLabel(field), disabled: !mayWrite(field), error: errorOf(field) };
}

interface TextProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  field: TextFieldName;
}

export function TextField({ field, ...input }: TextProps) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  return (
    <FieldFrame field={field}>
      <TextInput
        {...common}
        {...input}
        value={value(field) ?? ''}
        onChange={(event) => set(field, event.currentTarget.value)}
        autoComplete="off"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
    </FieldFrame>
  );
}

interface LongTextProps {
  field: TextFieldName;
  /** Maximum number of characters. */
  max?: number;
  rows?: number;
  description?: ReactNode;
}

export function LongTextField({ field, max, rows = 3, description }: LongTextProps) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  const text = value(field) ?? '';
  const length = [...text].length;
  return (
    <FieldFrame field={field}>
      <Textarea
        {...common}
        description={description}
        value={text}
        onChange={(event) => set(field, event.currentTarget.value)}
        autosize
        minRows={rows}
        maxRows={14}
        inputWrapperOrder={['label', 'description', 'input', 'error']}
      />
      {max !== undefined && (
        <Text size="xs" ta="end" c={length > max ? 'var(--mantine-color-error)' : 'dimmed'} aria-live="polite">
          {t('locations.counted', { length, max })}
        </Text>
      )}
    </FieldFrame>
  );
}

/** Longer texts have several lines. */
const maxSingleLine = 200;

const isText = (field: Field): field is TextFieldName => 'maxLength' in locationFields[field];

interface OtherTextProps {
  section: SectionId;
  /** Fields of the section with a control of their own. */
  except: readonly TextFieldName[];
}

/** Default controls for the other texts of a section. */
export function OtherTextFields({ section, except }: OtherTextProps) {
  return fieldNames
    .filter(isText)
    .filter((field) => shownFields[field] === section && !except.includes(field))
    .map((field) => {
      const { maxLength } = locationFields[field] as { maxLength: number };
      return maxLength > maxSingleLine ? (
        <LongTextField key={field} field={field} rows={2} />
      ) : (
        <TextField key={field} field={field} />
      );
    });
}

export function NumberField({ field }: { field: FieldsOf<number> }) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  return (
    <FieldFrame field={field}>
      <DecimalInput
        {...common}
        value={value(field)}
        onChange={(number) => set(field, number)}
        decimalScale={6}
        hideControls
      />
    </FieldFrame>
  );
}

export function SwitchField({ field, description }: { field: FieldsOf<boolean>; description?: ReactNode }) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  return (
    <FieldFrame field={field}>
      <Switch
        {...common}
        description={description}
        checked={value(field) ?? false}
        onChange={(event) => set(field, event.currentTarget.checked)}
      />
    </FieldFrame>
  );
}

/** Renders hundreds of options only when the list is open, not on each key press. */
const unmounted = { keepMounted: false };

interface ChoiceProps {
  field: FieldsOf<string>;
  data: readonly { value: string; label: string }[];
  isClearable?: boolean;
  isRequired?: boolean;
}

export function ChoiceField({ field, data, isClearable = false, isRequired = false }: ChoiceProps) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  return (
    <FieldFrame field={field}>
      <Select
        {...common}
        required={isRequired}
        data={data}
        value={value(field) ?? null}
        onChange={(chosen) => set(field, chosen ?? undefined)}
        clearable={isClearable}
        searchable
        comboboxProps={unmounted}
      />
    </FieldFrame>
  );
}

interface WordsProps {
  field: FieldsOf<string[]>;
  description?: string;
}

export function WordsField({ field, description }: WordsProps) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  return (
    <FieldFrame field={field}>
      <TagsInput
        {...common}
        description={description}
        value={(value(field) as string[] | undefined) ?? []}
        onChange={(words) => set(field, words as never)}
        splitChars={[',', ';']}
        clearable
      />
    </FieldFrame>
  );
}

interface ManyProps {
  field: FieldsOf<string[]>;
  data: readonly { value: string; label: string }[];
}

export function ManyField({ field, data }: ManyProps) {
  const { value, set } = useDraft();
  const common = useFieldInput(field);
  const chosen = (value(field) as string[] | undefined) ?? [];
  const missing = chosen.filter((one) => !data.some((option) => option.value === one));
  return (
    <FieldFrame field={field}>
      <MultiSelect
        {...common}
        data={[...data, ...missing.map((one) => ({ value: one, label: one }))]}
        value={chosen}
        onChange={(values) => set(field, values as never)}
        searchable
        clearable
        hidePickedOptions
        comboboxProps={unmounted}
      />
    </FieldFrame>
  );
}
