import { Badge, VisuallyHidden } from '@mantine/core';
import { useOpenAlerts } from '../api/alerts.ts';
import { tn } from '../texts/t.ts';
import { shortNumber } from './number-text.ts';

/** The number of open alerts, beside the name of a page; nothing without alerts. */
export function AlertCount() {
  const count = useOpenAlerts().data?.count ?? 0;
  if (count === 0) return null;
  return (
    <>
      <Badge color="red" size="sm" variant="filled" circle={count < 10} aria-hidden>
        {shortNumber(count)}
      </Badge>
      <VisuallyHidden>{tn('alerts.open', count)}</VisuallyHidden>
    </>
  );
}
