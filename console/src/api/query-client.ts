import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';

/** Retries network failures, 5xx and 429. */
const isTemporary = (problem: Error) =>
  !(problem instanceof ApiProblem) || problem.code === 0 || problem.code >= 500 || problem.isLimited;

const retryDelay = (count: number, problem: Error) =>
  problem instanceof ApiProblem && problem.retryAfterSeconds !== undefined
    ? problem.retryAfterSeconds * 1000
    : Math.min(1000 * 2 ** count, 8000);

export const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // Requests are also sent while offline: a failed one shows an error, a paused one would show stale rows.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: (count, problem) => count < 2 && isTemporary(problem),
        retryDelay,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
