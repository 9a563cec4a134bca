import { Anchor } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { canOpen, type RowAction } from './column.ts';
import classes from './data-list.module.css';

interface Props<Row> {
  row: Row;
  /** Undefined if the list opens no rows. */
  open: RowAction<Row> | undefined;
  children: ReactNode;
}

/** Opens the row from the keyboard: a link, which can also open in a new tab, or a button. */
export function OpenRow<Row>({ row, open, children }: Props<Row>) {
  if (!canOpen(open, row)) return children;
  if ('to' in open) {
    return (
      <Anchor component={Link} to={open.to(row)} className={classes.open} underline="hover">
        {children}
      </Anchor>
    );
  }
  return (
    <Anchor component="button" type="button" className={classes.open} underline="hover" onClick={() => open.run(row)}>
      {children}
    </Anchor>
  );
}

const interactiveElements =
  'a, button, input, label, select, textarea, [role="menuitem"], [role="checkbox"], [role="switch"]';

/** Opens the row on click, except on interactive elements inside it. */
export function useRowClick<Row>(open: RowAction<Row> | undefined) {
  const navigate = useNavigate();
  return (row: Row, event: MouseEvent<HTMLElement>) => {
    if (!canOpen(open, row)) return;
    const target = event.target as HTMLElement;
    if (!event.currentTarget.contains(target) || target.closest(interactiveElements)) return;
    // The user is selecting text.
    if (window.getSelection()?.toString()) return;
    if ('to' in open) void navigate({ to: open.to(row) });
    else open.run(row);
  };
}
