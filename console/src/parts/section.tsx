import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, text, actions, children }: Props) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id}>
      <Group justify="space-between" align="start" mb={children ? 'md' : 0} gap="sm">
        <Stack gap={2} miw={0}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {text && (
            <Text c="dimmed" size="sm" maw={640}>
              {text}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Card>
  );
}
