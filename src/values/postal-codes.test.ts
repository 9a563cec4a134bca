import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPostalCode, countries } from './countries.ts';

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
