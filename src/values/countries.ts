import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));

/** ISO 3166-1 alpha-2 codes with telephone numbers or a time zone; without withdrawn (DD, YU) and reserved (EU, ZZ) codes. */
export const countries: ReadonlySet<string> = findCountries();

function findCountries(): Set<string> {
  const withTelephones = new Set<string>(getCountries());
  return new Set(
    letters
      .flatMap((first) => letters.map((second) => first + second))
      .filter((code) => {
        const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones(): string[] | undefined };
        const isInUse = regionNames.of(code) !== undefined && locale.region === code;
        return isInUse && (withTelephones.has(code) || (locale.getTimeZones()?.length ?? 0) > 0);
      }),
  );
}

/** Case-insensitive; UK is accepted for GB. */
export function countryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (code === 'UK') return 'GB';
  return countries.has(code) ? code : undefined;
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
