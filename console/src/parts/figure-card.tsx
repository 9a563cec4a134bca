import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figure-card.module.css';

interface Props {
  label: string;
  value: string;
  children?: ReactNode;
}

export function FigureCard({ label, value, children }: Props) {
  return (
    <Card padding="md" className={classes.card} role="group" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text className={classes.figure}>{value}</Text>
      {children}
    </Card>
  );
}
