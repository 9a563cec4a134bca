import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { checkPostalCode } from '../../values/postal-codes.ts';
import { newContent } from '../locations/location-rules.ts';
import { standingOf } from '../locations/standing.ts';
import { mayLieIn, timeZoneAt } from '../locations/time-zone.ts';
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

test('every location is one that anybody could create', () => {
  fc.assert(
    fc.property(anyIndex, anyChoice, (index, chosen) => {
      const location = demoLocation(index, chosen);
      expect(newContent({ ...location.input, businessId: 1 })).not.toHaveProperty('errors');
      // What is kept is what was made up: nothing of it had to be brought into another form.
      const { content } = contentOf(location);
      for (const field of ['zip', 'phone', 'country', 'timeZone'] as const) {
        if (field in location.input) expect(content[field]).toBe(location.input[field]);
      }
    }),
  );
});

test('phones and postal codes are those of the country, and the place lies in it and in its time zone', () => {
  fc.assert(
    fc.property(anyIndex, anyChoice, (index, chosen) => {
      const { country, phone, zip = '', lat = 0, lng = 0, timeZone } = demoLocation(index, chosen).input;
      if (phone !== undefined) {
        const number = parsePhoneNumberFromString(phone);
        expect({ country: number?.country, valid: number?.isValid() }).toEqual({ country, valid: true });
      }
      expect(checkPostalCode(zip, country)).toEqual({ zip });
      expect(timeZoneAt(lat, lng)).toBe(timeZone);
      expect(mayLieIn(country, lat, lng)).toBe(true);
    }),
  );
});

test('the same seed makes the same locations, another one makes others', () => {
  expect(first(60)).toEqual(first(60));
  const identifiers = new Set([...first(60), ...first(60, '7')].map(({ input }) => input.identifier));
  expect(identifiers.size).toBe(120);
});

test('more locations are those of before and others', () => {
  expect(first(240).slice(0, 120)).toEqual(first(120));
});

test('ten thousand locations have ten thousand identifiers and addresses', () => {
  const made = first(10_000);
  expect(new Set(made.map(({ input }) => input.identifier)).size).toBe(made.length);
  const doors = made.map(({ business, input: { street, streetNo, city, zip } }) =>
    // Irish postal codes differ by door; their first letters are the district.
    [business.key, street, streetNo, city, zip?.slice(0, 3)].join(),
  );
  expect(new Set(doors).size).toBe(made.length);
});

test('the locations of a first start show three businesses in nine countries, in the language of each', () => {
  const made = first(120);
  expect(new Set(made.map(({ business }) => business))).toEqual(new Set(demoBusinesses));
  expect(new Set(made.map(({ input }) => input.country)).size).toBe(9);
  expect(new Set(made.map(({ input }) => input.city)).size).toBeGreaterThanOrEqual(40);
  const languages = Object.fromEntries(made.map(({ input, language }) => [input.country, language]));
  expect(languages).toMatchObject({ DE: 'de', AT: 'de', FR: 'fr', GB: 'en', ES: 'es', IT: 'it', US: 'en' });
  const described = (country: string) =>
    made.find(({ input }) => input.country === country && input.descriptionShort)?.input.descriptionShort;
  expect(described('IT')).toMatch(/palestra|club/i);
  expect(described('DE')).toMatch(/Brot|Bäckerei/);
});

test('among them are two periods a day, nights past midnight, gaps, and every fate', () => {
  const made = first(120);
  const hours = made.flatMap(({ input }) => input.openingHours ?? []);
  expect(hours.some(({ from2 }) => from2 !== undefined)).toBe(true);
  expect(hours.some(({ from1 = '', to1 = '' }) => to1 < from1)).toBe(true);
  const standings = made.map((location) => {
    const { content, services = [] } = contentOf(location);
    return standingOf({ ...content, servicesCount: services.length });
  });
  expect(new Set(standings.map(({ classification }) => classification)).size).toBeGreaterThanOrEqual(3);
  const complete = standings.filter(({ profileCompleteness }) => profileCompleteness === 100).length;
  expect(complete).toBeGreaterThan(made.length / 2);
  expect(complete).toBeLessThan(made.length);
  expect(new Set(made.map(({ fate }) => fate))).toEqual(
    new Set(['SERVED', 'NOT_SYNCED', 'NEEDS_REVIEW', 'CANCELLED', 'CLOSED']),
  );
  expect(
    made.every(({ input }) => (input.photos ?? []).every(({ url }) => new URL(url).hostname.endsWith('.example'))),
  ).toBe(true);
});

test('every location of a first start that is synced has what directories require, and a few wait for it', () => {
  const made = first(120);
  const lacking = made.filter(
    (location) => standingOf({ ...contentOf(location).content, servicesCount: 0 }).missingMandatoryFields.length > 0,
  );
  expect(lacking.length).toBeGreaterThan(0);
  expect(lacking.length).toBeLessThan(12);
  expect(new Set(lacking.map(({ fate }) => fate))).toEqual(new Set(['NOT_SYNCED']));
});

test('holidays lie in the year ahead', () => {
  const dates = demoLocation(0, choice).input.specialOpeningHours?.map(({ date }) => date) ?? [];
  expect(dates).toContain('2026-12-25');
  expect(dates.every((date) => date >= today && date < '2027-11-15')).toBe(true);
});
