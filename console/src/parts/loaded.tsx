import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/api-problem.ts';
import { TryAgain } from './try-again.tsx';

interface Props<Data> {
  query: { data: Data | undefined; error: ApiProblem | null; isFetching: boolean; refetch(): unknown };
  /** Height of the placeholder. */
  height?: number;
  children: (data: Data) => ReactNode;
}

/** Loading and error states for a part of a page. A failed refetch keeps the loaded data. */
export function Loaded<Data>({ query, height = 240, children }: Props<Data>) {
  const { data, error, isFetching, refetch } = query;
  const problem = error && <TryAgain error={error} onRetry={refetch} />;
  if (data === undefined) return problem ?? <Skeleton height={height} />;
  return (
    <Stack gap="sm">
      {problem}
      <div aria-busy={isFetching} style={isFetching ? { cursor: 'progress' } : undefined}>
        {children(data)}
      </div>
    </Stack>
  );
}
