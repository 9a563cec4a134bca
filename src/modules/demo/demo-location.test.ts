import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { checkPostalCode } from '../../values/countries.ts';
import { deriveFields } from '../locations/derived-fields.ts';
import { newContent } from '../locations/location-rules.ts';
import { couldBeInCountry, timeZoneAt } from '../locations/time-zone.ts';
import { demoBusinesses } from './demo-business.ts';
import { type DemoLocation, demoLocation } from './demo-location.ts';

const today = '2026-11-15';
const choice = { seed: '1', today };
const anyChoice = fc.record({
  seed: fc.integer({ min: 1, max: 999_999 }).map(String),
  today: fc
    .date({ min: new Date('2024-01-01'), max: new Date('2032-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
});
const anyIndex = fc.oneof(fc.nat(300), fc.nat(100_000));

const first = (count: number, seed = '1') =>
  Array.from({ length: count }, (_, index) => demoLocation(index, { seed, today }));
const contentOf = ({ input }: DemoLocation) => {
  const checked = newContent({ ...input, businessId: 1 });
  if ('errors' in checked) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
};

test('every location is valid input for the API', () => {
  fc.assert(
    fc.property(anyIndex, anyChoice, (index, chosen) => {
      const location = demoLocation(index, chosen);
      expect(newContent({ ...location.input, businessId: 1 })).not.toHaveProperty('errors');
      // The generated values are already normalized.
      const { content } = contentOf(location);
      for (const field of ['zip', 'phone', 'country', 'timeZone'] as const) {
        if (field in location.input) expect(content[field]).toBe(location.input[field]);
      }
    }),
  );
});

test('phone numbers, postal codes, coordinates and time zones match the country', () => {
  fc.assert(
    fc.property(anyIndex, anyChoice, (index, chosen) => {
      const { country, phone, zip = '', lat = 0, lng = 0, timeZone } = demoLocation(index, chosen).input;
      if (phone !== undefined) {
        const number = parsePhoneNumberFromString(phone);
        expect({ country: number?.country, valid: number?.isValid() }).toEqual({ country, valid: true });
      }
      expect(checkPostalCode(zip, country)).toEqual({ zip });
      expect(timeZoneAt(lat, lng)).toBe(timeZone);
      expect(couldBeInCountry(country, lat, lng)).toBe(true);
    }),
  );
});

test('the same seed gives the same locations, another seed gives others', () => {
  expect(first(60)).toEqual(first(60));
  const identifiers = new Set([...first(60), ...first(60, '7')].map(({ input }) => input.identifier));
  expect(identifiers.size).toBe(120);
});

test('a larger request contains the locations of a smaller one', () => {
  expect(first(240).slice(0, 120)).toEqual(first(120));
});

test('10,000 locations have unique identifiers and addresses', () => {
  const created = first(10_000);
  expect(new Set(created.map(({ input }) => input.identifier)).size).toBe(created.length);
  const doors = created.map(({ business, input: { street, streetNo, city, zip } }) =>
    // Irish postal codes are unique per address; their first letters are the district.
    [business.key, street, streetNo, city, zip?.slice(0, 3)].join(),
  );
  expect(new Set(doors).size).toBe(created.length);
});

test('the default locations cover three businesses in nine countries with local languages', () => {
  const created = first(120);
  expect(new Set(created.map(({ business }) => business))).toEqual(new Set(demoBusinesses));
  expect(new Set(created.map(({ input }) => input.country)).size).toBe(9);
  expect(new Set(created.map(({ input }) => input.city)).size).toBeGreaterThanOrEqual(40);
  const languages = Object.fromEntries(created.map(({ input, language }) => [input.country, language]));
  expect(languages).toMatchObject({ DE: 'de', AT: 'de', FR: 'fr', GB: 'en', ES: 'es', IT: 'it', US: 'en' });
  const described = (country: string) =>
    created.find(({ input }) => input.country === country && input.descriptionShort)?.input.descriptionShort;
  expect(described('IT')).toMatch(/palestra|club/i);
  expect(described('DE')).toMatch(/Brot|Bäckerei/);
});

test('the default locations include split hours, hours past midnight, gaps and every outcome', () => {
  const created = first(120);
  const hours = created.flatMap(({ input }) => input.openingHours ?? []);
  expect(hours.some(({ from2 }) => from2 !== undefined)).toBe(true);
  expect(hours.some(({ from1 = '', to1 = '' }) => to1 < from1)).toBe(true);
  const standings = created.map((location) => {
    const { content, services = [] } = contentOf(location);
    return deriveFields({ ...content, servicesCount: services.length });
  });
  expect(new Set(standings.map(({ classification }) => classification)).size).toBeGreaterThanOrEqual(3);
  const complete = standings.filter(({ profileCompleteness }) => profileCompleteness === 100).length;
  expect(complete).toBeGreaterThan(created.length / 2);
  expect(complete).toBeLessThan(created.length);
  expect(new Set(created.map(({ outcome }) => outcome))).toEqual(
    new Set(['ACTIVE', 'NOT_SYNCED', 'NEEDS_REVIEW', 'CANCELLED', 'CLOSED']),
  );
  expect(
    created.every(({ input }) => (input.photos ?? []).every(({ url }) => new URL(url).hostname.endsWith('.example'))),
  ).toBe(true);
});

test('every synced default location has the fields that directories require', () => {
  const created = first(120);
  const lacking = created.filter(
    (location) => deriveFields({ ...contentOf(location).content, servicesCount: 0 }).missingMandatoryFields.length > 0,
  );
  expect(lacking.length).toBeGreaterThan(0);
  expect(lacking.length).toBeLessThan(12);
  expect(new Set(lacking.map(({ outcome }) => outcome))).toEqual(new Set(['NOT_SYNCED']));
});

test('holidays are within the next year', () => {
  const dates = demoLocation(0, choice).input.specialOpeningHours?.map(({ date }) => date) ?? [];
  expect(dates).toContain('2026-12-25');
  expect(dates.every((date) => date >= today && date < '2027-11-15')).toBe(true);
});
