import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/api-problem.ts';
import { TryAgain } from './try-again.tsx';

interface Props<Data> {
  query: { data: Data | undefined; error: ApiProblem | null; isFetching: boolean; refetch(): unknown };
  /** Height of the placeholder. */
  height?: number;
  children: (data: Data) => ReactNode;
}

/** Loading and error states for a part of a page. */
export function Loaded<Data>({ query, height = 240, children }: Props<Data>) {
  if (query.error) return <TryAgain error={query.error} onRetry={query.refetch} />;
  if (query.data === undefined) return <Skeleton height={height} />;
  return (
    <div aria-busy={query.isFetching} style={query.isFetching ? { cursor: 'progress' } : undefined}>
      {children(query.data)}
    </div>
  );
}
