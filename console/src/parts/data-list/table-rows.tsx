import { Group, Paper, Table, UnstyledButton } from '@mantine/core';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { useRef } from 'react';
import { t } from '../../texts/t.ts';
import { type Column, canOpen, canSort, type Sort } from './column.ts';
import classes from './data-list.module.css';
import type { DataListProps } from './data-list-props.ts';
import { OpenRow, useRowClick } from './open-row.tsx';
import { useMoreAtEnd, useVisibleRows } from './use-visible-rows.ts';

const rowHeight = 53;

interface Props<Row> extends DataListProps<Row> {
  rows: readonly Row[];
}

export function TableRows<Row>({ label, rows, columns, rowKey, open, sort, onSort, source, paging }: Props<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const { indexes, before, behind, isAtEnd, measure } = useVisibleRows(rows.length, rowHeight, frame);
  useMoreAtEnd(isAtEnd, source);
  const onRowClick = useRowClick(open);
  // The row of headings is counted. -1: the number is not known.
  const rowCount = source.countIsExact === false ? -1 : (source.count ?? rows.length) + 1;
  return (
    <Paper
      withBorder
      ref={frame}
      className={classes.frame}
      data-refreshing={(source.isFetching && !source.isPending) || undefined}
    >
      <Table.ScrollContainer minWidth={0} type="native">
        <Table highlightOnHover={open !== undefined} aria-label={label} aria-rowcount={rowCount}>
          <Table.Thead className={classes.head}>
            <Table.Tr aria-rowindex={1}>
              {columns.map((column) => (
                <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {before > 0 && <Gap height={before} columns={columns.length} />}
            {indexes.map((index) => {
              const row = rows[index] as Row;
              return (
                <Table.Tr
                  key={rowKey(row)}
                  ref={measure}
                  data-index={index}
                  aria-rowindex={(paging?.offset ?? 0) + index + 2}
                  className={canOpen(open, row) ? classes.clickable : undefined}
                  onClick={(event) => onRowClick(row, event)}
                >
                  {columns.map((column, position) => (
                    <Table.Td key={column.key} ta={column.align} className={classes.cell}>
                      {position === 0 ? (
                        <OpenRow row={row} open={open}>
                          {column.render(row)}
                        </OpenRow>
                      ) : (
                        column.render(row)
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
            {behind > 0 && <Gap height={behind} columns={columns.length} />}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}

const Gap = ({ height, columns }: { height: number; columns: number }) => (
  <tr>
    <td colSpan={columns} style={{ height, padding: 0 }} />
  </tr>
);

interface HeadingProps<Row> {
  column: Column<Row>;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
}

function Heading<Row>({ column, sort, onSort }: HeadingProps<Row>) {
  const { key, title, align, width } = column;
  const isChosen = sort?.by === key;
  if (!canSort(column) || !onSort) {
    return (
      <Table.Th scope="col" w={width} ta={align}>
        {title}
      </Table.Th>
    );
  }
  const Icon = !isChosen ? ArrowUpDown : sort.isDescending ? ArrowDown : ArrowUp;
  return (
    <Table.Th
      scope="col"
      w={width}
      ta={align}
      aria-sort={!isChosen ? 'none' : sort.isDescending ? 'descending' : 'ascending'}
    >
      <UnstyledButton
        className={classes.sort}
        title={t('parts.list.sortBy', { column: title })}
        onClick={() => onSort({ by: key, isDescending: isChosen ? !sort.isDescending : false })}
      >
        <Group gap={4} wrap="nowrap" component="span" justify={align === 'right' ? 'flex-end' : undefined}>
          {title}
          <Icon size={14} aria-hidden className={isChosen ? undefined : classes.unsorted} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}
