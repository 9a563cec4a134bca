import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id } from '../../http/ids.ts';
import { invalidField } from '../../problems.ts';
import { countryCode } from '../../values/countries.ts';
import { managesAccount } from '../accounts/index.ts';
import { currentCategory, findLabels, findLabelsByName } from '../catalog/index.ts';
import { locationStatuses } from './location.ts';
import type { LocationFilter } from './location-list-store.ts';

const several = { maxItems: 1000 };

/** Which locations: those that fit every filter, and any value of each. */
export const locationFilter = {
  identifier: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  status: Type.Optional(
    Type.Array(Type.Enum([...locationStatuses]), { description: 'All but DELETED unless it is given' }),
  ),
  labels: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { ...several, description: 'By id or by name' })),
  city: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), several)),
  zip: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), several)),
  country: Type.Optional(Type.Array(Type.String({ maxLength: 2, description: 'Country code' }), several)),
  categories: Type.Optional(Type.Array(Id, several)),
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words of name, identifier, address, phone or email; the last may be only begun',
    }),
  ),
  updatedSince: Type.Optional(
    Type.String({ maxLength: 40, description: 'Changed then or later: a time such as 2026-11-15T08:00:00Z' }),
  ),
};

const shape = Type.Object(locationFilter);

/**
 * Of a call that changes many locations. Unknown fields of other bodies are ignored; here a mistyped filter would change
 * all locations.
 */
export const changingFilter = Type.Optional(
  Type.Object(locationFilter, {
    title: 'LocationSelection',
    additionalProperties: false,
    minProperties: 1,
    description:
      'In place of the ids: all locations that match. At least one field is required, and unknown fields are rejected; ' +
      'status with all its values selects all locations',
  }),
);

/** Who asks: a user of a part of the account does not find anything by labels that are hidden from him. */
type Who = Pick<Caller, 'partnerId' | 'user'>;

export async function readLocationFilter(sql: Sql, who: Who, given: Static<typeof shape>): Promise<LocationFilter> {
  const { identifier, businessIds, status, labels, city, zip, country, categories, query, updatedSince } = given;
  return {
    ...(identifier && { identifiers: identifier }),
    ...(businessIds && { businessIds }),
    ...(status && { statuses: status }),
    ...(labels && { labelIds: await labelIdsOf(sql, who, labels) }),
    ...(city && { cities: city }),
    ...(zip && { zips: zip }),
    ...(country && { countries: country.map((code) => countryCode(code) ?? code.toUpperCase()) }),
    // Locations have the successor of a category that was merged, whichever of the two they were given.
    ...(categories && { categories: categories.map((id) => currentCategory(id)?.id ?? id) }),
    ...(query !== undefined && { query }),
    ...(updatedSince !== undefined && { updatedSince: readMoment('updatedSince', updatedSince) }),
  };
}

async function labelIdsOf(sql: Sql, who: Who, labels: readonly string[]): Promise<number[]> {
  const isId = (label: string) => /^\d{1,15}$/.test(label);
  const [ids, names] = [labels.filter(isId).map(Number), labels.filter((label) => !isId(label))];
  const found = [
    ...(ids.length > 0 ? await findLabels(sql, who.partnerId, ids) : []),
    ...(names.length > 0 ? await findLabelsByName(sql, who.partnerId, names) : []),
  ];
  return found.filter(({ adminOnly }) => !adminOnly || managesAccount(who)).map(({ id }) => id);
}

/** ISO 8601, or milliseconds since 1970. */
function readMoment(field: string, text: string): Date {
  const moment = new Date(/^\d{10,14}$/.test(text) ? Number(text) : /^\d{4}-\d\d-\d\d/.test(text) ? text : Number.NaN);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw invalidField(field, 'time', `${field} must be a time such as 2026-11-15T08:00:00Z, not "${text}".`);
}
