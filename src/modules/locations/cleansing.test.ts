import { describe, expect, test } from 'vitest';
import { cleanse } from './cleansing.ts';

const koeln = {
  street: 'Venloer Straße',
  streetNo: '310',
  zip: '50823',
  city: 'Köln',
  province: null,
  country: 'DE',
  lat: 50.9483,
  lng: 6.9192,
};

describe('cleansing an address', () => {
  test('does not change a clean address', () => {
    expect(cleanse(koeln)).toEqual({ status: 'CLEANSED', changes: {} });
  });

  test.each([
    ['Venloer Straße 310', 'DE', 'Venloer Straße', '310'],
    ['Venloer Straße 310 a', 'DE', 'Venloer Straße', '310a'],
    ['Straße des 17. Juni 135', 'DE', 'Straße des 17. Juni', '135'],
    ['Calle Mayor, 4-6', 'ES', 'Calle Mayor', '4-6'],
    ['Via Roma n° 12', 'IT', 'Via Roma', '12'],
    ['221B Baker Street', 'GB', 'Baker Street', '221B'],
    ['1600 Amphitheatre Parkway', 'US', 'Amphitheatre Parkway', '1600'],
    ['12, rue de Rivoli', 'FR', 'rue de Rivoli', '12'],
    ['Piazza del Duomo', 'IT', 'Piazza del Duomo', null],
    ['5th Avenue', 'US', '5th Avenue', null],
    ['Platz der Republik', 'DE', 'Platz der Republik', null],
  ])('splits the house number from "%s" in %s', (given, country, street, streetNo) => {
    const address = { ...koeln, street: given, streetNo: null, country, lat: null, lng: null };
    expect({ ...address, ...cleanse(address).changes }).toEqual({ ...address, street, streetNo });
  });

  test('removes a repeated house number, a postal code before the city and stray punctuation', () => {
    const address = { ...koeln, street: 'Venloer  Straße 310', city: '50823 Köln,', province: 'nrw' };
    expect(cleanse(address).changes).toEqual({ street: 'Venloer Straße', city: 'Köln', province: 'NRW' });
  });

  test('removes a house number without any letter or digit', () => {
    expect(cleanse({ ...koeln, street: 'Venloer Straße', streetNo: ' , ' }).changes).toEqual({ streetNo: null });
  });

  test('is idempotent', () => {
    const address = { ...koeln, street: 'Venloer Straße 310 a', streetNo: null };
    const once = { ...address, ...cleanse(address).changes };
    expect(cleanse(once)).toEqual({ status: 'CLEANSED', changes: {} });
  });
});

describe('an invalid address', () => {
  test.each([
    ['with coordinates in another country', { lat: 40.4168, lng: -3.7038 }],
    ['with swapped latitude and longitude', { lat: 6.9192, lng: 50.9483 }],
    ['with a street of digits', { street: '12345', streetNo: '1' }],
    ['with a city of punctuation', { city: '---' }],
  ])('%s', (_, difference) => {
    expect(cleanse({ ...koeln, ...difference })).toEqual({ status: 'INVALID_DATA', changes: {} });
  });

  test('accepts coordinates at the border', () => {
    const basel = { ...koeln, country: 'CH', zip: '4051', city: 'Basel', lat: 47.5596, lng: 7.5886 };
    expect(cleanse(basel).status).toBe('CLEANSED');
    const kehl = { ...koeln, zip: '77694', city: 'Kehl', lat: 48.573, lng: 7.8132 };
    expect(cleanse(kehl).status).toBe('CLEANSED');
  });
});
