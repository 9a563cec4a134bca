import { Box, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { t, tn } from '../../texts/t.ts';
import { numberText } from '../number-text.ts';
import { CardRows } from './card-rows.tsx';
import type { Source } from './column.ts';
import classes from './data-list.module.css';
import type { DataListProps } from './data-list-props.ts';
import { ListEnd } from './list-end.tsx';
import { ListPages } from './list-pages.tsx';
import { ListState } from './list-state.tsx';
import { SortChoice } from './sort-choice.tsx';
import { TableRows } from './table-rows.tsx';
import { useSortedRows } from './use-sorted-rows.ts';

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
          {hasCount ? <Count source={source} /> : <span />}
          {hasSortChoice && <SortChoice columns={props.columns} sort={sort} onSort={onSort} />}
        </Group>
      )}
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

function Count<Row>({ source: { count = 0, countIsExact = true } }: { source: Source<Row> }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      {countIsExact ? tn('parts.list.count', count) : t('parts.list.countAtMost', { count: numberText(count) })}
    </Text>
  );
}
