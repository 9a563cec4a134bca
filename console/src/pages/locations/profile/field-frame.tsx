import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../../texts/t.ts';
import { valueText } from '../value-text.ts';
import { type Field, useDraft } from './profile-draft.ts';
import { FieldSuggestions } from './suggestions.tsx';

/** A field with its suggestions and concurrent changes. */
export function FieldFrame({ field, children }: { field: Field; children: ReactNode }) {
  const changedTo = useDraft().meanwhile(field);
  return (
    <Stack gap={6} id={`field-${field}`}>
      {children}
      {changedTo && (
        <Alert color="orange" p="xs" role="status">
          {t('locations.concurrentChange', { value: valueText(field, changedTo.value) })}
        </Alert>
      )}
      <FieldSuggestions field={field} />
    </Stack>
  );
}
