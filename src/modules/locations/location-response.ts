import Type, { type Static } from 'typebox';
import type { Grant } from '../../api/versions/version-change.ts';
import type { Sql } from '../../database/connection.ts';
import { Hook } from '../../hook.ts';
import { type CallerUser, managesAccount } from '../../http/access.ts';
import { fieldCopier, fieldNames } from '../../http/record-response.ts';
import { invalidField } from '../../problems.ts';
import {
  type ContentList,
  ContentListResponse,
  contentListResponse,
  contentListsOf,
  coverageOf,
  directoriesOfPlan,
  findLabels,
  type Label,
  LabelResponse,
} from '../catalog/index.ts';
import { type Directory, directoryList, refusingDirectories } from '../directories/index.ts';
import { listingProfileOf } from './listing-profile.ts';
import {
  classifications,
  cleansingStatuses,
  type Location,
  locationStatuses,
  NewLocation,
  normalizationStatuses,
  type ServiceOfLocation,
  submittableStatuses,
  websiteExtraOf,
} from './location.ts';
import { columnFieldNames, profileFieldNames } from './location-fields.ts';
import type { FoundLocation } from './location-list-store.ts';
import { findLinkedLocation, type LinkedLocation } from './location-store.ts';
import { ServiceItem } from './profile-values.ts';

const { properties: readOnlyFields } = Type.Partial(
  Type.Object({
    status: Type.Enum([...locationStatuses]),
    source: Type.String({ description: 'How the location was created' }),
    labels: Type.Array(LabelResponse),
    services: Type.Array(ServiceItem),
    contentLists: Type.Array(ContentListResponse),
    listings: Type.Integer({ description: 'Number of listings' }),
    listingsInSync: Type.Integer(),
    dataPoints: Type.Integer({ description: 'Number of datapoints, such as reviews, photos and questions' }),
    averageRating: Type.Number({ description: 'Absent without ratings' }),
    profileCompleteness: Type.Integer({ minimum: 0, maximum: 100 }),
    classification: Type.Enum([...classifications], { description: 'First incomplete level of the profile' }),
    visibilityIndex: Type.Integer({ minimum: 0, maximum: 100, description: 'Absent until the first check' }),
    missingMandatoryFields: Type.Array(Type.String()),
    cleansingStatus: Type.Enum([...cleansingStatuses]),
    normalizationStatus: Type.Enum([...normalizationStatuses]),
    locationSyncable: Type.Boolean({
      description: 'Whether the location can be submitted to at least one directory of its plan',
    }),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
    lastSyncStarted: Type.String(),
    endDate: Type.String({ description: 'Last day after a cancellation, YYYY-MM-DD' }),
  }),
);

const { labels: _labels, services: _services, ...contentFields } = Type.Partial(NewLocation).properties;

/** Fields without a value, or not in the field mask, are absent. */
export const LocationResponse = Type.Object(
  { id: Type.Integer(), ...contentFields, ...readOnlyFields },
  { title: 'Location', 'x-resource': 'Location' },
);
export type LocationResponse = Static<typeof LocationResponse>;

const responseFields = Object.keys(LocationResponse.properties) as readonly (keyof LocationResponse)[];

/** Properties that a field is computed from, unless it is the property of the same name. */
const sources: Record<string, readonly (keyof Location)[]> = {
  ...Object.fromEntries(profileFieldNames.map((field) => [field, ['profile'] as const])),
  websiteExtra: ['profile'],
  labels: ['labelIds'],
  contentLists: [],
  listings: ['listingsCount'],
  dataPoints: ['dataPointsCount'],
  averageRating: ['ratingsCount', 'ratingsSum'],
  locationSyncable: ['status', 'normalizationStatus', 'businessId', 'profile', ...columnFieldNames],
};

const propertiesOf = (fields: readonly string[]): Set<string> =>
  new Set(fields.flatMap((field): readonly string[] => sources[field] ?? [field]));

/** Fields of a response, and the properties to read for them. */
export interface FieldMask {
  fields: ReadonlySet<string>;
  properties: ReadonlySet<string>;
  /** For API versions with suggestions in locations. */
  withSuggestions: boolean;
}

export const everyField: FieldMask = {
  fields: new Set(responseFields),
  properties: propertiesOf(responseFields),
  withSuggestions: true,
};

export const fieldMaskQuery = {
  fieldMask: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200, description: 'Fields to return. Default: all' }),
  ),
};

/** All fields unless the request names some. */
export function requestedFields(given: readonly string[] | undefined, grants: ReadonlySet<Grant>): FieldMask {
  if (!given?.length) return everyField;
  const extraField = grants.has('SUGGESTIONS_IN_LOCATIONS') ? 'suggestions' : undefined;
  const names = given.filter((name) => name !== extraField);
  const unknown = [...new Set(names.filter((name) => !everyField.fields.has(name)))];
  if (unknown.length > 0) {
    const message = `fieldMask contains unknown ${unknown.length > 1 ? 'fields' : 'field'} ${unknown.join(', ')}. Accepted: ${responseFields.join(', ')}.`;
    throw invalidField('fieldMask', 'known', message);
  }
  const properties = propertiesOf(names);
  // The submitted category ids are stored in the profile.
  if (names.includes('categories')) properties.add('profile');
  return { fields: new Set(['id', ...names]), properties, withSuggestions: given.length > names.length };
}

/** Records of the catalog that responses contain or are computed from. */
interface Linked {
  labels: readonly Label[];
  contentLists: ReadonlyMap<number, readonly ContentList[]>;
  coveredDirectories(businessId: number): readonly Directory[];
}

