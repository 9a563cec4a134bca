import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { managesAccount } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id, parseId } from '../../http/ids.ts';
import { readMoment } from '../../http/period.ts';
import { countryCode } from '../../values/countries.ts';
import { currentCategory, findLabels, findLabelsByName } from '../catalog/index.ts';
import { locationStatuses } from './location.ts';
import type { LocationFilter } from './location-list-store.ts';

const several = { maxItems: 1000 };

/** A location must match every filter; values of one filter are alternatives. */
export const locationFilter = {
  identifier: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  status: Type.Optional(
    Type.Array(Type.Enum([...locationStatuses]), { description: 'Default: all statuses except DELETED' }),
  ),
  labels: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { ...several, description: 'Label ids or names' })),
  city: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), several)),
  zip: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), several)),
  country: Type.Optional(Type.Array(Type.String({ maxLength: 2, description: 'Country code' }), several)),
  categories: Type.Optional(Type.Array(Id, several)),
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words in name, identifier, address, phone or email; the last word may be a prefix',
    }),
  ),
  updatedSince: Type.Optional(
    Type.String({ maxLength: 40, description: 'Changed at or after this time, such as 2026-11-15T08:00:00Z' }),
  ),
};

const shape = Type.Object(locationFilter);

/** For bulk changes. Rejects unknown fields, because a mistyped filter would select all locations. */
export const bulkFilter = Type.Optional(
  Type.Object(locationFilter, {
    title: 'LocationSelection',
    additionalProperties: false,
    minProperties: 1,
    description:
      'Selects all matching locations, instead of ids. At least one field is required, and unknown fields are rejected. ' +
      'To select all locations, list all values of status',
  }),
);

/** Users with limited reach cannot filter by admin-only labels. */
type Requester = Pick<Caller, 'partnerId' | 'user'>;

export async function readLocationFilter(
  sql: Sql,
  who: Requester,
  given: Static<typeof shape>,
): Promise<LocationFilter> {
  const { identifier, businessIds, status, labels, city, zip, country, categories, query, updatedSince } = given;
  return {
    ...(identifier && { identifiers: identifier }),
    ...(businessIds && { businessIds }),
    ...(status && { statuses: status }),
    ...(labels && { labelIds: await labelIdsOf(sql, who, labels) }),
    ...(city && { cities: city }),
    ...(zip && { zips: zip }),
    ...(country && { countries: country.map((code) => countryCode(code) ?? code.toUpperCase()) }),
    // Locations store the successor of a merged category.
    ...(categories && { categories: categories.map((id) => currentCategory(id)?.id ?? id) }),
    ...(query !== undefined && { query }),
    ...(updatedSince !== undefined && { updatedSince: readMoment('updatedSince', updatedSince) }),
  };
}

async function labelIdsOf(sql: Sql, who: Requester, labels: readonly string[]): Promise<number[]> {
  const isId = (label: string) => parseId(label) !== undefined;
  const [ids, names] = [labels.filter(isId).map(Number), labels.filter((label) => !isId(label))];
  const found = [
    ...(ids.length > 0 ? await findLabels(sql, who.partnerId, ids) : []),
    ...(names.length > 0 ? await findLabelsByName(sql, who.partnerId, names) : []),
  ];
  return found.filter(({ adminOnly }) => !adminOnly || managesAccount(who)).map(({ id }) => id);
}
