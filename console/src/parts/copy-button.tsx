import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import { t } from '../texts/t.ts';

interface Props {
  value: string;
  /** Name of the value for screen readers. */
  name: string;
  /** Shown next to the icon. */
  label?: string;
}

export function CopyButton({ value, name, label: wideLabel }: Props) {
  const { copied, copy, error } = useClipboard({ timeout: 1500 });
  const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
  const label = error ? t('parts.copy.failed') : copied ? t('parts.copy.copied') : t('parts.copy.copyOf', { name });
  if (wideLabel !== undefined) {
    return (
      <Button
        variant="light"
        leftSection={icon}
        onClick={() => copy(value)}
        aria-label={label}
        color={copied ? 'teal' : undefined}
      >
        {copied || error ? label : wideLabel}
      </Button>
    );
  }
  return (
    <Tooltip label={label}>
      <ActionIcon color={copied ? 'teal' : 'gray'} aria-label={label} onClick={() => copy(value)}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
