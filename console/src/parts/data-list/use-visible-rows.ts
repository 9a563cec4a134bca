import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import type { Source } from './column.ts';

/** Below this many rows all of them exist: searching in the page and printing work as everybody expects. */
const fewEnough = 100;

/** So many rows before the end more are asked for. */
const nearEnd = 30;

interface Visible {
  indexes: readonly number[];
  /** The height of what is left out before and behind, in pixels. */
  before: number;
  behind: number;
  /** Whether the last rows of a long list are in sight. */
  isAtEnd: boolean;
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
    return {
      indexes: Array.from({ length: count }, (_, index) => index),
      before: 0,
      behind: 0,
      isAtEnd: false,
      measure: undefined,
    };
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return {
    indexes: items.map(({ index }) => index),
    before: first ? first.start - scrollMargin : 0,
    behind: last ? virtualizer.getTotalSize() - (last.end - scrollMargin) : 0,
    isAtEnd: (last?.index ?? 0) >= count - nearEnd,
    measure: virtualizer.measureElement,
  };
}

/** Brings more when the end of a long list is in sight, however quickly somebody got there. */
export function useMoreAtEnd(isAtEnd: boolean, { rows, isLoadingMore, loadMore }: Source<unknown>): void {
  const known = rows?.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again whenever there are more rows
  useEffect(() => {
    if (isAtEnd && !isLoadingMore) loadMore?.();
  }, [isAtEnd, isLoadingMore, known]);
}
