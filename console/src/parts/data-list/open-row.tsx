import { Anchor } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import type { Opening } from './column.ts';
import classes from './data-list.module.css';

/** A link (so it can open in a tab) or a button, for keyboard access. */
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

/** Opens the row on click, except on interactive elements inside it. */
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
