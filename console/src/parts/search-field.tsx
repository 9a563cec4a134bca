import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../texts/t.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string | undefined;
  /** Called after typing pauses; undefined when empty. */
  onChange: (value: string | undefined) => void;
  label: string;
}

export function SearchField({ value = '', onChange, label, ...input }: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const tell = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 300);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={16} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
      rightSection={
        typed && (
          <CloseButton
            size="sm"
            aria-label={t('parts.list.clearFilters')}
            onClick={() => {
              setTyped('');
              onChange(undefined);
            }}
          />
        )
      }
      {...input}
    />
  );
}
