const key = 'waypost-reloaded-for';
const missing = new WeakSet<object>();

/** Records failed script loads. Does not reload here: preloading a hovered link must not discard unsaved changes. */
export function watchForMissingFiles(): void {
  addEventListener('vite:preloadError', (event) => {
    const { payload } = event as Event & { payload?: Error };
    if (!payload) return;
    missing.add(payload);
    // Prevents the router's own reload, which would happen even when the server is unreachable.
    sessionStorage.setItem(`tanstack_router_reload:${payload.message}`, '1');
  });
}

export const isMissingFile = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && missing.has(error);

/** Reloads once per missing file. Returns whether it reloads. */
export function reloadOnceFor({ message }: Error): boolean {
  if (sessionStorage.getItem(key) === message) return false;
  sessionStorage.setItem(key, message);
  location.reload();
  return true;
}

export const isServerReachable = (): Promise<boolean> =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
