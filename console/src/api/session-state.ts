import { useSyncExternalStore } from 'react';

/**
 * Whether the session has ended while somebody worked. Calls that found it ended wait here until it is known whether
 * the user logged in again.
 */
let waiting: ((isBack: boolean) => void)[] = [];
const listeners = new Set<() => void>();

/** Answers true once the user is logged in again, false when he gives up. */
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
