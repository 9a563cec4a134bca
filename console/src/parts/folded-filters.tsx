import { Button, Group } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { t, tn } from '../texts/t.ts';

interface Props {
  /** What is always there, mostly the search. */
  first: ReactNode;
  /** How many of the others are set. */
  count: number;
  children: ReactNode;
}

/** Filters in a row; on narrow screens all but the first wait behind a button, so that the list is in sight. */
export function FoldedFilters({ first, count, children }: Props) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return (
    <Group gap="sm" align="start">
      {first}
      {isNarrow && (
        <Button
          variant="default"
          leftSection={<SlidersHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {count > 0 ? tn('parts.filters.set', count) : t('parts.filters.title')}
        </Button>
      )}
      {(!isNarrow || isOpen) && children}
    </Group>
  );
}
