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
  const terms = new Set(profiles.flatMap(termsOf));
  const search = [...terms].join(' | ');
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

/**
 * Terms of to_tsquery, of letters and digits only. Branches of a chain share a phone, so it is sought in the same area.
 * The house number stands for the street, which directories abbreviate.
 */
function termsOf({ street = '', streetNo = '', zip, city, country, phone }: ListingProfile): string[] {
  const area = words(zip || city).join(' & ');
  // "12 a" may be stored as "12a" or "12 a".
  const numbers = [...`${street} ${streetNo}`.toLowerCase().matchAll(/(\d+)\s*([a-z]\b)?/g)];
  const address =
    numbers.length > 0
      ? numbers.flatMap(([, digits = '', letter = '']) => [digits, digits + letter])
      : words(street).filter((word) => word.length > 2);
  const digits = phone ? normalizePhone(phone, country).replace(/\D/g, '') : '';
  if (area === '') return digits === '' ? [] : [digits];
  const alternatives = new Set([...address, ...(digits === '' ? [] : [digits])]);
  return alternatives.size === 0 ? [] : [`(${area} & (${[...alternatives].join(' | ')}))`];
}

const words = (text = ''): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
