import { type AnyRouter, useRouter } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { hasPermission, type Permission, useSession } from '../api/session.ts';
import { isDemo } from '../environment.ts';
import type { PlainKey } from '../texts/t.ts';

/** Navigation entry of a page. Users without the permission see neither the entry nor the page. */
interface NavigationEntry {
  label: PlainKey;
  icon: LucideIcon;
  /** Position: 10 Home, 20 Locations, 30 Listings, 40 Inbox … see README.md. */
  order: number;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    navigation?: NavigationEntry;
    /** Required permission; undefined for all users. */
    needs?: Permission;
    /** Only in demo mode. */
    isDemoOnly?: boolean;
  }
}

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
      if (!navigation || !hasPermission(session, needs) || (isDemoOnly && !isDemo)) return [];
      return [{ ...navigation, to }];
    })
    .sort((a, b) => a.order - b.order);
}
