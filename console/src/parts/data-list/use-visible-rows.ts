import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import type { Source } from './column.ts';

/** Shorter lists are rendered completely, so that find-in-page and printing work. */
const fewEnough = 100;

/** Rows before the end at which the next page is loaded. */
const nearEnd = 30;

interface Visible {
  indexes: readonly number[];
  /** Height of the rows that are not rendered, in pixels. */
  before: number;
  behind: number;
  /** Whether the end of the list is visible. */
  isAtEnd: boolean;
  /** Ref for each row; rows need `data-index`. */
  measure: ((element: Element | null) => void) | undefined;
}

/** Virtualises long lists. The window scrolls, not a container. */
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

/** Loads more rows when the end is visible. */
export function useMoreAtEnd(
  isAtEnd: boolean,
  { rows, hasLoadMoreError, isLoadingMore, loadMore }: Source<unknown>,
): void {
  const known = rows?.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again when rows are added
  useEffect(() => {
    if (isAtEnd && !isLoadingMore && !hasLoadMoreError) loadMore?.();
  }, [isAtEnd, isLoadingMore, known]);
}
