import { Group, Paper, VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { canOpen } from './column.ts';
import classes from './data-list.module.css';
import type { DataListProps } from './data-list-props.ts';
import { OpenRow, useRowClick } from './open-row.tsx';
import { useMoreAtEnd, useVisibleRows } from './use-visible-rows.ts';

const cardHeight = 140;

interface Props<Row> extends DataListProps<Row> {
  rows: readonly Row[];
}

export function CardRows<Row>({ label, rows, columns, rowKey, open, source }: Props<Row>) {
  const frame = useRef<HTMLUListElement>(null);
  const { indexes, before, behind, isAtEnd, measure } = useVisibleRows(rows.length, cardHeight, frame);
  useMoreAtEnd(isAtEnd, source);
  const onRowClick = useRowClick(open);
  const heading = columns.find(({ onCard }) => onCard === 'heading') ?? columns[0];
  const aside = columns.filter(({ onCard }) => onCard === 'aside');
  const fields = columns.filter(
    (column) => column !== heading && column.onCard !== 'aside' && column.onCard !== 'hidden',
  );
  return (
    <ul
      ref={frame}
      className={classes.cards}
      aria-label={label}
      data-refreshing={(source.isFetching && !source.isPending) || undefined}
      style={{ paddingBlock: `${before}px ${behind}px` }}
    >
      {indexes.map((index) => {
        const row = rows[index] as Row;
        return (
          <li key={rowKey(row)} ref={measure} data-index={index} className={classes.item}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the heading inside does the same by keyboard */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the heading inside does the same by keyboard */}
            <div onClick={(event) => onRowClick(row, event)}>
              <Paper withBorder p="md" className={canOpen(open, row) ? classes.clickable : undefined}>
                <Group justify="space-between" wrap="nowrap" align="start" gap="sm">
                  <div className={classes.heading}>
                    {heading && (
                      <OpenRow row={row} open={open}>
                        {heading.render(row)}
                      </OpenRow>
                    )}
                  </div>
                  {aside.length > 0 && (
                    <Group gap={6} wrap="nowrap" flex="0 0 auto">
                      {aside.map((column) => (
                        <div key={column.key}>{column.render(row)}</div>
                      ))}
                    </Group>
                  )}
                </Group>
                {fields.length > 0 && (
                  <dl className={classes.fields}>
                    {fields.map((column) => (
                      <div key={column.key} data-text={column.onCard === 'text' || undefined}>
                        {column.onCard === 'text' ? (
                          <VisuallyHidden component="dt">{column.title}</VisuallyHidden>
                        ) : (
                          <dt>{column.title}</dt>
                        )}
                        <dd>{column.render(row)}</dd>
                      </div>
                    ))}
                  </dl>
                )}
              </Paper>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
