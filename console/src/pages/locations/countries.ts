const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Regions that have a code and are no country. */
const noCountry = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

const isCountry = (code: string): boolean =>
  !noCountry.has(code) && names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code;

/** The codes of countries, in the order of their English names. */
export const countryCodes: readonly string[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter(isCountry)
  .sort((a, b) => (names.of(a) ?? a).localeCompare(names.of(b) ?? b));

export const countryOptions = countryCodes.map((code) => ({ value: code, label: names.of(code) ?? code }));
