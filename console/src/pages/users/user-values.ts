import type { User } from '../../api/api-types.ts';

export const roles = ['ADMIN', 'ACCOUNT_MANAGER', 'BUSINESS_MANAGER', 'LOCATION_MANAGER'] as const;
export const userSorts = ['name', 'role', 'status', 'lastLogin'] as const;

export const fieldGroups = [
  'NAME',
  'ADDRESS',
  'CONTACT',
  'OPENING_HOURS',
  'DESCRIPTIONS',
  'CATEGORIES',
  'ATTRIBUTES',
  'SERVICES',
  'MEDIA',
  'SOCIAL_PROFILES',
  'LABELS',
  'CUSTOM_FIELDS',
  'ADMINISTRATION',
] as const satisfies readonly NonNullable<User['featuresDetailed']['LOCATION_WRITE']>[number][];

export const statuses = ['ACTIVE', 'INACTIVE'] as const;

/** Roles that are limited to assigned businesses and locations. */
export const isBounded = (role: string): boolean => role === 'BUSINESS_MANAGER' || role === 'LOCATION_MANAGER';
