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
export type Demand = Feature | 'ADMIN';

/** The user behind an access token. */
export interface CallerUser {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly features: ReadonlySet<Feature>;
  readonly reach: Reach;
}

/** What of its partner's data somebody sees; null stands for all of it. Either of the two opens a location. */
export interface Reach {
  readonly businessIds: readonly number[] | null;
  readonly locationIds: readonly number[] | null;
}

const everything: Reach = { businessIds: null, locationIds: null };

export const reachOf = ({ user }: Caller): Reach => user?.reach ?? everything;

export function demand({ user }: Caller, needs: Demand): void {
  if (!user || user.role === 'ADMIN') return;
  if (needs !== 'ADMIN' && user.features.has(needs)) return;
  throw new Problem('FORBIDDEN', {
    message:
      needs === 'ADMIN'
        ? `This needs the role ADMIN; you are ${user.role}.`
        : `This needs the feature ${needs}, which you do not have. An administrator can give it to you.`,
  });
}
