import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../texts/t.ts';

/** A password or a key. The library's own does not tell screen readers that it is wrong. */
export function PasswordField({ error, ...props }: PasswordInputProps) {
  return (
    <PasswordInput
      error={error}
      aria-invalid={error ? true : undefined}
      visibilityToggleButtonProps={{ 'aria-label': t('parts.password.show') }}
      {...props}
    />
  );
}
