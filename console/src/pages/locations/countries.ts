const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Region codes that are not countries. */
const noCountry = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

const isCountry = (code: string): boolean =>
  !noCountry.has(code) && names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code;

export const countryCodes: readonly string[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter(isCountry)
  .sort((a, b) => (names.of(a) ?? a).localeCompare(names.of(b) ?? b));

export const countryOptions = countryCodes.map((code) => ({ value: code, label: names.of(code) ?? code }));
