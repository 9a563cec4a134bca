import Type, { type Static, type TSchema } from 'typebox';
import { Id } from '../../http/ids.ts';
import { deletable } from '../../http/validation.ts';
import type { FieldError } from '../../problems.ts';
import { type Checked, Day, OpeningHours, SpecialOpeningHours } from './hours.ts';
import {
  Attribute,
  CustomField,
  LabelReference,
  Photo,
  paymentOptions,
  ServiceArea,
  type ServiceItem,
  ServiceItemInput,
  SocialProfile,
  Url,
  Utm,
  Video,
} from './profile-values.ts';

export const maxCategories = 10;

export const locationStatuses = [
  'CREATED',
  'ACTIVE',
  'NEEDS_REVIEW',
  'CANCELLED',
  'INACTIVE',
  'CLOSED',
  'DELETED',
] as const;
export type LocationStatus = (typeof locationStatuses)[number];

/** How a location was created. */
export type LocationSource = 'API' | 'CHECKOUT' | 'CSV_UPLOAD' | 'DEMO_JOB' | 'LOCATION_DATA_DOWNLOAD';

export const classifications = ['REQUIRED', 'BASIC', 'ADVANCED', 'BONUS'] as const;
export type Classification = (typeof classifications)[number];

export const cleansingStatuses = ['NOT_CLEANSED', 'PENDING', 'CLEANSED', 'INVALID_DATA'] as const;
export type CleansingStatus = (typeof cleansingStatuses)[number];

export const normalizationStatuses = ['NORMALIZED', 'NOT_NORMALIZED'] as const;
export type NormalizationStatus = (typeof normalizationStatuses)[number];

const line = (maxLength: number, description: string) => Type.String({ pattern: '\\S', maxLength, description });
const text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const list = <T extends TSchema>(items: T, maxItems: number, description: string) =>
  Type.Array(items, { maxItems, description });
const phone = (what: string) =>
  Type.String({ maxLength: 50, description: `${what}: international, or in the national format of the country` });

/** Fields with a database column each. */
const columnFields = {
  businessId: Type.Integer({ ...Id, description: 'Id of the business' }),
  identifier: line(100, 'Your own identifier of the location, unique within the partner'),
  name: line(200, 'Name of the location'),
  street: line(200, 'Street, with or without the house number'),
  streetNo: line(30, 'House number'),
  addressExtra: text(200, 'Additional address line, such as floor, building or centre'),
  zip: line(20, 'Postal code in the format of the country'),
  city: line(100, 'City'),
  province: line(100, 'Province or state'),
  country: line(2, 'Two-letter country code (ISO 3166-1); UK is accepted for GB'),
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude; requires lng' }),
  lng: Type.Number({ minimum: -180, maximum: 180, description: 'Longitude; requires lat' }),
  addressDisplay: Type.Boolean({ description: 'Whether directories show the address. Default: true' }),
  timeZone: text(64, 'IANA time zone, such as Europe/Berlin. Default: the time zone of lat and lng'),
  phone: phone('Phone number'),
  fax: phone('Fax number'),
  cellphone: phone('Mobile number'),
  website: Url,
  email: Type.String({ maxLength: 254, description: 'E-mail address' }),
  categories: Type.Array(Id, {
    minItems: 1,
    maxItems: maxCategories,
    description: 'Category ids, the main category first',
  }),
  autoSync: Type.Boolean({ description: 'Whether changes are submitted to directories automatically. Default: true' }),
  temporarilyClosed: Type.Boolean({ description: 'Whether the location is temporarily closed. Default: false' }),
};

/** Fields stored together in the column profile. */
const profileFields = {
  descriptionShort: text(200, 'Description of at most 200 characters'),
  descriptionLong: text(1000, 'Description of at most 1000 characters'),
  imprint: text(5000, 'Imprint'),
  openingHours: list(OpeningHours, 7, 'Weekly opening hours: each day once, at most two periods a day'),
  specialOpeningHours: list(SpecialOpeningHours, 200, 'Opening hours of single days, such as holidays'),
  openingHoursNotes: text(255, 'Notes on the opening hours'),
  openingDate: Day,
  keywords: list(line(100, 'Keyword'), 100, 'Search keywords'),
  brands: list(line(100, 'Brand'), 100, 'Brands sold at the location'),
  paymentOptions: list(Type.Enum(paymentOptions, { description: 'Payment option' }), 50, 'Accepted payment options'),
  languages: list(line(20, 'Language code such as de'), 50, 'Spoken languages'),
  attributes: list(Attribute, 100, 'Attributes, such as wheelchair access'),
  serviceAreas: list(ServiceArea, 100, 'Areas served by the location'),
  socialProfiles: list(SocialProfile, 20, 'Social network profiles, at most one per network'),
  photos: list(Photo, 100, 'Photos in display order'),
  videos: list(Video, 20, 'Videos'),
  utms: list(Utm, 50, 'Query parameters added to the website, at most one entry per directory'),
  callTrackingNumbers: list(phone('Phone number'), 10, 'Numbers that are forwarded to the phone number'),
  customFields: list(CustomField, 100, 'Custom fields'),
};

