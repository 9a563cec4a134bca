import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../texts/t.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string | undefined;
  /** Called after typing pauses; undefined when empty. */
  onChange: (value: string | undefined) => void;
  label: string;
}

export function SearchField({ value = '', onChange, label, ...input }: Props) {
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  const report = (next: string) => {
    reported.current = next.trim();
    onChange(reported.current || undefined);
  };
  const reportLater = useDebouncedCallback(report, 300);
  // The reported value is trimmed and older than the typed one, so it does not replace it.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    reportLater.cancel();
    setTyped(value);
  }, [value, reportLater]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={16} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        reportLater(event.currentTarget.value);
      }}
      rightSection={
        typed && (
          <CloseButton
            size="sm"
            aria-label={t('parts.list.clearFilters')}
            onClick={() => {
              reportLater.cancel();
              setTyped('');
              report('');
            }}
          />
        )
      }
      {...input}
    />
  );
}
