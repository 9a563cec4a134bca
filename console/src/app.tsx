import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { newQueryClient } from './api/query-client.ts';
import { styleNonce } from './environment.ts';
import { router } from './router.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { theme } from './theme.ts';

// The scroll lock of dialogs adds its own style element, which needs the nonce.
setNonce(styleNonce);

const colorSchemes = localStorageColorSchemeManager({ key: 'waypost-color-scheme' });
const queries = newQueryClient();

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
