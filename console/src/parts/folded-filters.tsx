import { Button, Group } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { t, tn } from '../texts/t.ts';

interface Props {
  /** Always visible, usually the search field. */
  first: ReactNode;
  /** Number of active filters. */
  count: number;
  children: ReactNode;
}

/** On narrow screens, filters are collapsed behind a button. */
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
