import type { Static, TSchema } from 'typebox';
import Type from 'typebox';
import { Id } from '../../http/ids.ts';
import { deletable } from '../../http/validation.ts';
import { Day, OpeningHours, SpecialOpeningHours } from './hours.ts';
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

export const mostCategories = 10;

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

/** The way by which a location came in. */
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
  Type.String({ maxLength: 50, description: `${what}: international, or as written in the location's country` });

/** What is kept in columns of its own. */
const columnFields = {
  businessId: Type.Integer({ ...Id, description: 'The business that it belongs to' }),
  identifier: line(100, 'Your own name of the location, unique in the partner'),
  name: line(200, 'What the location is called'),
  street: line(200, 'Street, with or without the house number'),
  streetNo: line(30, 'House number'),
  addressExtra: text(200, 'What helps to find it: floor, building, centre'),
  zip: line(20, "Postal code in the form of the location's country"),
  city: line(100, 'City'),
  province: line(100, 'Province or state'),
  country: line(2, 'Country code of two letters (ISO 3166-1); UK is accepted for GB'),
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude; together with lng' }),
  lng: Type.Number({ minimum: -180, maximum: 180, description: 'Longitude; together with lat' }),
  addressDisplay: Type.Boolean({ description: 'Whether directories show the address; true unless it is given' }),
  timeZone: text(64, 'Name of the time zone, such as Europe/Berlin; follows from lat and lng unless it is given'),
  phone: phone('Phone number'),
  fax: phone('Fax number'),
  cellphone: phone('Mobile number'),
  website: Url,
  email: Type.String({ maxLength: 254, description: 'E-mail address' }),
  categories: Type.Array(Id, {
    minItems: 1,
    maxItems: mostCategories,
    description: 'Category ids, the main one first',
  }),
  autoSync: Type.Boolean({ description: 'Whether changes go to the directories by themselves; true unless given' }),
  temporarilyClosed: Type.Boolean({ description: 'Closed for a while; false unless it is given' }),
};

/** The rest of the profile, kept together. */
const profileFields = {
  descriptionShort: text(200, 'Description of at most 200 characters'),
  descriptionLong: text(1000, 'Description of at most 1000 characters'),
  imprint: text(5000, 'Imprint'),
  openingHours: list(OpeningHours, 7, 'Hours of the week: each day once, at most two periods a day'),
  specialOpeningHours: list(SpecialOpeningHours, 200, 'Hours of single days, such as holidays'),
  openingHoursNotes: text(255, 'What else is to say about the hours'),
  openingDate: Day,
  keywords: list(line(100, 'Keyword'), 100, 'Words that people search for'),
  brands: list(line(100, 'Brand'), 100, 'Brands that are sold'),
  paymentOptions: list(Type.Enum(paymentOptions, { description: 'Way to pay' }), 50, 'Ways to pay'),
  languages: list(line(20, 'Language code such as de'), 50, 'Languages that are spoken'),
  attributes: list(Attribute, 100, 'What the location offers'),
  serviceAreas: list(ServiceArea, 100, 'Places that are served'),
  socialProfiles: list(SocialProfile, 20, 'Profiles on social networks, one of each'),
  photos: list(Photo, 100, 'Photos, the first one first'),
  videos: list(Video, 20, 'Videos'),
  utms: list(Utm, 50, 'What is added to the website, one entry of each directory'),
  callTrackingNumbers: list(phone('Phone number'), 10, 'Numbers that lead to the same phone'),
  customFields: list(CustomField, 100, 'Fields of your own'),
};

/** Kept in tables of their own. */
const linkedFields = {
  labels: list(LabelReference, 100, 'Labels'),
  services: list(ServiceItemInput, 200, 'Services, in order'),
};

/** Another way to write what is kept elsewhere. */
const otherNames = {
  websiteExtra: Type.String({
    pattern: '^[?&]?[^\\s#?]+$',
    maxLength: 1001,
    description: 'The entry of GOOGLE in utms; give one of the two',
  }),
};

const writableFields = { ...columnFields, ...profileFields, ...linkedFields, ...otherNames };

export type ColumnField = keyof typeof columnFields;
export type ProfileField = keyof typeof profileFields;
export type WritableField = keyof typeof writableFields;

export const columnFieldNames = Object.keys(columnFields) as readonly ColumnField[];
export const profileFieldNames = Object.keys(profileFields) as readonly ProfileField[];
export const writableFieldNames = Object.keys(writableFields) as readonly WritableField[];

const { businessId, name, street, city, country, categories, ...optionalFields } = writableFields;

/** A location that is to be. */
export const NewLocation = Type.Object(
  {
    businessId,
    name,
    street,
    city,
    country,
    categories,
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

/** A change: null deletes a field, a field that is absent stays. */
export const LocationChange = Type.Object(changeFields, { title: 'LocationProfileChange', 'x-resource': 'Location' });
export type LocationPatch = Static<typeof LocationChange>;

export type LocationProfile = { [Name in ProfileField]?: Static<(typeof profileFields)[Name]> } & {
  /** The categories as they were given, where some of them have been merged into others since. */
  givenCategories?: number[];
};

/** What must be there for a location to be one: it can be changed, not deleted. */
export const undeletableFields: ReadonlySet<string> = new Set([
  'businessId',
  'name',
  'street',
  'city',
  'country',
  'categories',
]);

type Columns = {
  [Name in Exclude<ColumnField, 'businessId' | 'categories'>]: Static<(typeof columnFields)[Name]> | null;
};

/** What of a location its owner sets, as it is kept. */
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

/** What follows from the content and is kept with it. */
export interface LocationStanding {
  profileCompleteness: number;
  classification: Classification;
  missingMandatoryFields: string[];
  normalizationStatus: NormalizationStatus;
  cleansingStatus: CleansingStatus;
}

export interface Location extends LocationContent, LocationStanding {
  id: number;
  partnerId: number;
  status: LocationStatus;
  source: LocationSource;
  services: ServiceItem[];
  servicesCount: number;
  visibilityIndex: number | null;
  listings: number;
  listingsInSync: number;
  dataPoints: number;
  ratingsCount: number;
  ratingsSum: number;
  /** Counts every change of the profile. */
  revision: number;
  dateCreated: Date;
  lastUpdated: Date;
  /** Null until the first sync. */
  lastSyncStarted: Date | null;
  nextCheckAt: Date | null;
  /** YYYY-MM-DD */
  endDate: string | null;
}
