import { trimEndOf } from '../../text.ts';
import type { CleansingStatus, LocationContent } from './location.ts';
import { mayLieIn } from './time-zone.ts';

/** Countries that write the house number before the street. */
const numberFirst: ReadonlySet<string> = new Set([
  'AU',
  'CA',
  'FR',
  'GB',
  'IE',
  'IN',
  'LU',
  'NZ',
  'PH',
  'SG',
  'US',
  'ZA',
]);

// A number, perhaps a range, perhaps with a letter: 310, 12a, 4-6, 17/2, 221B.
const number = '\\d{1,5}(?:\\s?[-/+]\\s?\\d{1,5})?\\s?[a-zA-Z]?(?:\\s?[-/]\\s?\\d{1,3})?';
const leading = new RegExp(`^(${number}),?\\s+(\\p{L}.*)$`, 'u');
const trailing = new RegExp(`[.,]? (?:(?:Nr|No|N°|nº)\\.? ?)?(${number})$`, 'iu');

type Address = Pick<LocationContent, 'street' | 'streetNo' | 'zip' | 'city' | 'province' | 'country' | 'lat' | 'lng'>;

export interface Cleansed {
  status: Extract<CleansingStatus, 'CLEANSED' | 'INVALID_DATA'>;
  /** What of the address is written differently now. */
  changes: Partial<Pick<Address, 'street' | 'streetNo' | 'city' | 'province'>>;
}

/**
 * Brings an address into the form that directories share: the house number apart from the street, no postal code in
 * front of the city, no stray punctuation, codes of provinces in capitals. INVALID_DATA says that it cannot be right:
 * a street or a city without a letter, or coordinates that do not lie in the country.
 */
export function cleanse(address: Address): Cleansed {
  const { streetNo, street } = splitStreet(address);
  const city = withoutZip(tidy(address.city), address.zip);
  const province = address.province === null ? null : provinceCode(tidy(address.province));
  const clean = { street, streetNo, city, province };
  const changes = Object.fromEntries(
    Object.entries(clean).filter(([field, value]) => value !== address[field as keyof typeof clean]),
  );
  const isSound =
    /\p{L}/u.test(street) &&
    /\p{L}/u.test(city) &&
    (address.lat === null || address.lng === null || mayLieIn(address.country, address.lat, address.lng));
  return isSound ? { status: 'CLEANSED', changes } : { status: 'INVALID_DATA', changes: {} };
}

/** "Venloer Straße 310" has its number at the end, "221B Baker Street" at the beginning; where depends on the country. */
function splitStreet({ street: given, streetNo, country }: Address): { street: string; streetNo: string | null } {
  const street = tidy(given);
  if (streetNo !== null) return { street: withoutNumber(street, tidy(streetNo)), streetNo: tidy(streetNo) };
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

/** A number that is given twice, in the street and by itself. */
function withoutNumber(street: string, streetNo: string): string {
  if (street.endsWith(` ${streetNo}`)) return tidy(street.slice(0, -streetNo.length));
  return street.startsWith(`${streetNo} `) ? tidy(street.slice(streetNo.length)) : street;
}

const withoutZip = (city: string, zip: string | null) =>
  zip !== null && city.startsWith(`${zip} `) ? tidy(city.slice(zip.length)) : city;

const provinceCode = (province: string) => (/^[a-z]{2,3}$/i.test(province) ? province.toUpperCase() : province);

const tidy = (text: string) => trimEndOf(text.replace(/\s+/g, ' ').replace(/^[\s,;]+/, ''), /[\s,;]/);

const compact = (streetNo: string) => streetNo.replace(/\s+/g, '');
