import { Center, Loader, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../../texts/t.ts';
import { TryAgain } from '../try-again.tsx';
import type { Source } from './column.ts';

/** The end of an infinite list. Loads the next page before the end becomes visible. */
export function ListEnd<Row>({ source }: { source: Source<Row> }) {
  const marker = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, loadMore, error, hasLoadMoreError } = source;
  const { length = 0 } = source.rows ?? [];
  // Length before the last page. A shorter list is a new one, which was loaded as a whole.
  const incompleteLength = useRef(0);
  if (hasMore) incompleteLength.current = length;
  const hasPages = incompleteLength.current > 0 && length >= incompleteLength.current;
  const load = useRef(loadMore);
  load.current = loadMore;
  // Observes again after each page: with fast scrolling, the end never leaves the viewport.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each page
  useEffect(() => {
    const element = marker.current;
    if (!element || !hasMore || isLoadingMore || hasLoadMoreError) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) load.current?.();
      },
      { rootMargin: '800px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, isLoadingMore, length, hasLoadMoreError]);
  if (error && hasLoadMoreError && loadMore && !isLoadingMore) return <TryAgain error={error} onRetry={loadMore} />;
  if (!hasPages) return null;
  return (
    <Center ref={marker} mih={36} role="status">
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
