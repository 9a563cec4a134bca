import { expect, test } from 'vitest';
import { classificationOf, completenessOf, deriveFields, missingMandatoryFields } from './derived-fields.ts';

const bare = {
  name: 'Bäckerei Lindner',
  street: 'Venloer Straße',
  city: 'Köln',
  zip: null,
  country: 'DE',
  phone: null,
  website: null,
  email: null,
  categories: [1],
  profile: {},
  servicesCount: 0,
};
const required = { ...bare, zip: '50823', phone: '+492219524300' };
const basic = {
  ...required,
  profile: {
    openingHours: [{ dayOfWeek: 1, closed: true }],
    descriptionShort: 'Bread',
    photos: [{ url: 'https://example.com/a.jpg' }],
    attributes: [{ key: 'wheelchair', value: true }],
  },
};
const advanced = { ...basic, servicesCount: 2, profile: { ...basic.profile, keywords: ['bread'] } };
const full = { ...advanced, website: 'https://example.com', email: 'info@example.com' };

test.each([
  ['nothing but a name and a category', bare, 13, 'REQUIRED'],
  ['everything required', required, 25, 'BASIC'],
  ['everything basic', basic, 70, 'ADVANCED'],
  ['everything advanced', advanced, 90, 'BONUS'],
  ['everything', full, 100, 'BONUS'],
  ['a website without the basics', { ...required, website: 'https://example.com' }, 30, 'BASIC'],
  ['keywords without services', { ...basic, profile: { ...basic.profile, keywords: ['bread'] } }, 80, 'ADVANCED'],
])('a location with %s', (_, location, profileCompleteness, classification) => {
  expect(completenessOf(location)).toEqual({ profileCompleteness, classification });
});

test('names missing mandatory fields; zip only in countries with postal codes', () => {
  expect(missingMandatoryFields(bare)).toEqual(['zip', 'phone']);
  expect(missingMandatoryFields({ ...bare, country: 'AE', phone: '+97142345678' })).toEqual([]);
});

test.each([
  ['name', 'REQUIRED'],
  ['city', 'REQUIRED'],
  ['phone', 'REQUIRED'],
  ['openingHours', 'BASIC'],
  ['descriptionLong', 'BASIC'],
  ['keywords', 'ADVANCED'],
  ['services', 'ADVANCED'],
  ['website', 'BONUS'],
])('%s counts for %s', (field, classification) => {
  expect(classificationOf(field)).toBe(classification);
});

test('requests cleansing when the address is complete, and again when it changes', () => {
  expect(deriveFields(bare)).toMatchObject({ normalizationStatus: 'NOT_NORMALIZED', cleansingStatus: 'NOT_CLEANSED' });
  expect(deriveFields(required)).toMatchObject({ normalizationStatus: 'NORMALIZED', cleansingStatus: 'PENDING' });
  const cleansed = { cleansingStatus: 'CLEANSED', sameAddress: true } as const;
  expect(deriveFields(required, cleansed).cleansingStatus).toBe('CLEANSED');
  expect(deriveFields(required, { ...cleansed, sameAddress: false }).cleansingStatus).toBe('PENDING');
  expect(deriveFields(required, { cleansingStatus: 'NOT_CLEANSED', sameAddress: true }).cleansingStatus).toBe(
    'PENDING',
  );
});
