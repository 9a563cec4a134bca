import type { LucideIcon } from 'lucide-react';
import type { Needs } from '../api/session.ts';
import type { PlainKey } from '../texts/t.ts';

/** How a page is found. Whoever lacks what it needs does not see the entry, and gets no page by its address either. */
export interface NavigationEntry {
  label: PlainKey;
  icon: LucideIcon;
  /** Where it stands among the others: 10 Home, 20 Locations, 30 Listings, 40 Inbox … see README.md. */
  order: number;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    navigation?: NavigationEntry;
    /** Without it any user may open the page. */
    needs?: Needs;
    /** Only where the sandbox network is played with. */
    isDemoOnly?: boolean;
  }
}
