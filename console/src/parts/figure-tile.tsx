import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  value: ReactNode;
  text?: ReactNode;
  tone?: 'bad' | undefined;
}

export function FigureTile({ label, value, text, tone }: Props) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={26} fw={650} lh={1.3} c={tone === 'bad' ? 'var(--mantine-color-error)' : undefined}>
        {value}
      </Text>
      {text && (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
    </Paper>
  );
}
