import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { countryName } from './countries.ts';

/**
 * Normalizes a phone number to E.164, followed by ` ext. 12` for an extension. Without a country, the international
 * format is required. `problem` follows the name of the field in the error message.
 */
export function checkPhone(text: string, country: string | undefined): { phone: string } | { problem: string } {
  const home = country !== undefined && isSupportedCountry(country) ? country : undefined;
  const number = parsePhoneNumberFromString(text.trim(), {
    extract: false,
    ...(home && { defaultCountry: home }),
  });
  if (!number?.isValid() || !isOf(number, home)) return { problem: formatProblem(country, home) };
  return { phone: number.ext ? `${number.number} ext. ${number.ext}` : number.number };
}

/** Countries can share a calling code (US and CA, GB and JE); freephone numbers such as +800 have no country. */
const isOf = (number: PhoneNumber, country: CountryCode | undefined) =>
  country === undefined || number.isNonGeographic() || number.countryCallingCode === getCountryCallingCode(country);

function formatProblem(country: string | undefined, home: CountryCode | undefined): string {
  if (home === undefined) {
    const where = country === undefined ? '' : ` (${countryName(country)} has no numbers of its own)`;
    return `must be a telephone number in international form such as +49 30 901820${where}`;
  }
  const example = getExampleNumber(home, examples);
  const written = example ? `, written like ${example.formatInternational()} or ${example.formatNational()}` : '';
  return `must be a telephone number of ${countryName(home)}${written}`;
}

/** With fewer digits, a text is rather a zip or a house number. */
const minDigits = 6;

/** Whether the text can be the beginning of a phone number. */
export const resemblesPhone = (text: string): boolean =>
  /^[+\d\s()./\p{Pd}]+$/u.test(text) && digitsOf(text).length >= minDigits;

/** The digits of the international numbers in these countries that can begin with the text. */
export function phonePrefixes(text: string, countries: readonly string[]): string[] {
  const digits = digitsOf(text);
  if (/^\W*(\+|00)/.test(text)) return [digits.replace(/^00/, '')];
  const codes = new Set(
    countries.filter((country) => isSupportedCountry(country)).map((country) => getCountryCallingCode(country)),
  );
  // Some countries, such as Italy, keep the leading 0.
  const national = new Set([digits.replace(/^0/, ''), digits]);
  return [digits, ...[...codes].flatMap((code) => [...national].map((number) => code + number))];
}

/** Without the 0 in `+49 (0)30`. */
const digitsOf = (text: string) => text.replace('(0)', '').replace(/\D/g, '');
