import { Alert, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { t } from '../texts/t.ts';
import { CopyField } from './copy-field.tsx';

/** A key or secret right after it was made. It is in this component's props and nowhere else. */
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
