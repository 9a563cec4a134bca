import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Feature, features, roles } from '../../../http/access.ts';
import { defaultFeatures, featuresOf } from './features.ts';
import { type FieldGroup, fieldGroups, fieldsOf } from './field-groups.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { callerUser, type User } from './user.ts';

const anna: User = {
  id: 1,
  email: 'anna@example.com',
  name: '',
  role: 'LOCATION_MANAGER',
  status: 'ACTIVE',
  language: 'en',
  features: null,
  fieldGroups: null,
  businessIds: [1],
  locationIds: [2, 3],
  dateCreated: new Date(),
  lastUpdated: new Date(),
  lastLogin: null,
};

describe('features', () => {
  const given = fc.option(fc.uniqueArray(fc.constantFrom<Feature>(...features)));

  test('are those that were given, and reading with every writing; for administrators all', () => {
    fc.assert(
      fc.property(fc.constantFrom(...roles), given, (role, own) => {
        const held = featuresOf(role, own);
        const begin = own ?? defaultFeatures[role];
        expect(held).toEqual(expect.arrayContaining([...begin]));
        for (const feature of held) {
          if (feature.endsWith('_WRITE')) expect(held).toContain(feature.replace('_WRITE', '_READ'));
          const isGiven = begin.includes(feature) || begin.includes(feature.replace('_READ', '_WRITE') as Feature);
          expect(role === 'ADMIN' || isGiven).toBe(true);
        }
        if (role === 'ADMIN') expect(held).toEqual(features);
        expect(new Set(held).size).toBe(held.length);
      }),
    );
  });
});

describe('as requests know him', () => {
  test.each([
    ['ADMIN', null, null],
    ['ACCOUNT_MANAGER', null, null],
    ['BUSINESS_MANAGER', [1], [2, 3]],
    ['LOCATION_MANAGER', [1], [2, 3]],
  ] as const)('%s sees businesses %j and locations %j', (role, businessIds, locationIds) => {
    expect(callerUser({ ...anna, role }).reach).toEqual({ businessIds, locationIds });
  });

  test('the groups of fields that were opened are the fields that he may write', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom<FieldGroup>(...fieldGroups)), (groups) => {
        expect(callerUser({ ...anna, fieldGroups: groups }).locationFields).toEqual(fieldsOf(groups));
      }),
    );
    expect(callerUser(anna).locationFields).toBeNull();
    expect(callerUser({ ...anna, fieldGroups: ['NAME'] }).locationFields).toEqual(new Set(['name']));
  });

  test('no field is in two groups', () => {
    const sizes = fieldGroups.map((group) => fieldsOf([group]).size);
    expect(fieldsOf(fieldGroups).size).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });
});

describe('passwords', () => {
  test('only the right one fits, however its characters are composed; without a hash none does', async () => {
    const hash = await hashPassword('Café Ω 1234');
    expect(hash).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword('Café Ω 1234', hash)).toBe(true);
    expect(await verifyPassword('Cafe\u0301 Ω 1234', hash)).toBe(true);
    expect(await verifyPassword('Cafe Ω 1234', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
    for (const none of [null, undefined]) expect(await verifyPassword('Café Ω 1234', none)).toBe(false);
  });

  test('the same one never has the same hash', async () => {
    expect(await hashPassword('same password')).not.toBe(await hashPassword('same password'));
  });
});
