import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Feature, features, roles } from '../../../http/access.ts';
import {
  callerUser,
  defaultFeatures,
  type FieldGroup,
  featuresOf,
  fieldGroups,
  hashPassword,
  type User,
  verifyPassword,
} from './user.ts';

const anna: User = {
  id: 1,
  email: 'anna@example.com',
  name: '',
  role: 'LOCATION_MANAGER',
  status: 'ACTIVE',
  language: 'en',
  alertEmails: false,
  features: null,
  fieldGroups: null,
  businessIds: [1],
  locationIds: [2, 3],
  dateCreated: new Date(),
  lastUpdated: new Date(),
  lastLogin: null,
};

describe('features', () => {
  const assigned = fc.option(fc.uniqueArray(fc.constantFrom<Feature>(...features)));

  test('are the assigned features and read access for each write feature; administrators have all', () => {
    fc.assert(
      fc.property(fc.constantFrom(...roles), assigned, (role, own) => {
        const held = featuresOf(role, own);
        const base = own ?? defaultFeatures[role];
        expect(held).toEqual(expect.arrayContaining([...base]));
        for (const feature of held) {
          if (feature.endsWith('_WRITE')) expect(held).toContain(feature.replace('_WRITE', '_READ'));
          const isDerived = base.includes(feature) || base.includes(feature.replace('_READ', '_WRITE') as Feature);
          expect(role === 'ADMIN' || isDerived).toBe(true);
        }
        if (role === 'ADMIN') expect(held).toEqual(features);
        expect(new Set(held).size).toBe(held.length);
      }),
    );
  });
});

describe('caller of a request', () => {
  test.each([
    ['ADMIN', null, null],
    ['ACCOUNT_MANAGER', null, null],
    ['BUSINESS_MANAGER', [1], [2, 3]],
    ['LOCATION_MANAGER', [1], [2, 3]],
  ] as const)('%s sees businesses %j and locations %j', (role, businessIds, locationIds) => {
    expect(callerUser({ ...anna, role }).reach).toEqual({ businessIds, locationIds });
  });

  test('has the field groups of the user; null means all', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom<FieldGroup>(...fieldGroups)), (groups) => {
        expect(callerUser({ ...anna, fieldGroups: groups }).fieldGroups).toEqual(new Set(groups));
      }),
    );
    expect(callerUser(anna).fieldGroups).toBeNull();
  });
});

describe('passwords', () => {
  test('match in any Unicode composition, and never without a hash', async () => {
    const hash = await hashPassword('Café Ω 1234');
    expect(hash).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword('Café Ω 1234', hash)).toBe(true);
    expect(await verifyPassword('Cafe\u0301 Ω 1234', hash)).toBe(true);
    expect(await verifyPassword('Cafe Ω 1234', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
    for (const none of [null, undefined]) expect(await verifyPassword('Café Ω 1234', none)).toBe(false);
  });

  test('have a different hash each time', async () => {
    expect(await hashPassword('same password')).not.toBe(await hashPassword('same password'));
  });
});
