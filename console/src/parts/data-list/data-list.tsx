import { ActionIcon, Box, Group, Select, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { t, tn } from '../../texts/t.ts';
import { numberText } from '../number-text.ts';
import { CardRows } from './card-rows.tsx';
import { canSort, type Sort, type Source } from './column.ts';
import classes from './data-list.module.css';
import type { DataListProps } from './data-list-props.ts';
import { ListEnd } from './list-end.tsx';
import { ListPages } from './list-pages.tsx';
import { ListState, ReloadError } from './list-state.tsx';
import { TableRows } from './table-rows.tsx';

/** Table on wide screens, cards on narrow ones, with loading, empty, error and no-permission states. Virtualised. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { source, filters, paging, withCount = true } = props;
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const { rows, sort, onSort } = useSortedRows(props);
  const isShown = rows.length > 0 && !(source.error && source.rows === undefined);
  const hasCount = withCount && source.count !== undefined;
  const hasSortChoice = isNarrow && onSort !== undefined;
  return (
    <Stack gap="sm">
      {filters && <Box className={classes.filters}>{filters}</Box>}
      {isShown && (hasCount || hasSortChoice) && (
        <Group justify="space-between" gap="sm" mih={hasCount ? 24 : 0}>
          {hasCount ? <Count source={source} isSearch={props.isSearch} /> : <span />}
          {hasSortChoice && <SortChoice columns={props.columns} sort={sort} onSort={onSort} />}
        </Group>
      )}
      {isShown && <ReloadError source={source} />}
      <Box aria-busy={source.isFetching ?? source.isPending}>
        {!isShown ? (
          <ListState {...props} isNarrow={isNarrow} />
        ) : isNarrow ? (
          <CardRows {...props} rows={rows} />
        ) : (
          <TableRows {...props} rows={rows} sort={sort} onSort={onSort} />
        )}
      </Box>
      {isShown && source.loadMore && <ListEnd source={source} />}
      {isShown && paging && (
        <ListPages paging={paging} count={source.count ?? 0} isExact={source.countIsExact ?? true} />
      )}
    </Stack>
  );
}

function Count<Row>({ source, isSearch }: { source: Source<Row>; isSearch: boolean | undefined }) {
  const { count = 0, countIsExact = true } = source;
  const shown = { count: numberText(count) };
  const inexact = isSearch
    ? `${t('parts.list.countAtLeast', shown)} ${t('parts.list.searchCut')}`
    : t('parts.list.countAtMost', shown);
  return (
    <Text size="sm" c="dimmed" role="status">
      {countIsExact ? tn('parts.list.count', count) : inexact}
    </Text>
  );
}

type Sorting<Row> = Pick<DataListProps<Row>, 'source' | 'columns' | 'sort' | 'onSort'>;

/** Sorts columns with a `sortValue` in the browser if the list is loaded completely. */
function useSortedRows<Row>({ source, columns, sort, onSort }: Sorting<Row>) {
  const [own, setOwn] = useState<Sort>();
  const chosen = onSort ? sort : own;
  const rows = source.rows ?? [];
  const isWhole = !source.hasMore && (source.count ?? rows.length) <= rows.length;
  const sortValue = isWhole ? columns.find(({ key }) => key === chosen?.by)?.sortValue : undefined;
  const direction = chosen?.isDescending ? -1 : 1;
  const sorted = sortValue ? rows.toSorted((a, b) => direction * compare(sortValue(a), sortValue(b))) : rows;
  const canSortHere = isWhole && columns.some((column) => column.sortValue);
  return { rows: sorted, sort: chosen, onSort: onSort ?? (canSortHere ? setOwn : undefined) };
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b, undefined, { numeric: true });
  return a < b ? -1 : a > b ? 1 : 0;
}

type SortChoiceProps<Row> = Pick<Sorting<Row>, 'columns' | 'sort'> & { onSort: (sort: Sort) => void };

/** Cards have no column headings to sort by. */
function SortChoice<Row>({ columns, sort, onSort }: SortChoiceProps<Row>) {
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
