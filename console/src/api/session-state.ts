import { useSyncExternalStore } from 'react';

/** Resolvers of requests with a 401 that wait until the user signs in again or leaves. */
let waiting: ((isBack: boolean) => void)[] = [];
const listeners = new Set<() => void>();

/** Resolves to true when the user has signed in again, false when they leave. */
export function sessionEnded(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    for (const notify of listeners) notify();
  });
}

export function settleSession(isBack: boolean): void {
  const resolvers = waiting;
  waiting = [];
  for (const notify of listeners) notify();
  for (const resolve of resolvers) resolve(isBack);
}

export const useSessionEnded = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting.length > 0,
  );
