import { trimEndOf } from '../../text.ts';
import type { CleansingStatus, LocationContent } from './location.ts';
import { couldBeInCountry } from './time-zone.ts';

/** Countries that write the house number before the street. */
const numberFirst: ReadonlySet<string> = new Set('AU CA FR GB IE IN LU NZ PH SG US ZA'.split(' '));

// A number, optionally a range or with a letter: 310, 12a, 4-6, 17/2, 221B.
const number = '\\d{1,5}(?:\\s?[-/+]\\s?\\d{1,5})?\\s?[a-zA-Z]?(?:\\s?[-/]\\s?\\d{1,3})?';
const leading = new RegExp(`^(${number}),?\\s+(\\p{L}.*)$`, 'u');
const trailing = new RegExp(`[.,]? (?:(?:Nr|No|N°|nº)\\.? ?)?(${number})$`, 'iu');

type Address = Pick<LocationContent, 'street' | 'streetNo' | 'zip' | 'city' | 'province' | 'country' | 'lat' | 'lng'>;

interface Cleansed {
  status: Extract<CleansingStatus, 'CLEANSED' | 'INVALID_DATA'>;
  /** Corrected fields. */
  changes: Partial<Pick<Address, 'street' | 'streetNo' | 'city' | 'province'>>;
}

/**
 * Splits the house number from the street, and removes a postal code before the city and stray punctuation.
 * INVALID_DATA: street or city without a letter, or coordinates outside the country.
 */
export function cleanse(address: Address): Cleansed {
  const { streetNo, street } = splitStreet(address);
  const city = withoutZip(tidy(address.city), address.zip);
  const province = address.province === null ? null : provinceCode(tidy(address.province));
  const clean = { street, streetNo, city, province };
  const changes = Object.fromEntries(
    Object.entries(clean).filter(([field, value]) => value !== address[field as keyof typeof clean]),
  );
  const isValid =
    /\p{L}/u.test(street) &&
    /\p{L}/u.test(city) &&
    (address.lat === null || address.lng === null || couldBeInCountry(address.country, address.lat, address.lng));
  return isValid ? { status: 'CLEANSED', changes } : { status: 'INVALID_DATA', changes: {} };
}

/** The number is last in "Venloer Straße 310" and first in "221B Baker Street", depending on the country. */
function splitStreet({ street: given, streetNo, country }: Address): { street: string; streetNo: string | null } {
  const street = tidy(given);
  const givenNo = tidy(streetNo ?? '');
  if (givenNo !== '') return { street: withoutNumber(street, givenNo), streetNo: givenNo };
  if (numberFirst.has(country)) {
    const [, no, name] = leading.exec(street) ?? [];
    return no && name ? { street: name, streetNo: compact(no) } : { street, streetNo: null };
  }
  const found = trailing.exec(street);
  const name = street.slice(0, found?.index ?? 0);
  return found?.[1] && /\p{L}/u.test(name)
    ? { street: tidy(name), streetNo: compact(found[1]) }
    : { street, streetNo: null };
}

/** Removes a house number from the street when streetNo contains it too. */
function withoutNumber(street: string, streetNo: string): string {
  if (street.endsWith(` ${streetNo}`)) return tidy(street.slice(0, -streetNo.length));
  return street.startsWith(`${streetNo} `) ? tidy(street.slice(streetNo.length)) : street;
}

const withoutZip = (city: string, zip: string | null) =>
  zip !== null && city.startsWith(`${zip} `) ? tidy(city.slice(zip.length)) : city;

const provinceCode = (province: string) => (/^[a-z]{2,3}$/i.test(province) ? province.toUpperCase() : province);

const tidy = (text: string) => trimEndOf(text.replace(/\s+/g, ' ').replace(/^[\s,;]+/, ''), /[\s,;]/);

const compact = (streetNo: string) => streetNo.replace(/\s+/g, '');