/** Fields stored in other tables. */
const linkedFields = {
  labels: list(LabelReference, 100, 'Labels'),
  services: list(ServiceItemInput, 200, 'Services, in order'),
};

/** Fields that write to another field. */
const aliasFields = {
  websiteExtra: Type.String({
    pattern: '^[?&]?[^\\s#?]+$',
    maxLength: 1001,
    description: 'Alias of the GOOGLE entry in utms. Set only one of them',
  }),
};

const writableFields = { ...columnFields, ...profileFields, ...linkedFields, ...aliasFields };

export type ColumnField = keyof typeof columnFields;
export type ProfileField = keyof typeof profileFields;
export type WritableField = keyof typeof writableFields;

export const columnFieldNames = Object.keys(columnFields) as readonly ColumnField[];
export const profileFieldNames = Object.keys(profileFields) as readonly ProfileField[];
export const writableFieldNames = Object.keys(writableFields) as readonly WritableField[];

const { businessId, name, street, city, country, categories, ...optionalFields } = writableFields;
const requiredFields = { businessId, name, street, city, country, categories };

export const NewLocation = Type.Object(
  {
    ...requiredFields,
    ...Type.Partial(Type.Object(optionalFields)).properties,
  },
  { title: 'NewLocation', 'x-resource': 'Location' },
);
export type LocationInput = Static<typeof NewLocation>;

type ChangeFields = {
  [Name in WritableField]: Type.TOptional<Type.TUnsafe<Static<(typeof writableFields)[Name]> | null>>;
};

const changeFields = Object.fromEntries(
  Object.entries(writableFields).map(([field, schema]) => [field, Type.Optional(deletable(schema))]),
) as ChangeFields;

/** null deletes a field; an absent field is unchanged. */
export const LocationChange = Type.Object(changeFields, { title: 'LocationProfileChange', 'x-resource': 'Location' });
export type LocationPatch = Static<typeof LocationChange>;

export type LocationProfile = { [Name in ProfileField]?: Static<(typeof profileFields)[Name]> } & {
  /** The submitted category ids, when some were replaced by their successors. */
  givenCategories?: number[];
};

/** Required fields: they can be changed but not deleted. */
export const undeletableFields: ReadonlySet<string> = new Set(Object.keys(requiredFields));

type Columns = {
  [Name in Exclude<ColumnField, 'businessId' | 'categories'>]: Static<(typeof columnFields)[Name]> | null;
};

/** Fields that clients write, as stored. */
export interface LocationContent extends Columns {
  businessId: number;
  name: string;
  street: string;
  city: string;
  country: string;
  addressDisplay: boolean;
  autoSync: boolean;
  temporarilyClosed: boolean;
  categories: number[];
  labelIds: number[];
  profile: LocationProfile;
}

/** Fields derived from the content and stored with it. */
export interface DerivedFields {
  profileCompleteness: number;
  classification: Classification;
  missingMandatoryFields: string[];
  normalizationStatus: NormalizationStatus;
  cleansingStatus: CleansingStatus;
}

export interface Location extends LocationContent, DerivedFields {
  id: number;
  partnerId: number;
  status: LocationStatus;
  source: LocationSource;
  services: ServiceItem[];
  servicesCount: number;
  visibilityIndex: number | null;
  listingsCount: number;
  listingsInSync: number;
  dataPointsCount: number;
  ratingsCount: number;
  ratingsSum: number;
  /** Incremented with every change of the profile. */
  revision: number;
  dateCreated: Date;
  lastUpdated: Date;
  /** Null until the first sync. */
  lastSyncStarted: Date | null;
  nextCheckAt: Date | null;
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
