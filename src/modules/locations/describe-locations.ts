import type { Grant } from '../../api/versions/version-change.ts';
import type { Sql } from '../../database/connection.ts';
import { Hook } from '../../hook.ts';
import type { CallerUser } from '../../http/access.ts';
import { managesAccount } from '../accounts/index.ts';
import { contentListResponse, contentListsOf, coverageOf, findLabels, labelResponse } from '../catalog/index.ts';
import { directoryList } from '../directories/index.ts';
import type { Location } from './location.ts';
import { everyField, type FieldMask, type LocationResponse, locationResponse } from './location-response.ts';

/** The caller, and the additional fields that its API version includes. */
interface Reader {
  caller: { partnerId: number; user?: CallerUser };
  grants: ReadonlySet<Grant>;
}

/** Builds API responses, with labels, content lists and coverage from other modules. */
export async function describeLocations(
  sql: Sql,
  { caller: who, grants }: Reader,
  locations: readonly (Pick<Location, 'id'> & Partial<Location>)[],
  mask: FieldMask = everyField,
): Promise<LocationResponse[]> {
  const labelIds = mask.fields.has('labels') ? new Set(locations.flatMap((location) => location.labelIds ?? [])) : [];
  const wantsLists = mask.fields.has('contentLists') && locations.length > 0;
  const businessIds = mask.fields.has('locationSyncable')
    ? locations.flatMap(({ businessId }) => businessId ?? [])
    : [];
  const [labels, lists, covered] = await Promise.all([
    [...labelIds].length > 0 ? findLabels(sql, who.partnerId, [...labelIds]) : [],
    wantsLists
      ? contentListsOf(
          sql,
          locations.map(({ id }) => id),
        )
      : new Map(),
    coverageOf(sql, who.partnerId, businessIds, directoryList),
  ]);
  const seesAll = managesAccount(who);
  const shown = labels.filter(({ adminOnly }) => seesAll || !adminOnly);
  const linked = {
    labels: new Map(shown.map((label) => [label.id, labelResponse(label)])),
    contentLists: new Map([...lists].map(([id, list]) => [id, list.map(contentListResponse)])),
    coveredDirectories: covered,
  };
  const asGiven = grants.has('DEPRECATED_CATEGORIES') && mask.fields.has('categories');
  const responses = locations.map((location) => {
    const response = locationResponse(location, mask, linked);
    const given = asGiven ? location.profile?.givenCategories : undefined;
    return given ? { ...response, categories: given } : response;
  });
  return grants.has('SUGGESTIONS_IN_LOCATIONS') && mask.withSuggestions
    ? withSuggestions(sql, who.partnerId, responses)
    : responses;
}

/** Returns pending suggestions by location, as API responses. */
export const suggestionsOfLocations = new Hook<
  (sql: Sql, partnerId: number, locationIds: readonly number[]) => Promise<ReadonlyMap<number, readonly object[]>>
>('suggestionsOfLocations');

/** Old API versions include pending suggestions in the location. */
async function withSuggestions(sql: Sql, partnerId: number, responses: readonly LocationResponse[]) {
  const ids = responses.map(({ id }) => id);
  const [pending] = await suggestionsOfLocations.run(sql, partnerId, ids);
  return responses.map((response) => ({ ...response, suggestions: pending?.get(response.id) ?? [] }));
}

export async function describeLocation(
  sql: Sql,
  reader: Reader,
  location: Location,
  mask?: FieldMask,
): Promise<LocationResponse> {
  const [response] = await describeLocations(sql, reader, [location], mask);
  return response as LocationResponse;
}
