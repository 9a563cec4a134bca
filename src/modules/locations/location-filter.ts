import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { fullReach, managesAccount, reachOf } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id, parseId } from '../../http/ids.ts';
import { readMoment } from '../../http/period.ts';
import { filterNotFound, type Problem } from '../../problems.ts';
import { normalizeText } from '../../text.ts';
import { countryCode } from '../../values/countries.ts';
import { phonePrefixes, resemblesPhone } from '../../values/phones.ts';
import { currentCategory, findLabels, findLabelsByName, visibleBusinessIds } from '../catalog/index.ts';
import { locationStatuses } from './location.ts';
import {
  countAllLocations,
  countriesOf,
  type LocationFilter,
  listLocationIds,
  searchExpression,
} from './location-list-store.ts';

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
    ...(identifier && { identifiers: identifier.map(normalizeText) }),
    ...(businessIds && { businessIds }),
    ...(status && { statuses: status }),
    ...(labels && { labelIds: await labelIdsOf(sql, who, labels) }),
    ...(city && { cities: city.map(normalizeText) }),
    ...(zip && { zips: zip.map(normalizeText) }),
    ...(country && { countries: country.map((code) => countryCode(code) ?? code.toUpperCase()) }),
    // Locations store the successor of a merged category.
    ...(categories && { categories: categories.map((id) => currentCategory(id)?.id ?? id) }),
    ...(query !== undefined && { query: await searchOf(sql, who.partnerId, normalizeText(query)) }),
    ...(updatedSince !== undefined && { updatedSince: readMoment('updatedSince', updatedSince) }),
  };
}

/** Phone numbers are found in international and in national form. */
async function searchOf(sql: Sql, partnerId: number, query: string): Promise<string> {
  if (!resemblesPhone(query)) return searchExpression(query);
  return searchExpression(query, phonePrefixes(query, await countriesOf(sql, partnerId)));
}

async function labelIdsOf(sql: Sql, who: Requester, labels: readonly string[]): Promise<number[]> {
  const ids = labels.flatMap((label) => parseId(label) ?? []);
  const byId = ids.length > 0 ? await findLabels(sql, who.partnerId, ids) : [];
  const known = new Set(byId.map(({ id }) => id));
  // A number that is not an id may be a name.
  const names = labels.filter((label) => !known.has(parseId(label) ?? 0));
  const byName = names.length > 0 ? await findLabelsByName(sql, who.partnerId, names) : [];
  return [...byId, ...byName].filter(({ adminOnly }) => !adminOnly || managesAccount(who)).map(({ id }) => id);
}

/** Upper bound for the locations of a partner. */
export const maxLocations = 1_000_000;

/** A location must match every field; values of one field are alternatives. */
export const scopeQuery = {
  businessIds: Type.Optional(Type.Array(Id, { ...several, examples: [[3]] })),
  locationIds: Type.Optional(Type.Array(Id, { ...several, examples: [[17, 18]] })),
  labels: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      ...several,
      description: 'Label ids or names',
      examples: [['Flagship']],
    }),
  ),
  textFilter: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words in the name, identifier or address of the location',
      examples: ['Köln'],
    }),
  ),
};

/** Creates the problem for an id that does not exist or is not visible to the caller. */
type Missing = (field: string, record: string) => Problem;

const scopeShape = Type.Object(scopeQuery);
export type ScopeQuery = Static<typeof scopeShape>;

/** Requested locations that the caller may see. Partners and businesses have roll-ups; anything else is a list of ids. */
export type Scope =
  | { kind: 'partner'; partnerId: number }
  | { kind: 'businesses'; partnerId: number; businessIds: readonly number[] }
  | { kind: 'locations'; partnerId: number; locationIds: readonly number[] };

/** Throws when an id does not exist or is not visible to the caller. */
export async function readScope(
  sql: Sql,
  caller: Caller,
  query: ScopeQuery,
  missing: Missing = filterNotFound,
): Promise<Scope> {
  const { partnerId } = caller;
  const reach = reachOf(caller);
  const { businessIds, locationIds: ids, labels, textFilter } = query;
  if (businessIds) {
    const found = await visibleBusinessIds(sql, partnerId, reach, businessIds);
    requireAll('businessIds', 'business', businessIds, found, missing);
  }
  if (ids) {
    const found = await listLocationIds(sql, { partnerId, reach, filter: { ids } }, ids.length);
    requireAll('locationIds', 'location', ids, found, missing);
  }
  if ((ids ?? labels ?? textFilter) === undefined) {
    if (reach.businessIds === null || reach.locationIds === null) {
      return businessIds
        ? { kind: 'businesses', partnerId, businessIds: unique(businessIds) }
        : { kind: 'partner', partnerId };
    }
    if (businessIds?.every((id) => reach.businessIds?.includes(id))) {
      return { kind: 'businesses', partnerId, businessIds: unique(businessIds) };
    }
    if (!businessIds && reach.locationIds.length === 0) {
      return { kind: 'businesses', partnerId, businessIds: unique(reach.businessIds) };
    }
  }
  const filter = await readLocationFilter(sql, caller, {
    ...(businessIds && { businessIds }),
    ...(labels && { labels }),
    ...(textFilter !== undefined && { query: textFilter }),
  });
  const wanted = { partnerId, reach, filter: { ...filter, ...(ids && { ids }) } };
  return { kind: 'locations', partnerId, locationIds: await listLocationIds(sql, wanted, maxLocations) };
}

export async function countScope(sql: Sql, scope: Scope): Promise<number> {
  if (scope.kind === 'locations') return scope.locationIds.length;
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  const { partnerId } = scope;
  return countAllLocations(sql, { partnerId, reach: fullReach, filter });
}

export function requireAll(
  field: string,
  noun: string,
  ids: readonly number[],
  found: readonly number[],
  missing: Missing,
): void {
  const known = new Set(found);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw missing(field, `${noun} ${unknown}`);
}

const unique = (ids: readonly number[]) => [...new Set(ids)];
