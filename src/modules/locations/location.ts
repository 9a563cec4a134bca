import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Locations } from '../../database/schema.ts';
import { type locationSource, locationStatuses } from '../../events/catalogue/status-values.ts';
import { deletableFields } from '../../http/validation.ts';
import type { FieldError } from '../../problems.ts';
import type { Checked } from './hours.ts';
import { type ColumnField, fieldSchemas, type ProfileField } from './location-fields.ts';
import type { ServiceItem } from './profile-values.ts';

export { locationStatuses };
export type LocationStatus = (typeof locationStatuses)[number];

/** Statuses of locations that directories list, or will list after the first sync. */
export const servedStatuses = ['CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED'] as const satisfies LocationStatus[];
export type ServedStatus = (typeof servedStatuses)[number];

/** Statuses between the first sync and deactivation. */
export const syncedStatuses: readonly string[] = servedStatuses.filter((status) => status !== 'CREATED');

/** Locations in review are checked, but not submitted. */
export const submittableStatuses: readonly string[] = servedStatuses.filter((status) => status !== 'NEEDS_REVIEW');

/** Statuses that store finders show. */
export const publicStatuses = ['ACTIVE', 'NEEDS_REVIEW'] as const satisfies LocationStatus[];

/** How a location was created. */
export type LocationSource = Static<ReturnType<typeof locationSource>>;

export const classifications = ['REQUIRED', 'BASIC', 'ADVANCED', 'BONUS'] as const;
export type Classification = (typeof classifications)[number];

export const cleansingStatuses = ['NOT_CLEANSED', 'PENDING', 'CLEANSED', 'INVALID_DATA'] as const;
export type CleansingStatus = (typeof cleansingStatuses)[number];

export const normalizationStatuses = ['NORMALIZED', 'NOT_NORMALIZED'] as const;
type NormalizationStatus = (typeof normalizationStatuses)[number];

const { businessId, name, street, city, country, categories, ...optionalFields } = fieldSchemas;
const requiredFields = { businessId, name, street, city, country, categories };

export const NewLocation = Type.Object(
  {
    ...requiredFields,
    ...Type.Partial(Type.Object(optionalFields)).properties,
  },
  { title: 'NewLocation', 'x-resource': 'Location' },
);
export type LocationInput = Static<typeof NewLocation>;

/** null deletes a field; an absent field is unchanged. */
export const LocationChange = Type.Object(deletableFields(fieldSchemas), {
  title: 'LocationProfileChange',
  'x-resource': 'Location',
});
export type LocationPatch = Static<typeof LocationChange>;

export type LocationProfile = { [Name in ProfileField]?: Static<(typeof fieldSchemas)[Name]> } & {
  /** The submitted category ids, when some were replaced by their successors. */
  givenCategories?: number[];
};

/** Required fields: they can be changed but not deleted. */
export const undeletableFields: ReadonlySet<string> = new Set(Object.keys(requiredFields));

type Row = Selectable<Locations>;

/** Fields that clients write, as stored. */
export interface LocationContent extends Pick<Row, ColumnField | 'labelIds'> {
  profile: LocationProfile;
}

/** Fields derived from the content and stored with it. */
export interface DerivedFields extends Pick<Row, 'profileCompleteness' | 'missingMandatoryFields'> {
  classification: Classification;
  normalizationStatus: NormalizationStatus;
  cleansingStatus: CleansingStatus;
}

/** A service as it is read with its location: fields without a value are null or absent. */
export type ServiceOfLocation = Pick<ServiceItem, 'id' | 'title'> & {
  [Name in keyof ServiceItem]: ServiceItem[Name] | null;
};

type Typed = keyof LocationContent | keyof DerivedFields | 'status' | 'source' | 'endDate';

export interface Location extends LocationContent, DerivedFields, Omit<Row, Typed | 'search' | 'syncedRevision'> {
  status: LocationStatus;
  source: LocationSource;
  services: ServiceOfLocation[];
  /** YYYY-MM-DD */
  endDate: string | null;
}

/** websiteExtra is from before utms, when only Google had parameters. */
const google = 'GOOGLE';

type Utms = NonNullable<LocationProfile['utms']>;

export const websiteExtraOf = ({ utms }: LocationProfile): string | undefined =>
  utms?.find(({ type }) => type === google)?.parameters;

/** Rewrites websiteExtra in a patch to the GOOGLE entry of utms. Other entries are unchanged. */
export function withoutWebsiteExtra(before: LocationProfile, patch: LocationPatch): Checked<LocationPatch> {
  const { websiteExtra, ...rest } = patch;
  if (websiteExtra === undefined) return { value: rest };
  const parameters = websiteExtra?.replace(/^[?&]/, '') ?? null;
  if (rest.utms !== undefined && websiteExtraOf({ utms: rest.utms ?? [] }) !== (parameters ?? undefined)) {
    return { errors: [contradiction] };
  }
  const present: Utms = rest.utms ?? before.utms ?? [];
  const known = present.some(({ type }) => type === google) ? present : [...present, { type: google, parameters: '' }];
  const utms = known.flatMap((utm) =>
    utm.type !== google ? [utm] : parameters === null ? [] : [{ type: google, parameters }],
  );
  return { value: { ...rest, utms: utms.length > 0 ? utms : null } };
}

const contradiction: FieldError = {
  field: 'websiteExtra',
  rule: 'contradiction',
  message: 'websiteExtra and the GOOGLE entry of utms differ. Set only one of them.',
};
