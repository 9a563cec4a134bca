const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Region codes that are not countries. */
const noCountry = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

const isCountry = (code: string): boolean =>
  !noCountry.has(code) && names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code;

let codes: readonly string[] | undefined;

/** Computed on first use, because the routes import this file. */
export function countryCodes(): readonly string[] {
  codes ??= letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter(isCountry)
    .sort((a, b) => (names.of(a) ?? a).localeCompare(names.of(b) ?? b));
  return codes;
}

let options: { value: string; label: string }[] | undefined;

export function countryOptions() {
  options ??= countryCodes().map((code) => ({ value: code, label: names.of(code) ?? code }));
  return options;
}
