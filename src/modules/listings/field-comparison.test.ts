import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListingProfile } from '../directories/connector.ts';
import { compareProfiles, countFields, isInSync, sameValue } from './field-comparison.ts';

const today = '2026-11-15';
const bakery: ListingProfile = {
  name: 'Bäckerei Lindner',
  street: 'Venloer Straße',
  streetNo: '241',
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  addressDisplay: true,
  phone: '+4922198765432',
  website: 'https://www.lindner.example/koeln',
  categories: ['Bakery', 'Café'],
  openingHours: [
    { dayOfWeek: 1, from1: '07:00', to1: '12:00', from2: '13:00', to2: '18:30' },
    { dayOfWeek: 7, closed: true },
  ],
  temporarilyClosed: false,
};
const allFields = Object.keys(bakery);

const statusOf = (field: string, ours: Partial<ListingProfile>, shown: Partial<ListingProfile>) =>
  compareProfiles([field], { name: 'x', ...ours }, { name: 'x', ...shown }, { today })[field]?.status;

describe('matches values in another format', () => {
  test.each([
    ['phone', { phone: '+4922198765432', country: 'DE' }, { phone: '0221 / 98 76 54-32' }],
    ['phone', { phone: '+442079460958', country: 'GB' }, { phone: '(020) 7946 0958', country: 'UK' }],
    ['street', { street: 'Venloer Straße', streetNo: '241' }, { street: 'Venloer Str.', streetNo: '241' }],
    ['street', { street: 'Hauptstrasse', streetNo: '5' }, { street: 'Haupt Str. 5' }],
    ['streetNo', { street: 'Hauptstrasse', streetNo: '5' }, { street: 'Hauptstr. 5' }],
    ['street', { street: '12 North Main Street' }, { street: '12 N. Main St' }],
    ['street', { street: 'Avenue Foch', streetNo: '9' }, { street: '9 Av. Foch' }],
    ['street', { street: 'Boulevard Voltaire 12a' }, { street: '12 A, bd Voltaire' }],
    ['name', { name: 'Müller & Söhne' }, { name: 'MUELLER AND SOEHNE' }],
    ['city', { city: 'Köln' }, { city: 'KOELN' }],
    ['city', { city: 'São Paulo' }, { city: 'Sao Paulo' }],
    ['zip', { zip: 'SW1A 1AA' }, { zip: 'sw1a1aa' }],
    ['country', { country: 'GB' }, { country: 'uk' }],
    ['website', { website: 'https://www.lindner.example/koeln' }, { website: 'http://lindner.example/koeln/' }],
    ['website', { website: 'https://a.example/?utm_source=x' }, { website: 'https://a.example' }],
    ['email', { email: 'Info@Lindner.example' }, { email: 'info@lindner.example' }],
    ['lat', { lat: 50.9512 }, { lat: 50.95145 }],
    ['categories', { categories: ['Bakery', 'Café'] }, { categories: ['bakery'] }],
    [
      'photos',
      { photos: ['https://a.example/1.jpg'] },
      { photos: ['https://b.example/2.jpg', 'https://a.example/1.jpg'] },
    ],
    [
      'descriptionLong',
      { descriptionLong: 'Fresh  bread.\nEvery day.' },
      { descriptionLong: 'Fresh bread. Every day.' },
    ],
    [
      'openingHours',
      {
        openingHours: [
          { dayOfWeek: 2, from1: '08:00', to1: '24:00' },
          { dayOfWeek: 1, from1: '08:00', to1: '12:00', from2: '12:00', to2: '18:00' },
        ],
      },
      {
        openingHours: [
          { dayOfWeek: 1, from1: '8:00', to1: '18:00' },
          { dayOfWeek: 2, from1: '08:00', to1: '00:00' },
          { dayOfWeek: 7, closed: true },
        ],
      },
    ],
    [
      'specialOpeningHours',
      {
        specialOpeningHours: [
          { date: '2026-01-01', closed: true },
          { date: '2026-12-25', closed: true },
        ],
      },
      { specialOpeningHours: [{ date: '2026-12-25', closed: true }] },
    ],
  ] as [string, Partial<ListingProfile>, Partial<ListingProfile>][])('%s %o is %o', (field, ours, shown) => {
    expect(statusOf(field, ours, shown)).toBe('MATCH');
    expect(statusOf(field, shown, ours)).toMatch(field === 'categories' || field === 'photos' ? /MATCH/ : /^MATCH$/);
  });
});

