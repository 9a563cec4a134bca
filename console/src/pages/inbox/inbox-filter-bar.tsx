import { Button, Collapse, Group, Select, SimpleGrid } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { t, tn } from '../../texts/t.ts';
import { type InboxSearch, inboxFilters } from './inbox-filters.ts';

interface Props {
  search: InboxSearch;
  onChange: (change: InboxSearch) => void;
  onClear: () => void;
}

/** On narrow screens these are collapsed with the other filters. */
const quick = ['type', 'isRead', 'hasReply'] as const;
const dates = ['from', 'until'] as const;
const collapsible = inboxFilters.names.filter((name) => name !== 'query');
const more = collapsible.filter((name) => ![...quick, ...dates].some((other) => other === name));

export function InboxFilterBar({ search, onChange, onClear }: Props) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const count = inboxFilters.count(search, isNarrow ? collapsible : [...more, ...dates]);
  const props = { filters: inboxFilters, search, onChange };
  return (
    <div>
      <Group gap="sm" align="start" mb="sm">
        <FilterControls {...props} only={['query']} />
        {!isNarrow && <FilterControls {...props} only={quick} />}
        <Button
          variant="default"
          leftSection={<SlidersHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {count > 0 ? tn('inbox.moreFiltersSet', count) : t('inbox.moreFilters')}
        </Button>
        {inboxFilters.isFiltered(search) && (
          <Button variant="subtle" onClick={onClear}>
            {t('parts.list.clearFilters')}
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        {isNarrow && (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
            <FilterControls {...props} only={quick} />
          </SimpleGrid>
        )}
        <MoreFilters search={search} onChange={onChange} />
      </Collapse>
    </div>
  );
}

function MoreFilters({ search, onChange }: Omit<Props, 'onClear'>) {
  const props = { filters: inboxFilters, search, onChange, isLabelled: true };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" mb="md">
      <FilterControls {...props} only={more} />
      <Select
        label={t('inbox.sort')}
        data={(['newest', 'oldest', 'best', 'worst'] as const).map((value) => ({
          value,
          label: t(`inbox.sorts.${value}`),
        }))}
        value={search.sort ?? 'newest'}
        onChange={(value) => onChange({ sort: value === 'newest' ? undefined : (value as InboxSearch['sort']) })}
      />
      <FilterControls {...props} only={dates} />
    </SimpleGrid>
  );
}
