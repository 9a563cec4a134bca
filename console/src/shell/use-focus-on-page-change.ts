import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Moves the focus to the start of a new page, as the browser does, unless the user has already focused a control. */
export function useFocusOnPageChange(id: string): void {
  const router = useRouter();
  const last = useRef(router.latestLocation.pathname);
  useEffect(() => {
    let hasUserMoved = false;
    const notice = ({ target }: FocusEvent) => {
      hasUserMoved = document.getElementById(id)?.contains(target as Element) === true;
    };
    document.addEventListener('focusin', notice);
    const unsubscribe = [
      router.subscribe('onBeforeNavigate', () => {
        hasUserMoved = false;
      }),
      router.subscribe('onResolved', ({ toLocation }) => {
        if (toLocation.pathname === last.current) return;
        last.current = toLocation.pathname;
        // Tabs have their own URLs but keep the focus.
        if (hasUserMoved || document.activeElement?.getAttribute('role') === 'tab') return;
        document.getElementById(id)?.focus({ preventScroll: true });
      }),
    ];
    return () => {
      document.removeEventListener('focusin', notice);
      for (const end of unsubscribe) end();
    };
  }, [router, id]);
}
