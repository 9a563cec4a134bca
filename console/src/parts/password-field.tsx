import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../texts/t.ts';

/** Mantine's password input does not expose its error to screen readers. */
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
