import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallerUser } from '../../http/access.ts';
import { type FieldGroup, fieldGroups } from '../accounts/index.ts';
import { fieldsInGroups, groupOf, requireFieldAccess } from './location-fields.ts';

const user = (overrides: Partial<CallerUser>): CallerUser => ({
  id: 1,
  email: 'anna@example.com',
  role: 'LOCATION_MANAGER',
  features: new Set(['LOCATION_READ', 'LOCATION_WRITE']),
  fieldGroups: null,
  reach: { businessIds: [1], locationIds: [] },
  ...overrides,
});

test('only fields of allowed groups can be written, and the error names the others', () => {
  const narrow = user({ fieldGroups: new Set<FieldGroup>(['CONTACT']) });
  expect(() => requireFieldAccess(narrow, ['phone', 'website', 'imprint', 'websiteExtra'])).not.toThrow();
  expect(() => requireFieldAccess(narrow, [])).not.toThrow();
  expect(() => requireFieldAccess(narrow, ['phone', 'name', 'zip'])).toThrow('You may not change name, zip.');
  expect(() => requireFieldAccess(narrow, ['status', 'contentLists'])).toThrow('change status, contentLists.');
  expect(() => requireFieldAccess(narrow, ['unknown'])).toThrow('You may not change unknown.');
});

test('keys, administrators and unrestricted users can write all fields', () => {
  for (const who of [undefined, user({}), user({ role: 'ADMIN', fieldGroups: new Set() })]) {
    expect(() => requireFieldAccess(who, ['name'])).not.toThrow();
  }
});

test('every group has fields, and the fields identify their groups', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...fieldGroups)), (groups) => {
      expect(new Set(fieldsInGroups(new Set(groups)).map(groupOf))).toEqual(new Set(groups));
    }),
  );
});
