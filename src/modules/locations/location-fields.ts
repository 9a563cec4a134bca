import Type, { type TSchema } from 'typebox';
import { Id } from '../../http/ids.ts';
import type { FieldGroup } from '../accounts/index.ts';
import { Day, OpeningHours, SpecialOpeningHours } from './hours.ts';
import {
  Attribute,
  CustomField,
  LabelReference,
  Photo,
  paymentOptions,
  ServiceArea,
  ServiceItemInput,
  SocialProfile,
  Url,
  Utm,
  Video,
} from './profile-values.ts';

export const maxCategories = 10;

const line = (maxLength: number, description: string) => Type.String({ pattern: '\\S', maxLength, description });
const text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const list = <T extends TSchema>(items: T, maxItems: number, description: string) =>
  Type.Array(items, { maxItems, description });
const phone = (label: string) =>
  Type.String({ maxLength: 50, description: `${label}: international, or in the national format of the country` });

interface FieldDefinition {
  schema: TSchema;
  /** An admin can restrict a user to some groups. */
  group: FieldGroup;
  /** Shown by store finders, unless the store finder hides it. */
  isPublic?: true;
}
type Fields = Readonly<Record<string, FieldDefinition>>;

/** Fields that have their own database column. */
const columnFields = {
  businessId: { schema: Type.Integer({ ...Id, description: 'Id of the business' }), group: 'ADMINISTRATION' },
  identifier: {
    schema: line(100, 'Your identifier of the location, unique within the partner'),
    group: 'ADMINISTRATION',
  },
  name: { schema: line(200, 'Name of the location'), group: 'NAME' },
  street: { schema: line(200, 'Street, with or without the house number'), group: 'ADDRESS' },
  streetNo: { schema: line(30, 'House number'), group: 'ADDRESS' },
  addressExtra: { schema: text(200, 'Additional address line, such as floor, building or centre'), group: 'ADDRESS' },
  zip: { schema: line(20, 'Postal code in the format of the country'), group: 'ADDRESS' },
  city: { schema: line(100, 'City'), group: 'ADDRESS' },
  province: { schema: line(100, 'Province or state'), group: 'ADDRESS' },
  country: { schema: line(2, 'Two-letter country code (ISO 3166-1); UK is accepted for GB'), group: 'ADDRESS' },
  lat: { schema: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude; requires lng' }), group: 'ADDRESS' },
  lng: {
    schema: Type.Number({ minimum: -180, maximum: 180, description: 'Longitude; requires lat' }),
    group: 'ADDRESS',
  },
  addressDisplay: {
    schema: Type.Boolean({ description: 'Whether directories show the address. Default: true' }),
    group: 'ADDRESS',
  },
  timeZone: {
    schema: text(64, 'IANA time zone, such as Europe/Berlin. Default: the time zone of lat and lng'),
    group: 'ADDRESS',
  },
  phone: { schema: phone('Phone number'), group: 'CONTACT', isPublic: true },
  fax: { schema: phone('Fax number'), group: 'CONTACT', isPublic: true },
  cellphone: { schema: phone('Mobile number'), group: 'CONTACT', isPublic: true },
  website: { schema: Url, group: 'CONTACT', isPublic: true },
  email: { schema: Type.String({ maxLength: 254, description: 'E-mail address' }), group: 'CONTACT', isPublic: true },
  categories: {
    schema: Type.Array(Id, {
      minItems: 1,
      maxItems: maxCategories,
      description: 'Category ids, the main category first',
    }),
    group: 'CATEGORIES',
  },
  autoSync: {
    schema: Type.Boolean({ description: 'Whether changes are submitted to directories automatically. Default: true' }),
    group: 'ADMINISTRATION',
  },
  temporarilyClosed: {
    schema: Type.Boolean({ description: 'Whether the location is temporarily closed. Default: false' }),
    group: 'OPENING_HOURS',
  },
} as const satisfies Fields;

/** Fields stored as JSON in the column `profile`. */
const profileFields = {
  descriptionShort: {
    schema: text(200, 'Description of at most 200 characters'),
    group: 'DESCRIPTIONS',
    isPublic: true,
  },
  descriptionLong: {
    schema: text(1000, 'Description of at most 1000 characters'),
    group: 'DESCRIPTIONS',
    isPublic: true,
  },
  imprint: { schema: text(5000, 'Imprint'), group: 'CONTACT', isPublic: true },
  openingHours: {
    schema: list(OpeningHours, 7, 'Weekly opening hours: each day once, at most two periods a day'),
    group: 'OPENING_HOURS',
    isPublic: true,
  },
  specialOpeningHours: {
    schema: list(SpecialOpeningHours, 200, 'Opening hours on specific dates, such as holidays'),
    group: 'OPENING_HOURS',
    isPublic: true,
  },
  openingHoursNotes: { schema: text(255, 'Notes on the opening hours'), group: 'OPENING_HOURS', isPublic: true },
  openingDate: { schema: Day, group: 'OPENING_HOURS', isPublic: true },
  keywords: { schema: list(line(100, 'Keyword'), 100, 'Search keywords'), group: 'DESCRIPTIONS' },
  brands: {
    schema: list(line(100, 'Brand'), 100, 'Brands sold at the location'),
    group: 'DESCRIPTIONS',
    isPublic: true,
  },
  paymentOptions: {
    schema: list(Type.Enum(paymentOptions, { description: 'Payment option' }), 50, 'Accepted payment options'),
    group: 'ATTRIBUTES',
    isPublic: true,
  },
  languages: {
    schema: list(line(20, 'Language code such as de'), 50, 'Spoken languages'),
    group: 'ATTRIBUTES',
    isPublic: true,
  },
  attributes: {
    schema: list(Attribute, 100, 'Attributes, such as wheelchair access'),
    group: 'ATTRIBUTES',
    isPublic: true,
  },
  serviceAreas: { schema: list(ServiceArea, 100, 'Areas served by the location'), group: 'SERVICES', isPublic: true },
  socialProfiles: {
    schema: list(SocialProfile, 20, 'Social network profiles, at most one per network'),
    group: 'SOCIAL_PROFILES',
    isPublic: true,
  },
  photos: { schema: list(Photo, 100, 'Photos in display order'), group: 'MEDIA', isPublic: true },
  videos: { schema: list(Video, 20, 'Videos'), group: 'MEDIA', isPublic: true },
  utms: {
    schema: list(Utm, 50, 'Query parameters added to the website, at most one entry per directory'),
    group: 'CONTACT',
  },
  callTrackingNumbers: {
    schema: list(phone('Phone number'), 10, 'Call tracking numbers, which forward to the phone number'),
    group: 'CONTACT',
  },
  customFields: { schema: list(CustomField, 100, 'Custom fields'), group: 'CUSTOM_FIELDS' },
} as const satisfies Fields;

/** Fields that refer to records of other tables. */
const linkedFields = {
  labels: { schema: list(LabelReference, 100, 'Labels'), group: 'LABELS' },
  services: { schema: list(ServiceItemInput, 200, 'Services in display order'), group: 'SERVICES' },
} as const satisfies Fields;

/** Fields that write to another field. */
const aliasFields = {
  websiteExtra: {
    schema: Type.String({
      pattern: '^[?&]?[^\\s#?]+$',
      maxLength: 1001,
      description: 'Alias of the GOOGLE entry in utms. Set only one of them',
    }),
    group: 'CONTACT',
  },
} as const satisfies Fields;

/** All writable fields. The API schemas, rules, CSV columns and the console derive from these definitions. */
export const locationFields = { ...columnFields, ...profileFields, ...linkedFields, ...aliasFields };

export type ColumnField = keyof typeof columnFields;
export type ProfileField = keyof typeof profileFields;
export type WritableField = keyof typeof locationFields;

type Definitions = typeof locationFields;
export type PublicField = {
  [Name in WritableField]: Definitions[Name] extends { isPublic: true } ? Name : never;
}[WritableField];

const namesOf = <T extends object>(fields: T) => Object.keys(fields) as (keyof T & string)[];

export const columnFieldNames: readonly ColumnField[] = namesOf(columnFields);
export const profileFieldNames: readonly ProfileField[] = namesOf(profileFields);
export const writableFieldNames: readonly WritableField[] = namesOf(locationFields);
export const publicFieldNames = writableFieldNames.filter(
  (name): name is PublicField => 'isPublic' in locationFields[name],
);

export const fieldSchemas = Object.fromEntries(
  Object.entries(locationFields).map(([name, { schema }]) => [name, schema]),
) as { -readonly [Name in WritableField]: Definitions[Name]['schema'] };
