const key = 'waypost-reloaded-for';
const missing = new WeakSet<object>();

/**
 * Notes which errors are about a file of the console that could not be had: after an update those of the old build are
 * gone, or nothing answers. Nothing else happens here: a link that is only pointed at loads its page ahead too, and
 * must not cost what somebody has typed. See missing-file-page.tsx for what happens when the page is really wanted.
 */
export function watchForMissingFiles(): void {
  addEventListener('vite:preloadError', (event) => {
    const { payload } = event as Event & { payload?: Error };
    if (!payload) return;
    missing.add(payload);
    // The router would read the page anew by itself, even where nothing answers. This tells it that it has done so.
    sessionStorage.setItem(`tanstack_router_reload:${payload.message}`, '1');
  });
}

export const isMissingFile = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && missing.has(error);

/** Reads the page anew, once for each file that is missing. Answers whether it does. */
export function reloadOnceFor({ message }: Error): boolean {
  if (sessionStorage.getItem(key) === message) return false;
  sessionStorage.setItem(key, message);
  location.reload();
  return true;
}

/** Whether Waypost answers at all, by this very address. */
export const doesAnswer = (): Promise<boolean> =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
