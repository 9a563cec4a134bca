import type { Conditions } from '../database/conditions.ts';
import { Problem } from '../problems.ts';
import type { Caller } from './authenticate.ts';

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

/** What a route asks of a user: a feature, or to be an administrator. A private key may do everything. */
export type Permission = Feature | 'ADMIN';

/** The user behind an access token. */
export interface CallerUser {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly features: ReadonlySet<Feature>;
  /** The fields of a location that LOCATION_WRITE opens to this user; null stands for all of them. */
  readonly locationFields: ReadonlySet<string> | null;
  readonly reach: Reach;
}

/** What of its partner's data somebody sees; null stands for all of it. Either of the two opens a location. */
export interface Reach {
  readonly businessIds: readonly number[] | null;
  readonly locationIds: readonly number[] | null;
}

const everything: Reach = { businessIds: null, locationIds: null };

export const reachOf = ({ user }: Caller): Reach => user?.reach ?? everything;

/** Whether a row with this business and this location is visible. */
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

/**
 * Narrows a query to the rows that are visible. `columns` say where a row has its business and its location; rows
 * that have only one of them name only that one.
 */
export function withinReach(
  conditions: Conditions,
  { businessIds, locationIds }: Reach,
  columns: { business?: string; location?: string },
): Conditions {
  if (businessIds === null || locationIds === null) return conditions;
  const ways: string[] = [];
  const open = (column: string | undefined, ids: readonly number[]) => {
    if (column !== undefined && ids.length > 0) ways.push(`${column} = any (${conditions.value(ids)}::bigint[])`);
  };
  open(columns.business, businessIds);
  open(columns.location, locationIds);
  return conditions.add(ways.length > 0 ? `(${ways.join(' or ')})` : 'false');
}

export function requirePermission({ user }: Caller, needs: Permission): void {
  if (!user || user.role === 'ADMIN') return;
  if (needs !== 'ADMIN' && user.features.has(needs)) return;
  throw new Problem('FORBIDDEN', {
    message:
      needs === 'ADMIN'
        ? `This needs the role ADMIN; you are ${user.role}.`
        : `This needs the feature ${needs}, which you do not have. An administrator can give it to you.`,
  });
}

/** For changes of locations, beyond LOCATION_WRITE: whether each of the fields may be written. */
export function requireFieldAccess(user: CallerUser | undefined, fields: readonly string[]): void {
  if (!user || user.role === 'ADMIN' || user.locationFields === null) return;
  const closed = fields.filter((field) => !user.locationFields?.has(field));
  if (closed.length === 0) return;
  throw new Problem('FORBIDDEN', {
    message: `You may not change ${closed.join(', ')}. An administrator can open them to you by featuresDetailed.`,
  });
}
