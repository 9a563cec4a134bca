import { useSyncExternalStore } from 'react';

/** One resolver per request that received 401 and waits for the user. */
let resolvers: ((isSignedIn: boolean) => void)[] = [];
const listeners = new Set<() => void>();

/** Opens the sign-in dialog. True: the user signed in, retry the request. False: they closed the dialog. */
export function waitForSignIn(): Promise<boolean> {
  return new Promise((resolve) => {
    resolvers = [...resolvers, resolve];
    for (const notify of listeners) notify();
  });
}

export function resolveWaitingRequests(isSignedIn: boolean): void {
  const settled = resolvers;
  resolvers = [];
  for (const notify of listeners) notify();
  for (const resolve of settled) resolve(isSignedIn);
}

export const useSessionEnded = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => resolvers.length > 0,
  );
