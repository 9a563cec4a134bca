import { useSyncExternalStore } from 'react';

/** Requests that get a 401 wait here until the user has signed in again or left. */
let waiting: ((isBack: boolean) => void)[] = [];
const listeners = new Set<() => void>();

/** Resolves to true when the user has signed in again, false when they leave. */
export function sessionEnded(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    for (const tell of listeners) tell();
  });
}

export function settleSession(isBack: boolean): void {
  const answered = waiting;
  waiting = [];
  for (const tell of listeners) tell();
  for (const resolve of answered) resolve(isBack);
}

export const useSessionEnded = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting.length > 0,
  );
