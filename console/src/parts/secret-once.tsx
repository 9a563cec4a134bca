import { Alert, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { t } from '../texts/t.ts';
import { CopyField } from './copy-field.tsx';

/** The value exists only in props and is not stored. */
export function SecretOnce({ label, value }: { label: string; value: string }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" icon={<KeyRound size={18} aria-hidden />}>
        {t('parts.secret.shownOnce')}
      </Alert>
      <CopyField label={label} value={value} />
    </Stack>
  );
}
