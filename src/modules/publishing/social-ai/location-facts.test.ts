import { describe, expect, test } from 'vitest';
import { categoryId } from '../../catalog/categories/category.ts';
import type { Location } from '../../locations/location.ts';
import { factsOf } from './content-request.ts';

// Monday, 23:30 in Berlin.
const now = new Date('2026-11-16T22:30:00Z');

const location = {
  name: 'Bäckerei Lindner',
  street: 'Venloer Straße',
  streetNo: '310',
  city: 'Köln',
  country: 'DE',
  addressDisplay: true,
  timeZone: 'Europe/Berlin',
  temporarilyClosed: false,
  phone: '+492219524300',
  cellphone: null,
  fax: null,
  email: null,
  website: null,
  categories: [categoryId('shop/bakery')],
  services: [],
  profile: {
    openingHours: [
      { dayOfWeek: 1, from1: '08:00', to1: '12:00', from2: '14:00', to2: '18:00' },
      { dayOfWeek: 2, closed: true },
    ],
    socialProfiles: [{ type: 'FACEBOOK', url: 'https://www.facebook.com/lindner' }],
    callTrackingNumbers: ['+4922112345678'],
  },
} as unknown as Location;

const factsWith = (changes: object) => factsOf({ ...location, ...changes } as Location, 'de', now);

test('omits unknown data and private fields', () => {
  expect(factsWith({})).toEqual({
    name: 'Bäckerei Lindner',
    city: 'Köln',
    country: 'DE',
    street: 'Venloer Straße 310',
    categories: ['Bäckerei'],
    openToday: { date: '2026-11-16', hours: '08:00–12:00, 14:00–18:00' },
    services: [],
    contacts: {
      phones: ['+492219524300', '+4922112345678'],
      emails: [],
      links: ['https://www.facebook.com/lindner'],
    },
  });
});

test('omits a hidden address', () => {
  expect(factsWith({ addressDisplay: false })).not.toHaveProperty('street');
});

describe("today's hours", () => {
  test('use the local date of the location', () => {
    expect(factsWith({ timeZone: 'Asia/Tokyo' }).openToday).toEqual({ date: '2026-11-17', hours: '' });
  });

  test('use special opening hours', () => {
    const specialOpeningHours = [{ date: '2026-11-16', from1: '10:00', to1: '11:00' }];
    expect(factsWith({ profile: { ...location.profile, specialOpeningHours } }).openToday?.hours).toBe('10:00–11:00');
  });

  test.each([[{ timeZone: null }], [{ temporarilyClosed: true }], [{ profile: {} }]])(
    'are unknown with %j',
    (changes) => {
      expect(factsWith(changes)).not.toHaveProperty('openToday');
    },
  );
});
