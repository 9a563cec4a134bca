import type { Expression, SelectQueryBuilder, StringReference } from 'kysely';
import { anyOf, raw } from '../database/query-builder.ts';
import { Problem } from '../problems.ts';
import type { Caller } from './authenticate.ts';

/** `partner`: private key or user. `public`: public key, any origin. The last two are rate limited by address. */
export type Access = 'partner' | 'public' | 'anonymous';

export const roles = ['ADMIN', 'ACCOUNT_MANAGER', 'BUSINESS_MANAGER', 'LOCATION_MANAGER'] as const;
export type Role = (typeof roles)[number];

export const features = [
  'LOCATION_READ',
  'LOCATION_WRITE',
  'INBOX_READ',
  'INBOX_WRITE',
  'SOCIAL_POST_READ',
  'SOCIAL_POST_WRITE',
  'DASHBOARD_READ',
  'ASSET_READ',
  'ASSET_WRITE',
] as const;
export type Feature = (typeof features)[number];

/** The permission that a route requires of a user: a feature, or the role ADMIN. A private key has all of them. */
export type Permission = Feature | 'ADMIN';

/** What a route requires of its caller; by default, nothing. */
export interface CallerRequirements {
  needs?: Permission | undefined;
  /** The group of location fields that a user with LOCATION_WRITE needs. */
  fieldGroup?: string | undefined;
  /** Whether a private key is rejected. */
  userOnly?: true | undefined;
  /** Only for administrators and account managers: the action, such as "To delete a label", for the message. */
  accountManager?: string | undefined;
}

/** The user behind an access token. */
export interface CallerUser {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly features: ReadonlySet<Feature>;
  /** The groups of location fields that the user may write with LOCATION_WRITE; null means all. */
  readonly fieldGroups: ReadonlySet<string> | null;
  readonly reach: Reach;
}

/** The businesses and locations that a caller can access; null means all. A location is visible through either list. */
export interface Reach {
  readonly businessIds: readonly number[] | null;
  readonly locationIds: readonly number[] | null;
}

export const fullReach: Reach = { businessIds: null, locationIds: null };

export const reachOf = ({ user }: Caller): Reach => user?.reach ?? fullReach;

export function reaches(
  { businessIds, locationIds }: Reach,
  row: { businessId?: number | null; locationId?: number | null },
): boolean {
  if (businessIds === null || locationIds === null) return true;
  const { businessId, locationId } = row;
  return (
    (typeof businessId === 'number' && businessIds.includes(businessId)) ||
    (typeof locationId === 'number' && locationIds.includes(locationId))
  );
}

/** Restricts a query to the rows within the user's reach, by the columns with the ids of the business and the location. */
export function inReach<D, T extends keyof D, O>(
  query: SelectQueryBuilder<D, T, O>,
  { businessIds, locationIds }: Reach,
  columns: { business?: StringReference<D, T> | Expression<unknown>; location?: StringReference<D, T> },
): SelectQueryBuilder<D, T, O> {
  if (businessIds === null || locationIds === null) return query;
  const isAmong = (column: StringReference<D, T> | Expression<unknown> | undefined, ids: readonly number[]) =>
    column !== undefined && ids.length > 0
      ? [raw<boolean>`${typeof column === 'string' ? raw.ref(column) : column} = ${anyOf(ids, 'bigint')}`]
      : [];
  const alternatives = [...isAmong(columns.business, businessIds), ...isAmong(columns.location, locationIds)];
  return query.where(
    alternatives.length > 0 ? raw<boolean>`(${raw.join(alternatives, raw` or `)})` : raw<boolean>`false`,
  );
}

export const hasPermission = ({ user }: Pick<Caller, 'user'>, needs: Permission): boolean =>
  !user || user.role === 'ADMIN' || (needs !== 'ADMIN' && user.features.has(needs));

export function requirePermission(caller: Caller, needs: Permission): void {
  if (hasPermission(caller, needs)) return;
  throw new Problem('FORBIDDEN', {
    message:
      needs === 'ADMIN'
        ? `This requires the role ADMIN; your role is ${caller.user?.role}.`
        : `This requires the feature ${needs}. Ask an administrator to grant it to you.`,
  });
}

export function checkRequirements(caller: Caller, requirements: CallerRequirements): void {
  const { needs, fieldGroup, userOnly, accountManager } = requirements;
  if (needs) requirePermission(caller, needs);
  if (fieldGroup) requireFieldGroup(caller, fieldGroup);
  if (userOnly) requireUser(caller);
  if (accountManager) requireAccountManager(caller, accountManager);
}

/** `group` is a group of location fields, such as SERVICES, to which LOCATION_WRITE can be restricted. */
function requireFieldGroup({ user }: Pick<Caller, 'user'>, group: string): void {
  if (!user || user.role === 'ADMIN' || user.fieldGroups === null || user.fieldGroups.has(group)) return;
  throw new Problem('FORBIDDEN', {
    message: `This requires the field group ${group}. Ask an administrator to allow it in featuresDetailed.`,
  });
}

export function requireUser({ user }: Pick<Caller, 'user'>): CallerUser {
  if (user) return user;
  throw new Problem('NOT_AUTHORIZED', {
    message:
      'This endpoint requires an access token. Sign in with POST /api/users/login and send the header "accessToken".',
  });
}

/** True for a private key, an administrator or an account manager. */
export const managesAccount = ({ user }: Pick<Caller, 'user'>): boolean =>
  !user || user.role === 'ADMIN' || user.role === 'ACCOUNT_MANAGER';

/** `action` begins the error message, such as "To create a business". */
export function requireAccountManager(caller: Pick<Caller, 'user'>, action: string): void {
  if (managesAccount(caller)) return;
  throw new Problem('FORBIDDEN', {
    message: `${action}, you need the role ADMIN or ACCOUNT_MANAGER. Your role is ${caller.user?.role}.`,
  });
}
