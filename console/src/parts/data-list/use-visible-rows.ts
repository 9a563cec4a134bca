import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Below this many rows all of them exist: searching in the page and printing work as everybody expects. */
const fewEnough = 100;

interface Visible {
  indexes: readonly number[];
  /** The height of what is left out before and behind, in pixels. */
  before: number;
  behind: number;
  /** The ref of each row, which must have `data-index`. */
  measure: ((element: Element | null) => void) | undefined;
}

/** Which rows of a long list exist: those in sight and a few around them. The page scrolls, not a box in it. */
export function useVisibleRows(count: number, estimatedHeight: number, frame: RefObject<HTMLElement | null>): Visible {
  const isLong = count > fewEnough;
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const top = frame.current?.getBoundingClientRect().top;
    if (top !== undefined) setScrollMargin(Math.round(top + window.scrollY));
  }, [frame]);
  const virtualizer = useWindowVirtualizer({
    count: isLong ? count : 0,
    estimateSize: () => estimatedHeight,
    overscan: 12,
    scrollMargin,
  });
  if (!isLong)
    return { indexes: Array.from({ length: count }, (_, index) => index), before: 0, behind: 0, measure: undefined };
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return {
    indexes: items.map(({ index }) => index),
    before: first ? first.start - scrollMargin : 0,
    behind: last ? virtualizer.getTotalSize() - (last.end - scrollMargin) : 0,
    measure: virtualizer.measureElement,
  };
}
