import { ActionIcon, Group, Select } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { t } from '../../texts/t.ts';
import { type Column, canSort, type Sort } from './column.ts';

interface Props<Row> {
  columns: readonly Column<Row>[];
  sort?: Sort | undefined;
  onSort: (sort: Sort) => void;
}

/** Cards have no column headings to sort by. */
export function SortChoice<Row>({ columns, sort, onSort }: Props<Row>) {
  const sortable = columns.filter(canSort);
  if (sortable.length === 0) return null;
  const chosen = sortable.find(({ key }) => key === sort?.by);
  const isDescending = sort?.isDescending ?? false;
  return (
    <Group gap={4} wrap="nowrap">
      <Select
        size="xs"
        aria-label={t('parts.list.sort')}
        placeholder={t('parts.list.sort')}
        data={sortable.map(({ key, title }) => ({ value: key, label: title }))}
        value={chosen?.key ?? null}
        onChange={(by) => by && onSort({ by, isDescending })}
      />
      <ActionIcon
        variant="default"
        aria-label={t('parts.list.sortBy', { column: chosen?.title ?? '' })}
        disabled={!chosen}
        onClick={() => chosen && onSort({ by: chosen.key, isDescending: !isDescending })}
      >
        {isDescending ? <ArrowDown size={14} aria-hidden /> : <ArrowUp size={14} aria-hidden />}
      </ActionIcon>
    </Group>
  );
}
