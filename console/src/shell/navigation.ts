import type { AnyRoute } from '@tanstack/react-router';
import { mayDo, type Session } from '../api/session.ts';
import { isDemo } from '../environment.ts';
import type { NavigationEntry } from './navigation-entry.ts';

export interface Destination extends NavigationEntry {
  to: string;
}

/** Pages that the user may open, in order. */
export function destinationsAmong(routes: readonly AnyRoute[], session: Session): Destination[] {
  return routes
    .flatMap((route) => {
      const { navigation, needs, isDemoOnly } = route.options.staticData ?? {};
      if (!navigation || !mayDo(session, needs) || (isDemoOnly && !isDemo)) return [];
      return [{ ...navigation, to: route.fullPath as string }];
    })
    .sort((a, b) => a.order - b.order);
}
