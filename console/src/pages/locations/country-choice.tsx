import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../texts/t.ts';
import { countryOptions } from './countries.ts';

interface Props {
  value: string;
  onChange: (code: string) => void;
  error?: ReactNode;
}

export function CountryChoice({ value, onChange, error }: Props) {
  return (
    <Select
      label={t('locations.fields.country')}
      required
      data={countryOptions()}
      value={value || null}
      onChange={(code) => onChange(code ?? '')}
      error={error}
      searchable
    />
  );
}
