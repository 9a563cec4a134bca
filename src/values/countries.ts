import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';

const known = new Map<string, boolean>();

/**
 * Whether it is an ISO 3166-1 alpha-2 code with telephone numbers or a time zone; not withdrawn (DD, YU) or reserved (EU,
 * ZZ). Each code is checked when it is first used: checking all takes a tenth of the start of a process.
 */
function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code)) return false;
  const isKnown = known.get(code) ?? isInUse(code);
  known.set(code, isKnown);
  return isKnown;
}

function isInUse(code: string): boolean {
  const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones(): string[] | undefined };
  const name = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code);
  if (name === undefined || locale.region !== code) return false;
  return isSupportedCountry(code) || (locale.getTimeZones()?.length ?? 0) > 0;
}

/** Case-insensitive; UK is accepted for GB. */
export function countryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (code === 'UK') return 'GB';
  return isCountry(code) ? code : undefined;
}

/** The name in a language; falls back to English. */
export function countryName(code: string, language = 'en'): string {
  return new Intl.DisplayNames([language, 'en'], { type: 'region' }).of(code) ?? code;
}

/** Error message, after the name of the field. */
export const notACountry = 'must be a two-letter country code (ISO 3166-1) such as DE, US or GB';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217 code, case-insensitive. */
export function currencyCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return currencies.has(code) ? code : undefined;
}

/** Error message, after the name of the field. */
export const notACurrency = 'must be a three-letter currency code (ISO 4217) such as EUR, USD or GBP';

const maxLength = 20;

/**
 * Normalizes a postal code. Any short text is accepted for countries without a known format. `problem` follows the name
 * of the field in the error message.
 */
export function checkPostalCode(text: string, country: string): { zip: string } | { problem: string } {
  const zip = text.trim().replace(/\s+/g, ' ').toUpperCase();
  if (zip === '' || zip.length > maxLength) return { problem: `must have 1 to ${maxLength} characters` };
  if (!postcodeValidatorExistsForCountry(country)) return { zip };
  const valid = [zip, zip.replace(/[ -]/g, '')].find((spelling) => postcodeValidator(spelling, country));
  return valid === undefined ? { problem: `must be a postal code of ${countryName(country)}` } : { zip: valid };
}

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
    return `must be a phone number in international form such as +49 30 901820${where}`;
  }
  const example = getExampleNumber(home, examples);
  const written = example ? `, written like ${example.formatInternational()} or ${example.formatNational()}` : '';
  return `must be a phone number of ${countryName(home)}${written}`;
}