function locationResponse(
  location: FoundLocation,
  mask: FieldMask,
  labels: ReadonlyMap<number, Label>,
  { contentLists, coveredDirectories }: Linked,
): LocationResponse {
  const response: Record<string, unknown> = { id: location.id };
  const { profile = {} } = location;
  const { fields } = mask;
  const wanted = mask === everyField ? undefined : fields;
  copyColumns(location, response, wanted);
  copyProfile(profile, response, wanted);
  copyReadOnly(location, response, wanted);
  const extra = websiteExtraOf(profile);
  if (extra !== undefined && fields.has('websiteExtra')) response.websiteExtra = extra;
  if (fields.has('services')) response.services = (location.services ?? []).map(serviceResponse);
  if (fields.has('labels')) response.labels = (location.labelIds ?? []).flatMap((id) => labels.get(id) ?? []);
  if (fields.has('contentLists'))
    response.contentLists = (contentLists.get(location.id) ?? []).map(contentListResponse);
  if (fields.has('listings')) response.listings = location.listingsCount;
  if (fields.has('dataPoints')) response.dataPoints = location.dataPointsCount;
  const rating = averageRating(location);
  if (rating !== undefined && fields.has('averageRating')) response.averageRating = rating;
  if (fields.has('locationSyncable')) {
    const whole = location as Location;
    response.locationSyncable = isSyncable(whole, coveredDirectories(whole.businessId));
  }
  return response as LocationResponse;
}

const isSyncable = (location: Location, covered: readonly Directory[]): boolean =>
  submittableStatuses.includes(location.status) &&
  location.normalizationStatus === 'NORMALIZED' &&
  refusingDirectories(covered, listingProfileOf(location)).length === 0;

const copyColumns = fieldCopier(columnFieldNames);
const copyProfile = fieldCopier(profileFieldNames);
/** Fields with the name and the value of a property. */
const copyReadOnly = fieldCopier(
  Object.keys(readOnlyFields).filter((field) => !(field in sources) && field !== 'services'),
);

const copyService = fieldCopier(fieldNames(ServiceItem));

export function serviceResponse(service: ServiceOfLocation): ServiceItem {
  const response = {};
  copyService(service, response);
  return response as ServiceItem;
}

const averageRating = ({ ratingsCount = 0, ratingsSum = 0 }: Partial<Location>) =>
  ratingsCount > 0 ? Math.round((ratingsSum / ratingsCount) * 100) / 100 : undefined;

/** The caller, and the additional fields that its API version includes. */
interface Reader {
  caller: { partnerId: number; user?: CallerUser };
  grants: ReadonlySet<Grant>;
}

/**
 * Builds API responses, with labels, content lists and coverage from other modules. Ends before the location whose
 * content items exceed the limit of a response.
 */
export async function describeLocations(
  sql: Sql,
  reader: Reader,
  locations: readonly FoundLocation[],
  mask: FieldMask,
): Promise<LocationResponse[]> {
  const { fitting, ...linked } = await readLinked(sql, reader.caller.partnerId, locations, mask);
  return describe(sql, reader, locations.slice(0, fitting), mask, linked);
}

async function readLinked(
  sql: Sql,
  partnerId: number,
  locations: readonly FoundLocation[],
  mask: FieldMask,
): Promise<Linked & { fitting: number }> {
  const labelIds = mask.fields.has('labels') ? new Set(locations.flatMap((location) => location.labelIds ?? [])) : [];
  const ids = mask.fields.has('contentLists') ? locations.map(({ id }) => id) : [];
  const businessIds = mask.fields.has('locationSyncable')
    ? locations.flatMap(({ businessId }) => businessId ?? [])
    : [];
  const [labels, lists, coveredDirectories] = await Promise.all([
    [...labelIds].length > 0 ? findLabels(sql, partnerId, [...labelIds]) : [],
    ids.length > 0 ? contentListsOf(sql, ids) : { contentLists: new Map(), fitting: locations.length },
    coverageOf(sql, partnerId, businessIds, directoryList),
  ]);
  return { labels, ...lists, coveredDirectories };
}

async function describe(
  sql: Sql,
  { caller: who, grants }: Reader,
  locations: readonly FoundLocation[],
  mask: FieldMask,
  linked: Linked,
): Promise<LocationResponse[]> {
  const seesAll = managesAccount(who);
  const shown = linked.labels.filter(({ adminOnly }) => seesAll || !adminOnly);
  const labels = new Map(shown.map((label) => [label.id, label]));
  const asGiven = grants.has('DEPRECATED_CATEGORIES') && mask.fields.has('categories');
  const responses = locations.map((location) => {
    const response = locationResponse(location, mask, labels, linked);
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

export async function describeLinkedLocation(
  sql: Sql,
  reader: Reader,
  location: LinkedLocation,
  mask: FieldMask = everyField,
): Promise<LocationResponse> {
  const { id, labels, contentLists, planDirectories } = location;
  const covered = directoriesOfPlan(planDirectories, directoryList);
  const linked = { labels, contentLists: new Map([[id, contentLists]]), coveredDirectories: () => covered };
  const [response] = await describe(sql, reader, [location], mask, linked);
  return response as LocationResponse;
}

/** The response for a location that exists. */
export async function readLocation(sql: Sql, reader: Reader, id: number): Promise<LocationResponse> {
  const location = (await findLinkedLocation(sql, reader.caller.partnerId, id)) as LinkedLocation;
  return describeLinkedLocation(sql, reader, location);
}
