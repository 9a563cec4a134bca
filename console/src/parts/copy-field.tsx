import { Code, Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-field.module.css';

export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={550} mb={4}>
        {label}
      </Text>
      <Group gap={4} wrap="nowrap" className={classes.field}>
        <Code className={classes.value}>{value}</Code>
        <CopyButton value={value} name={label} />
      </Group>
    </div>
  );
}
