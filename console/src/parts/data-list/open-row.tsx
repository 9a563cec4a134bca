import { Anchor } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import type { Opening } from './column.ts';
import classes from './data-list.module.css';

/** The part of a row that opens it by keyboard: a link, so that it can be opened in a tab, or a button. */
export function OpenRow<Row>({ row, open, children }: { row: Row; open: Opening<Row>; children: ReactNode }) {
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

const ownActions = 'a, button, input, label, select, textarea, [role="menuitem"], [role="checkbox"], [role="switch"]';

/** A click anywhere on the row opens it as well, but not one on something that does a thing of its own. */
export function useRowClick<Row>(open: Opening<Row> | undefined) {
  const navigate = useNavigate();
  if (!open) return undefined;
  return (row: Row, event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (!event.currentTarget.contains(target) || target.closest(ownActions)) return;
    if (window.getSelection()?.toString()) return;
    if ('to' in open) void navigate({ to: open.to(row) });
    else open.run(row);
  };
}
