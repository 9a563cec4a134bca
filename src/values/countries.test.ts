import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { countries, countryCode, countryName, currencyCode } from './countries.ts';

describe('countries', () => {
  test.each([
    ['DE', 'DE'],
    [' de ', 'DE'],
    ['UK', 'GB'],
    ['uk', 'GB'],
    ['GB', 'GB'],
    ['AQ', 'AQ'],
  ])('"%s" is %s', (text, code) => expect(countryCode(text)).toBe(code));

  test.each(['', 'D', 'DEU', 'EU', 'ZZ', 'DD', 'YU', 'XX', '49', 'Germany'])('"%s" is not a country', (text) => {
    expect(countryCode(text)).toBeUndefined();
  });

  test('contains all countries with telephone numbers', () => {
    expect(countries.size).toBeGreaterThan(240);
    expect(countries.size).toBeLessThan(256);
    for (const code of getCountries()) expect(countries.has(code)).toBe(true);
  });

  test('they have names', () => {
    expect(countryName('DE')).toBe('Germany');
    expect(countryName('DE', 'de')).toBe('Deutschland');
  });
});

test.each([
  ['eur', 'EUR'],
  [' USD ', 'USD'],
  ['Euro', undefined],
  ['€', undefined],
  ['ABC', undefined],
])('the currency "%s" is %s', (text, code) => expect(currencyCode(text)).toBe(code));
