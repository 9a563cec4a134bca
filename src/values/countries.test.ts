import fc from 'fast-check';
import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { checkPostalCode, countryCode, countryName, currencyCode } from './countries.ts';

const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const codes = letters.flatMap((first) => letters.map((second) => first + second));
const countries = new Set(codes.filter((code) => countryCode(code) === code));

describe('countries', () => {
  test.each([
    ['DE', 'DE'],
    [' de ', 'DE'],
    ['UK', 'GB'],
    ['uk', 'GB'],
    ['GB', 'GB'],
    ['AQ', 'AQ'],
    ['BV', 'BV'],
    ['HM', 'HM'],
    ['XK', 'XK'],
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

describe('postal codes', () => {
  test.each([
    ['50823', 'DE', '50823'],
    [' sw1a 1aa ', 'GB', 'SW1A 1AA'],
    ['1012 ab', 'NL', '1012 AB'],
    ['10115 ', 'DE', '10115'],
    ['508 23', 'DE', '50823'],
    ['00-950', 'PL', '00-950'],
    ['anything', 'AQ', 'ANYTHING'],
  ])('%s in %s is kept as %s', (text, country, zip) => {
    expect(checkPostalCode(text, country)).toEqual({ zip });
  });

  test.each([
    ['5082', 'DE'],
    ['ABCDE', 'DE'],
    ['99999', 'GB'],
    ['1234', 'US'],
    ['', 'DE'],
    ['1'.repeat(21), 'HK'],
  ])('"%s" cannot be one in %s', (text, country) => {
    expect(checkPostalCode(text, country)).toHaveProperty('problem');
  });

  test('any input is accepted or rejected, and normalization is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...countries), (text, code) => {
        const checked = checkPostalCode(text, code);
        if ('zip' in checked) expect(checkPostalCode(checked.zip, code)).toEqual(checked);
      }),
    );
  });
});
