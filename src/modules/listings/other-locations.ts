import type { Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { ListingProfile } from '../directories/index.ts';
import { servedStatuses } from '../locations/index.ts';
import { normalizePhone } from './field-comparison.ts';
import type { Listing } from './listing.ts';
import type { OtherLocation } from './listing-match.ts';

const maxLocations = 200;

/** Other locations, of any partner, with the phone or the address of one of these profiles. */
export async function findOtherLocations(
  sql: Sql,
  { locationId, directoryType }: Pick<Listing, 'locationId' | 'directoryType'>,
  profiles: readonly ListingProfile[],
): Promise<OtherLocation[]> {
  const terms = new Set(profiles.flatMap((profile) => [phoneTerm(profile), addressTerm(profile)]));
  const search = [...terms].filter(Boolean).join(' | ');
  if (search === '') return [];
  const rows = await run(sql, otherLocations, [locationId, directoryType, search, [...servedStatuses], maxLocations]);
  return rows.map(({ isLinked, ...row }) => ({ isLinked, profile: definedValues(row) }));
}

type OtherLocationRow = { isLinked: boolean } & {
  [Field in 'name' | 'street' | 'streetNo' | 'addressExtra' | 'zip' | 'city' | 'country' | 'phone' | 'website']:
    | string
    | null;
};

const definedValues = (row: object) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as ListingProfile;

const otherLocations = defineStatement<OtherLocationRow>({
  name: 'find-other-locations',
  text: `select name, street, street_no, address_extra, zip, city, country, phone, website, exists (
           select from listings listing where listing.location_id = locations.id and listing.directory_type = $2
             and listing.duplicate_of is null and listing.external_id is not null
         ) as is_linked
         from locations
         where search @@ to_tsquery('simple', $3) and id <> $1 and status = any ($4) limit $5`,
  columns: {
    name: 'text',
    street: 'text',
    streetNo: 'text',
    addressExtra: 'text',
    zip: 'text',
    city: 'text',
    country: 'text',
    phone: 'text',
    website: 'text',
    isLinked: 'bool',
  },
});

// Terms of to_tsquery: letters and digits only.

const phoneTerm = ({ phone, country }: ListingProfile) => phone && normalizePhone(phone, country).replace(/\D/g, '');

/** Area and house number, because directories abbreviate streets; without a number, area and street. */
function addressTerm({ street = '', streetNo = '', zip, city }: ListingProfile): string | undefined {
  const area = words(zip || city);
  const address = `${street} ${streetNo}`.toLowerCase();
  // "12 a" may be stored as "12a" or "12 a".
  const numbers = [...address.matchAll(/(\d+)\s*([a-z]\b)?/g)].flatMap(([, digits = '', letter = '']) => [
    digits,
    digits + letter,
  ]);
  const alternatives = numbers.length > 0 ? new Set(numbers) : words(street).filter((word) => word.length > 2);
  if (area.length === 0 || [...alternatives].length === 0) return undefined;
  return `(${area.join(' & ')} & (${[...alternatives].join(' | ')}))`;
}

const words = (text = ''): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
