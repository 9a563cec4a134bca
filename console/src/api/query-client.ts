import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';

/** What is worth another try: nothing answered, the service had trouble, or it asked for some patience. */
const passes = (problem: Error) =>
  !(problem instanceof ApiProblem) || problem.code === 0 || problem.code >= 500 || problem.isLimited;

const retryDelay = (count: number, problem: Error) =>
  problem instanceof ApiProblem && problem.retryAfterSeconds !== undefined
    ? problem.retryAfterSeconds * 1000
    : Math.min(1000 * 2 ** count, 8000);

export const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // Also while the browser says that it is offline: what then fails says so. Waiting in silence for the network
      // would show old rows as if they were found, and send out later what somebody has given up on.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: (count, problem) => count < 2 && passes(problem),
        retryDelay,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
