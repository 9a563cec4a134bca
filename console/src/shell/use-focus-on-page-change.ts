import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Another page: the focus goes to its beginning, as it would with a page that the browser loads. */
export function useFocusOnPageChange(id: string): void {
  const router = useRouter();
  const last = useRef(router.latestLocation.pathname);
  useEffect(
    () =>
      router.subscribe('onResolved', ({ toLocation }) => {
        if (toLocation.pathname === last.current) return;
        last.current = toLocation.pathname;
        // Tabs inside a page lead to another address too; whoever uses them stays where he is.
        const active = document.activeElement;
        if (active?.getAttribute('role') === 'tab') return;
        document.getElementById(id)?.focus({ preventScroll: true });
      }),
    [router, id],
  );
}
