import { isSupportedCountry } from 'libphonenumber-js/max';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';

const known = new Map<string, boolean>();

/** Whether it is an ISO 3166-1 alpha-2 code, AC, TA or XK. Checked on first use: all take 10 % of the startup time. */
function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code)) return false;
  const isKnown = known.get(code) ?? isInUse(code);
  known.set(code, isKnown);
  return isKnown;
}

/** Assigned, without phone numbers and time zones: Bouvet Island, Heard Island and McDonald Islands. */
const uninhabited: readonly string[] = ['BV', 'HM'];

/** Assigned codes have phone numbers or a time zone; withdrawn (DD, YU) and reserved codes (EU, ZZ) have neither. */
function isInUse(code: string): boolean {
  if (uninhabited.includes(code)) return true;
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
export const notACountry = 'must be a two-letter ISO 3166-1 code such as DE, US or GB';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217 code, case-insensitive. */
export function currencyCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return currencies.has(code) ? code : undefined;
}

/** Error message, after the name of the field. */
export const notACurrency = 'must be a three-letter ISO 4217 code such as EUR, USD or GBP';

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
