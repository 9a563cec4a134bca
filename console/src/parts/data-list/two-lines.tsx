import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A value of a list with a smaller text below it, if there is one. */
export function TwoLines({ below, children }: { below: ReactNode; children: ReactNode }) {
  return (
    <Stack gap={0}>
      {children}
      {below && (
        <Text span size="xs" c="dimmed" fw={400}>
          {below}
        </Text>
      )}
    </Stack>
  );
}
