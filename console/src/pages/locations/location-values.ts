import type { Location } from '../../api/api-types.ts';
import type { Tone } from '../../parts/status-badge.tsx';
import { keysOf } from '../../texts/t.ts';
import { locations } from './locations-texts.ts';

export type LocationStatus = NonNullable<Location['status']>;

export const locationStatuses = keysOf<LocationStatus>(locations.statuses);

/** Statuses of locations that can be synced. */
export const servedStatuses: LocationStatus[] = ['CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED'];

export const locationTabs = ['profile', 'listings', 'history'] as const;

export const statusTones: Record<LocationStatus, Tone> = {
  CREATED: 'busy',
  ACTIVE: 'good',
  NEEDS_REVIEW: 'warning',
  CANCELLED: 'warning',
  INACTIVE: 'neutral',
  CLOSED: 'neutral',
  DELETED: 'bad',
};

/** "Venloer Straße 310, 50823 Köln" */
export function addressText({ street, streetNo, zip, city }: Location): string {
  const line = [street, streetNo].filter(Boolean).join(' ');
  return [line, [zip, city].filter(Boolean).join(' ')].filter(Boolean).join(', ');
}

const regions = new Intl.DisplayNames('en', { type: 'region' });

export function countryName(code: string | undefined): string {
  if (!code) return '';
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}
