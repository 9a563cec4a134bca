import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { db, raw } from '../database/query-builder.ts';
import {
  type CallerUser,
  type Feature,
  features,
  inReach,
  type Permission,
  type Reach,
  reaches,
  reachOf,
  requirePermission,
  roles,
} from './access.ts';
import type { Caller } from './authenticate.ts';

const everything: Reach = { businessIds: null, locationIds: null };
const user = (given: Partial<CallerUser>): CallerUser => ({
  id: 1,
  email: 'anna@example.com',
  role: 'LOCATION_MANAGER',
  features: new Set(),
  fieldGroups: null,
  reach: everything,
  ...given,
});
const callerWith = (given?: CallerUser): Caller => ({
  partnerId: 1,
  partnerIdentifier: 'a',
  apiVersion: '20260713',
  planFeatures: [],
  countedAs: 'key 1',
  by: 'PRIVATE_TOKEN',
  ...(given && { user: given }),
});
const isRefused = (work: () => void) => {
  try {
    work();
    return false;
  } catch (error) {
    expect(error).toMatchObject({ httpCode: 403, status: 'FORBIDDEN' });
    return true;
  }
};

describe('permissions', () => {
  const anyRole = fc.constantFrom(...roles);
  const anyNeed = fc.constantFrom<Permission>(...features, 'ADMIN');
  const anyFeatures = fc.uniqueArray(fc.constantFrom<Feature>(...features));

  test('an administrator has all permissions, other users those of their features', () => {
    fc.assert(
      fc.property(anyRole, anyNeed, anyFeatures, (role, needs, held) => {
        const caller = callerWith(user({ role, features: new Set(held) }));
        const may = role === 'ADMIN' || (needs !== 'ADMIN' && held.includes(needs));
        expect(isRefused(() => requirePermission(caller, needs))).toBe(!may);
      }),
    );
  });

  test('a private key has all permissions', () => {
    for (const needs of [...features, 'ADMIN'] as const)
      expect(isRefused(() => requirePermission(callerWith(), needs))).toBe(false);
  });

  test('the error names the missing permission', () => {
    const caller = callerWith(user({}));
    expect(() => requirePermission(caller, 'ADMIN')).toThrow('role ADMIN; your role is LOCATION_MANAGER');
    expect(() => requirePermission(caller, 'INBOX_WRITE')).toThrow('feature INBOX_WRITE');
  });
});

describe('reach', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase({ connections: 2 });
  });
  afterAll(() => database.close());

  test('a key reaches all data of its partner', () => {
    expect(reachOf(callerWith())).toEqual(everything);
    expect(reaches(everything, {})).toBe(true);
  });

  const selectRows = (pairs: readonly (readonly [businessId: number | null, locationId: number | null])[]) =>
    db(database.pool).selectFrom(
      raw<{ place: number; businessId: number | null; locationId: number | null }>`unnest(
        ${pairs.map((_, place) => place)}::int[],
        ${pairs.map(([businessId]) => businessId)}::bigint[],
        ${pairs.map(([, locationId]) => locationId)}::bigint[])`.as<'row'>(raw`row (place, business_id, location_id)`),
    );

  test('a query finds exactly the visible rows', async () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 5 });
    const anyId = fc.option(fc.integer({ min: 1, max: 6 }));
    const anyReach = fc.oneof(fc.constant(everything), fc.record<Reach>({ businessIds: ids, locationIds: ids }));
    await fc.assert(
      fc.asyncProperty(anyReach, fc.array(fc.tuple(anyId, anyId), { maxLength: 20 }), async (reach, pairs) => {
        const rows = pairs.map(([businessId, locationId], place) => ({ place, businessId, locationId }));
        for (const columns of [
          { business: 'businessId', location: 'locationId' },
          { business: 'businessId' },
          { location: 'locationId' },
        ] as const) {
          const found = await inReach(selectRows(pairs), reach, columns).select('place').orderBy('place').execute();
          const visible = rows.filter(({ businessId, locationId }) =>
            reaches(reach, {
              ...('business' in columns && { businessId }),
              ...('location' in columns && { locationId }),
            }),
          );
          expect(found.map(({ place }) => place)).toEqual(visible.map(({ place }) => place));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a user without assignments sees nothing', async () => {
    const nothing: Reach = { businessIds: [], locationIds: [] };
    const columns = { business: 'businessId', location: 'locationId' } as const;
    expect(
      await inReach(selectRows([[1, 1]]), nothing, columns)
        .select('place')
        .execute(),
    ).toEqual([]);
    expect(reaches(nothing, { businessId: 1, locationId: 1 })).toBe(false);
  });
});
