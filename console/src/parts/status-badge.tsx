import { Badge, type BadgeProps } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'bad' | 'warning' | 'busy' | 'neutral';

export const toneColors: Record<Tone, string> = {
  good: 'teal',
  bad: 'red',
  warning: 'orange',
  busy: 'blue',
  neutral: 'gray',
};

interface Props extends Omit<BadgeProps, 'color' | 'children'> {
  tone: Tone;
  children: ReactNode;
}

export function StatusBadge({ tone, children, ...badge }: Props) {
  return (
    <Badge
      color={toneColors[tone]}
      data-tone={tone}
      miw="max-content"
      leftSection={<span className={classes.dot} aria-hidden="true" />}
      {...badge}
    >
      {children}
    </Badge>
  );
}
