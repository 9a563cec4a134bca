import { type AnyRouter, useRouter } from '@tanstack/react-router';
import { mayDo, useSession } from '../api/session.ts';
import { isDemo } from '../environment.ts';
import type { NavigationEntry } from './navigation-entry.ts';

export interface Destination extends NavigationEntry {
  to: string;
}

/** Pages in the navigation that the user may open, in order, without the settings pages. */
export const useMainPages = (): Destination[] => useDestinations().filter(({ to }) => !isSettingsPage(to));

/** Settings pages that the user may open, in order. */
export const useSettingsPages = (): Destination[] => useDestinations().filter(({ to }) => isSettingsPage(to));

const isSettingsPage = (path: string) => path.startsWith('/settings/');

function useDestinations(): Destination[] {
  const session = useSession();
  const { routesByPath } = useRouter<AnyRouter>();
  return Object.entries(routesByPath)
    .flatMap(([to, route]) => {
      const { navigation, needs, isDemoOnly } = route.options.staticData ?? {};
      if (!navigation || !mayDo(session, needs) || (isDemoOnly && !isDemo)) return [];
      return [{ ...navigation, to }];
    })
    .sort((a, b) => a.order - b.order);
}
