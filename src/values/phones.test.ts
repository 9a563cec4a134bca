import fc from 'fast-check';
import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { countryName } from './countries.ts';
import { checkPhone, phonePrefixes, resemblesPhone } from './phones.ts';

describe('phones', () => {
  test.each([
    ['030 901820', 'DE', '+4930901820'],
    ['+49 (0)30 901820', 'DE', '+4930901820'],
    ['0049 30 901820', 'DE', '+4930901820'],
    ['020 7946 0958', 'GB', '+442079460958'],
    ['(212) 736-5000', 'US', '+12127365000'],
    ['+1 416 555 0123', 'US', '+14165550123'],
    ['01 42 68 53 00', 'FR', '+33142685300'],
    ['06 6982', 'IT', '+39066982'],
    ['(212) 736-5000 ext. 12', 'US', '+12127365000 ext. 12'],
    ['+800 1234 5678', 'DE', '+80012345678'],
  ])('%s in %s is kept as %s', (text, country, phone) => {
    expect(checkPhone(text, country)).toEqual({ phone });
  });

  test.each([
    ['+33 1 42 68 53 00', 'DE'],
    ['12', 'DE'],
    ['030 90182012345678901', 'DE'],
    ['not a number', 'DE'],
    ['call 030 901820 please', 'DE'],
    ['555-0100', 'US'],
    ['', 'GB'],
  ])('"%s" is no number of %s', (text, country) => {
    expect(checkPhone(text, country)).toEqual({ problem: expect.stringContaining(countryName(country)) });
  });

  test('the error shows an example number of the country', () => {
    expect(checkPhone('12', 'DE')).toEqual({ problem: expect.stringMatching(/written like \+49 /) });
  });

  test('without a country a number must be international', () => {
    expect(checkPhone('+33 1 42 68 53 00', undefined)).toEqual({ phone: '+33142685300' });
    expect(checkPhone('01 42 68 53 00', undefined)).toHaveProperty('problem');
    expect(checkPhone('+33 1 42 68 53 00', 'AQ')).toEqual({ phone: '+33142685300' });
  });

  test('any input is accepted or rejected, and normalization is idempotent', () => {
    const country = fc.constantFrom(...getCountries(), 'AQ');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\+?[\d ()-]{3,18}$/)), country, (text, code) => {
        const checked = checkPhone(text, code);
        if ('phone' in checked) expect(checkPhone(checked.phone, code)).toEqual(checked);
      }),
    );
  });
});

describe('the text of a search', () => {
  test.each([
    ['+49 (0)30 901820', ['4930901820']],
    ['0049-30-901820', ['4930901820']],
    ['030 90 18', ['0309018', '49309018', '490309018', '39309018', '390309018']],
    ['(212) 555-0123', ['2125550123', '492125550123', '392125550123']],
  ])('%s can be the beginning of a phone number', (text, prefixes) => {
    expect(resemblesPhone(text)).toBe(true);
    expect(phonePrefixes(text, ['DE', 'IT', 'VA', 'BV'])).toEqual(prefixes);
  });

  test.each(['50823', 'K-170000', '', '2026 Köln'])('"%s" is not a phone number', (text) => {
    expect(resemblesPhone(text)).toBe(false);
  });
});
