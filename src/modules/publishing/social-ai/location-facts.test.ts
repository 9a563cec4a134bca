import { describe, expect, test } from 'vitest';
import { categoryId } from '../../catalog/categories/category-id.ts';
import type { Location } from '../../locations/location.ts';
import { factsOf } from './location-facts.ts';

// A Monday; in Berlin it is one hour later.
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

test('what is not known is absent, and nothing that was not asked for is told', () => {
  expect(factsWith({})).toEqual({
    name: 'Bäckerei Lindner',
    city: 'Köln',
    country: 'DE',
    street: 'Venloer Straße 310',
    categories: ['Bäckerei'],
    openToday: { date: '2026-11-16', hours: '08:00–12:00, 14:00–18:00' },
    services: [],
    own: {
      phones: ['+492219524300', '+4922112345678'],
      emails: [],
      links: ['https://www.facebook.com/lindner'],
    },
  });
});

test('an address that is not shown is not told', () => {
  expect(factsWith({ addressDisplay: false })).not.toHaveProperty('street');
});

describe('the hours of today', () => {
  test('are those of the day that it is there', () => {
    expect(factsWith({ timeZone: 'Asia/Tokyo' }).openToday).toEqual({ date: '2026-11-17', hours: '' });
  });

  test('are those of a special day where there are some', () => {
    const specialOpeningHours = [{ date: '2026-11-16', from1: '10:00', to1: '11:00' }];
    expect(factsWith({ profile: { ...location.profile, specialOpeningHours } }).openToday?.hours).toBe('10:00–11:00');
  });

  test.each([[{ timeZone: null }], [{ temporarilyClosed: true }], [{ profile: {} }]])('%j: nobody knows', (changes) => {
    expect(factsWith(changes)).not.toHaveProperty('openToday');
  });
});
