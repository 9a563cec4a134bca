import { Text } from '@mantine/core';
import { inWords } from '../../texts/t.ts';
import classes from './webhooks.module.css';

export function EventTypeName({ type }: { type: string }) {
  return (
    <span className={classes.typeName}>
      {inWords(type)}
      <Text span size="xs" c="dimmed" fw={400} className={classes.code}>
        {type}
      </Text>
    </span>
  );
}
