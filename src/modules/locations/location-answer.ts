import Type, { type Static, type TSchema } from 'typebox';
import type { Grant } from '../../api/versions/version-change.ts';
import { invalidField } from '../../problems.ts';
import { ContentListResponse, LabelResponse } from '../catalog/index.ts';
import type { Directory } from '../directories/index.ts';
import {
  classifications,
  cleansingStatuses,
  columnFieldNames,
  type Location,
  locationStatuses,
  NewLocation,
  normalizationStatuses,
  profileFieldNames,
} from './location.ts';
import { ServiceItem } from './profile-values.ts';
import { isSyncable } from './syncable.ts';
import { websiteExtraOf } from './website-extra.ts';

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

const whole = Type.Optional(Type.Integer());

/** What clients read and cannot write. */
const readOnlyFields = {
  status: optional(Type.Enum([...locationStatuses])),
  source: optional(Type.String({ description: 'The way by which it came in' })),
  labels: optional(Type.Array(LabelResponse)),
  services: optional(Type.Array(ServiceItem)),
  contentLists: optional(Type.Array(ContentListResponse)),
  listings: optional(Type.Integer({ description: 'How many pages on directories it has' })),
  listingsInSync: whole,
  dataPoints: optional(Type.Integer({ description: 'How many reviews, photos, questions and so on there are' })),
  averageRating: optional(Type.Number({ description: 'Absent without ratings' })),
  profileCompleteness: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  classification: optional(
    Type.Enum([...classifications], { description: 'The first level of the profile that is not full' }),
  ),
  visibilityIndex: optional(Type.Integer({ minimum: 0, maximum: 100, description: 'Absent until it was checked' })),
  missingMandatoryFields: optional(Type.Array(Type.String())),
  cleansingStatus: optional(Type.Enum([...cleansingStatuses])),
  normalizationStatus: optional(Type.Enum([...normalizationStatuses])),
  locationSyncable: optional(
    Type.Boolean({ description: 'Whether its data can go to one of the directories of its plan' }),
  ),
  dateCreated: optional(Type.String()),
  lastUpdated: optional(Type.String()),
  lastSyncStarted: optional(Type.String()),
  endDate: optional(Type.String({ description: 'The last day of one that is or was cancelled, YYYY-MM-DD' })),
};

const { labels: _labels, services: _services, ...contentFields } = Type.Partial(NewLocation).properties;

/** A field without a value is absent, and so is one that a field mask leaves out. */
export const LocationAnswer = Type.Object(
  { id: Type.Integer(), ...contentFields, ...readOnlyFields },
  { title: 'Location', 'x-resource': 'Location' },
);
export type LocationAnswer = Static<typeof LocationAnswer>;

const answerFields = Object.keys(LocationAnswer.properties) as readonly (keyof LocationAnswer)[];

/** What of a location each field is made of, where that is not the property of the same name. */
const sources: Record<string, readonly (keyof Location)[]> = {
  ...Object.fromEntries(profileFieldNames.map((field) => [field, ['profile'] as const])),
  websiteExtra: ['profile'],
  labels: ['labelIds'],
  contentLists: [],
  averageRating: ['ratingsCount', 'ratingsSum'],
  locationSyncable: ['status', 'normalizationStatus', 'businessId', 'profile', ...columnFieldNames],
};

const propertiesOf = (fields: readonly string[]): Set<string> =>
  new Set(fields.flatMap((field): readonly string[] => sources[field] ?? [field]));

/** Which fields an answer has, and what must be read for them. */
export interface FieldMask {
  fields: ReadonlySet<string>;
  properties: ReadonlySet<string>;
  /** For versions that have suggestions in locations. */
  withSuggestions: boolean;
}

export const everyField: FieldMask = {
  fields: new Set(answerFields),
  properties: propertiesOf(answerFields),
  withSuggestions: true,
};

export const fieldMaskQuery = {
  fieldMask: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200, description: 'Names of the fields to answer with' }),
  ),
};

/** What a request asks for: all that there is unless it names something. */
export function askedFields(given: readonly string[] | undefined, grants: ReadonlySet<Grant>): FieldMask {
  return given?.length
    ? fieldMaskOf(given, grants.has('SUGGESTIONS_IN_LOCATIONS') ? 'suggestions' : undefined)
    : everyField;
}

/** `mayName`: what some versions have beyond today's fields. */
function fieldMaskOf(given: readonly string[], mayName: 'suggestions' | undefined): FieldMask {
  const names = given.filter((name) => name !== mayName);
  const known = new Set<string>(answerFields);
  const unknown = [...new Set(names.filter((name) => !known.has(name)))];
  if (unknown.length > 0) {
    const message = `fieldMask names ${unknown.join(', ')}, which ${unknown.length > 1 ? 'are no fields' : 'is no field'} of a location. There are ${answerFields.join(', ')}.`;
    throw invalidField('fieldMask', 'known', message);
  }
  const properties = propertiesOf(names);
  // What was given for the categories lies in the profile.
  if (names.includes('categories')) properties.add('profile');
  return { fields: new Set(['id', ...names]), properties, withSuggestions: given.length > names.length };
}

export interface Linked {
  labels: ReadonlyMap<number, Static<typeof LabelResponse>>;
  contentLists: ReadonlyMap<number, Static<typeof ContentListResponse>[]>;
  coveredDirectories(businessId: number): readonly Directory[];
}

export function locationAnswer(
  location: Pick<Location, 'id'> & Partial<Location>,
  { fields }: FieldMask,
  { labels, contentLists, coveredDirectories }: Linked,
): LocationAnswer {
  const answer: Record<string, unknown> = { id: location.id };
  const { profile = {} } = location;
  for (const field of columnFieldNames) if (fields.has(field)) answer[field] = location[field];
  for (const field of profileFieldNames) if (fields.has(field)) answer[field] = profile[field];
  for (const field of plainFields) if (fields.has(field)) answer[field] = location[field];
  for (const field of momentFields) if (fields.has(field)) answer[field] = location[field]?.toISOString();
  if (fields.has('websiteExtra')) answer.websiteExtra = websiteExtraOf(profile);
  if (fields.has('labels')) answer.labels = (location.labelIds ?? []).flatMap((id) => labels.get(id) ?? []);
  if (fields.has('contentLists')) answer.contentLists = contentLists.get(location.id) ?? [];
  if (fields.has('averageRating')) answer.averageRating = averageRating(location);
  if (fields.has('locationSyncable')) {
    const whole = location as Location;
    answer.locationSyncable = isSyncable(whole, coveredDirectories(whole.businessId));
  }
  for (const field in answer) if (answer[field] === null || answer[field] === undefined) delete answer[field];
  return answer as LocationAnswer;
}

const plainFields = [
  'status',
  'source',
  'services',
  'listings',
  'listingsInSync',
  'dataPoints',
  'profileCompleteness',
  'classification',
  'visibilityIndex',
  'missingMandatoryFields',
  'cleansingStatus',
  'normalizationStatus',
  'endDate',
] as const;

const momentFields = ['dateCreated', 'lastUpdated', 'lastSyncStarted'] as const;

const averageRating = ({ ratingsCount = 0, ratingsSum = 0 }: Partial<Location>) =>
  ratingsCount > 0 ? Math.round((ratingsSum / ratingsCount) * 100) / 100 : undefined;
