import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { Component, type ReactNode } from 'react';
import { ApiProblem } from './api/api-problem.ts';
import { styleNonce } from './environment.ts';
import { router } from './router.ts';
import { PageError } from './shell/page-error.tsx';
import { theme } from './theme.ts';

// The scroll lock of dialogs adds its own style element, which needs the nonce.
setNonce(styleNonce);

const colorSchemes = localStorageColorSchemeManager({ key: 'waypost-color-scheme' });

/** Retries network failures, 5xx and 429. */
const isTemporary = (problem: Error) =>
  !(problem instanceof ApiProblem) || problem.code === 0 || problem.code >= 500 || problem.isLimited;

const retryDelay = (count: number, problem: Error) =>
  problem instanceof ApiProblem && problem.retryAfterSeconds !== undefined
    ? problem.retryAfterSeconds * 1000
    : Math.min(1000 * 2 ** count, 8000);

const queries = new QueryClient({
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

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
      getStyleNonce={() => styleNonce}
    >
      <ErrorBoundary>
        <QueryClientProvider client={queries}>
          {/* On the left, because drawers have their buttons at the bottom right. */}
          <Notifications position="bottom-left" limit={4} />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  );
}

/** Catches errors outside pages. */
class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <PageError error={this.state.error} />;
  }
}
