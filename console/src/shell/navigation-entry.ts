import type { LucideIcon } from 'lucide-react';
import type { Needs } from '../api/session.ts';
import type { PlainKey } from '../texts/t.ts';

/** Navigation entry of a page. Users without the permission see neither the entry nor the page. */
export interface NavigationEntry {
  label: PlainKey;
  icon: LucideIcon;
  /** Position: 10 Home, 20 Locations, 30 Listings, 40 Inbox … see README.md. */
  order: number;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    navigation?: NavigationEntry;
    /** Required permission; undefined for all users. */
    needs?: Needs;
    /** Only in demo mode. */
    isDemoOnly?: boolean;
  }
}
