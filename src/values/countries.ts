import { getCountries } from 'libphonenumber-js/max';

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));

/**
 * The codes of ISO 3166-1 alpha-2 for places that people live in or work at: those that have telephones or a clock of
 * their own. Codes that have passed away (DD, YU) and those that are no country (EU, ZZ) are not among them.
 */
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

/** The ISO code of a country, however it is capitalised; UK is accepted for GB. */
export function countryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (code === 'UK') return 'GB';
  return countries.has(code) ? code : undefined;
}

/** Its name in a language, English where that language has none. */
export function countryName(code: string, language = 'en'): string {
  return new Intl.DisplayNames([language, 'en'], { type: 'region' }).of(code) ?? code;
}

/** How a text that is no country is answered; it reads on after the name of the field. */
export const notACountry = 'must be a country code of two letters (ISO 3166-1) such as DE, US or GB';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The code of a currency (ISO 4217), however it is capitalised. */
export function currencyCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return currencies.has(code) ? code : undefined;
}

/** How a text that is no currency is answered; it reads on after the name of the field. */
export const notACurrency = 'must be a currency code of three letters (ISO 4217) such as EUR, USD or GBP';
