import { Button, type ButtonProps, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts/t.ts';

interface Props extends ButtonProps {
  onCancel?: (() => void) | undefined;
  /** Without it, the button submits the form. */
  onClick?: () => void;
  children: ReactNode;
}

/** The buttons at the end of a form. */
export function FormButtons({ onCancel, ...button }: Props) {
  return (
    <Group justify="flex-end">
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {t('parts.form.cancel')}
        </Button>
      )}
      <Button type={button.onClick ? 'button' : 'submit'} {...button} />
    </Group>
  );
}
