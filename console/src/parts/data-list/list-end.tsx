import { Center, Loader, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../../texts/t.ts';
import { TryAgain } from '../try-again.tsx';
import type { Source } from './column.ts';

/** Loads the next page when it becomes visible. */
export function ListEnd<Row>({ source }: { source: Source<Row> }) {
  const mark = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, loadMore, error, hasLoadMoreError } = source;
  const known = source.rows?.length;
  const lengthBefore = useRef(0);
  if (hasMore) lengthBefore.current = known ?? 0;
  const isLong = lengthBefore.current > 0 && (known ?? 0) >= lengthBefore.current;
  const load = useRef(loadMore);
  load.current = loadMore;
  // Observes again after each page: fast scrolling reaches the new end without leaving the viewport.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each page
  useEffect(() => {
    const element = mark.current;
    if (!element || !hasMore || isLoadingMore || hasLoadMoreError) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) load.current?.();
      },
      { rootMargin: '800px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, isLoadingMore, known, hasLoadMoreError]);
  if (error && hasLoadMoreError && loadMore && !isLoadingMore) return <TryAgain error={error} onRetry={loadMore} />;
  // Short lists need no end marker.
  if (!isLong) return null;
  return (
    <Center ref={mark} mih={36} role="status">
      {isLoadingMore ? (
        <Loader size="sm" type="dots" aria-label={t('parts.list.more')} />
      ) : (
        !hasMore && (
          <Text size="sm" c="dimmed">
            {t('parts.list.end')}
          </Text>
        )
      )}
    </Center>
  );
}
