import type { User } from '../../api/api-types.ts';
import { keysOf } from '../../texts/t.ts';
import { users } from './users-texts.ts';

export const roles = ['ADMIN', 'ACCOUNT_MANAGER', 'BUSINESS_MANAGER', 'LOCATION_MANAGER'] as const;
export const userSorts = ['name', 'role', 'status', 'lastLogin'] as const;

export const fieldGroups = keysOf<NonNullable<User['featuresDetailed']['LOCATION_WRITE']>[number]>(users.fieldGroups);

export const statuses = ['ACTIVE', 'INACTIVE'] as const;

/** Roles that are limited to assigned businesses and locations. */
export const isBounded = (role: string): boolean => role === 'BUSINESS_MANAGER' || role === 'LOCATION_MANAGER';