describe('reports different values as a mismatch', () => {
  test.each([
    ['phone', { phone: '+4922198765432', country: 'DE' }, { phone: '0221 98765433' }],
    ['street', { street: 'Venloer Straße', streetNo: '241' }, { street: 'Aachener Straße', streetNo: '241' }],
    ['streetNo', { street: 'Venloer Straße', streetNo: '241' }, { street: 'Venloer Straße', streetNo: '24' }],
    ['name', { name: 'Bäckerei Lindner' }, { name: 'Bäckerei Linder' }],
    ['website', { website: 'https://a.example/koeln' }, { website: 'https://a.example/bonn' }],
    ['lat', { lat: 50.95 }, { lat: 50.96 }],
    ['categories', { categories: ['Bakery'] }, { categories: ['Bakery', 'Pub'] }],
    ['photos', { photos: ['https://a.example/1.jpg'] }, { photos: ['https://b.example/2.jpg'] }],
    [
      'openingHours',
      { openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }] },
      { openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '20:00' }] },
    ],
    [
      'openingHours',
      { openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }] },
      { openingHours: [{ dayOfWeek: 1, closed: true }] },
    ],
    [
      'specialOpeningHours',
      { specialOpeningHours: [{ date: '2026-12-25', closed: true }] },
      { specialOpeningHours: [{ date: '2026-12-25', from1: '08:00', to1: '12:00' }] },
    ],
    ['temporarilyClosed', { temporarilyClosed: false }, { temporarilyClosed: true }],
  ] as [string, Partial<ListingProfile>, Partial<ListingProfile>][])('%s %o is not %o', (field, ours, shown) => {
    expect(statusOf(field, ours, shown)).toBe('MISMATCH');
  });
});

test('reports MISSING, PRESENT and NOT_APPLICABLE', () => {
  expect(statusOf('phone', { phone: '+4922198765432' }, {})).toBe('MISSING');
  expect(statusOf('phone', {}, { phone: '+4922198765432' })).toBe('PRESENT');
  expect(statusOf('phone', {}, {})).toBe('NOT_APPLICABLE');
  expect(statusOf('openingHours', { openingHours: [] }, { openingHours: [] })).toBe('NOT_APPLICABLE');
  const past = { specialOpeningHours: [{ date: '2026-11-14', closed: true }] };
  expect(statusOf('specialOpeningHours', past, {})).toBe('NOT_APPLICABLE');
  expect(statusOf('temporarilyClosed', { temporarilyClosed: false }, {})).toBe('NOT_APPLICABLE');
  expect(statusOf('temporarilyClosed', { temporarilyClosed: true }, {})).toBe('MISSING');
});

test('reports a hidden address as a mismatch only when it is shown', () => {
  const hidden = { street: 'Venloer Straße', streetNo: '241', addressDisplay: false };
  expect(statusOf('street', hidden, {})).toBe('NOT_APPLICABLE');
  expect(statusOf('streetNo', hidden, {})).toBe('NOT_APPLICABLE');
  expect(statusOf('street', hidden, { street: 'Venloer Straße', streetNo: '241' })).toBe('MISMATCH');
});

test('compares only the fields of the directory and returns both values', () => {
  const compared = compareProfiles(['phone', 'city', 'unheard-of'], bakery, { name: 'x', city: 'Bonn' }, { today });
  expect(compared).toEqual({
    phone: { status: 'MISSING', expected: '+4922198765432' },
    city: { status: 'MISMATCH', expected: 'Köln', shown: 'Bonn' },
  });
  expect(countFields(compared)).toEqual({ matching: 0, comparable: 2 });
});

test('reports all fields as missing without a listing', () => {
  const compared = compareProfiles(allFields, bakery, undefined, { today });
  expect(countFields(compared).matching).toBe(0);
  expect(isInSync(compared)).toBe(false);
});

const profiles = fc.record(
  {
    name: fc.string({ minLength: 1 }).filter((name) => name.trim() !== ''),
    street: fc.string(),
    streetNo: fc.string(),
    zip: fc.string(),
    city: fc.string(),
    phone: fc.string(),
    website: fc.oneof(fc.webUrl(), fc.string()),
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    descriptionLong: fc.string(),
    openingHours: fc.array(
      fc.record({ dayOfWeek: fc.integer({ min: 1, max: 7 }), from1: fc.string(), to1: fc.string() }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['name'] },
);

test('returns a status for every field of any profile, and is in sync with itself', () => {
  fc.assert(
    fc.property(profiles, profiles, (ours, shown) => {
      const compared = compareProfiles(allFields, ours as ListingProfile, shown as ListingProfile, { today });
      expect(Object.keys(compared)).toEqual(allFields);
      const { matching, comparable } = countFields(compared);
      expect(matching).toBeLessThanOrEqual(comparable);
      expect(isInSync(compareProfiles(allFields, ours as ListingProfile, ours as ListingProfile, { today }))).toBe(
        true,
      );
    }),
  );
});

test('compares values by the rules of their field', () => {
  expect(sameValue('phone', '+4922198765432', '0221 98765432', 'DE', today)).toBe(true);
  expect(sameValue('phone', undefined, null, 'DE', today)).toBe(true);
  expect(sameValue('phone', '+4922198765432', undefined, 'DE', today)).toBe(false);
});
