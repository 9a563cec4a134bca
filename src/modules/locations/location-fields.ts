import Type, { type TSchema } from 'typebox';
import type { CallerUser } from '../../http/access.ts';
import { Id } from '../../http/ids.ts';
import { Problem } from '../../problems.ts';
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

/** An admin can restrict a user to some groups. */
const field = <T extends TSchema>(group: FieldGroup, schema: T) => ({ schema, group });

/** Shown by store finders, unless the store finder hides it. */
const publicField = <T extends TSchema>(group: FieldGroup, schema: T) => ({ schema, group, isPublic: true }) as const;

/** Fields that have their own database column. */
const columnFields = {
  businessId: field('ADMINISTRATION', Type.Integer({ ...Id, description: 'Id of the business' })),
  identifier: field('ADMINISTRATION', line(100, 'Your identifier of the location, unique within the partner')),
  name: field('NAME', line(200, 'Name of the location')),
  street: field('ADDRESS', line(200, 'Street, with or without the house number')),
  streetNo: field('ADDRESS', line(30, 'House number')),
  addressExtra: field('ADDRESS', text(200, 'Additional address line, such as floor, building or centre')),
  zip: field('ADDRESS', line(20, 'Postal code in the format of the country')),
  city: field('ADDRESS', line(100, 'City')),
  province: field('ADDRESS', line(100, 'Province or state')),
  country: field('ADDRESS', line(2, 'Two-letter country code (ISO 3166-1); UK is accepted for GB')),
  lat: field('ADDRESS', Type.Number({ minimum: -90, maximum: 90, description: 'Latitude; requires lng' })),
  lng: field('ADDRESS', Type.Number({ minimum: -180, maximum: 180, description: 'Longitude; requires lat' })),
  addressDisplay: field(
    'ADDRESS',
    Type.Boolean({ description: 'Whether directories show the address. Default: true' }),
  ),
  timeZone: field('ADDRESS', text(64, 'IANA time zone, such as Europe/Berlin. Default: the time zone of lat and lng')),
  phone: publicField('CONTACT', phone('Phone number')),
  fax: publicField('CONTACT', phone('Fax number')),
  cellphone: publicField('CONTACT', phone('Mobile number')),
  website: publicField('CONTACT', Url),
  email: publicField('CONTACT', Type.String({ maxLength: 254, description: 'E-mail address' })),
  categories: field(
    'CATEGORIES',
    Type.Array(Id, { minItems: 1, maxItems: maxCategories, description: 'Category ids, the main category first' }),
  ),
  autoSync: field(
    'ADMINISTRATION',
    Type.Boolean({ description: 'Whether changes are submitted to directories automatically. Default: true' }),
  ),
  temporarilyClosed: field(
    'OPENING_HOURS',
    Type.Boolean({ description: 'Whether the location is temporarily closed. Default: false' }),
  ),
};

/** Fields stored as JSON in the column `profile`. */
const profileFields = {
  descriptionShort: publicField('DESCRIPTIONS', text(200, 'Description of at most 200 characters')),
  descriptionLong: publicField('DESCRIPTIONS', text(1000, 'Description of at most 1000 characters')),
  imprint: publicField('CONTACT', text(5000, 'Imprint')),
  openingHours: publicField(
    'OPENING_HOURS',
    list(OpeningHours, 7, 'Weekly opening hours: each day once, at most two periods a day'),
  ),
  specialOpeningHours: publicField(
    'OPENING_HOURS',
    list(SpecialOpeningHours, 200, 'Opening hours on specific dates, such as holidays'),
  ),
  openingHoursNotes: publicField('OPENING_HOURS', text(255, 'Notes on the opening hours')),
  openingDate: publicField('OPENING_HOURS', Day),
  keywords: field('DESCRIPTIONS', list(line(100, 'Keyword'), 100, 'Search keywords')),
  brands: publicField('DESCRIPTIONS', list(line(100, 'Brand'), 100, 'Brands sold at the location')),
  paymentOptions: publicField(
    'ATTRIBUTES',
    list(Type.Enum(paymentOptions, { description: 'Payment option' }), 50, 'Accepted payment options'),
  ),
  languages: publicField('ATTRIBUTES', list(line(20, 'Language code such as de'), 50, 'Spoken languages')),
  attributes: publicField('ATTRIBUTES', list(Attribute, 100, 'Attributes, such as wheelchair access')),
  serviceAreas: publicField('SERVICES', list(ServiceArea, 100, 'Areas served by the location')),
  socialProfiles: publicField(
    'SOCIAL_PROFILES',
    list(SocialProfile, 20, 'Social network profiles, at most one per network'),
  ),
  photos: publicField('MEDIA', list(Photo, 100, 'Photos in display order')),
  videos: publicField('MEDIA', list(Video, 20, 'Videos')),
  utms: field('CONTACT', list(Utm, 50, 'Query parameters added to the website, at most one entry per directory')),
  callTrackingNumbers: field(
    'CONTACT',
    list(phone('Phone number'), 10, 'Call tracking numbers, which forward to the phone number'),
  ),
  customFields: field('CUSTOM_FIELDS', list(CustomField, 100, 'Custom fields')),
};

/** Fields that refer to records of other tables. */
const linkedFields = {
  labels: field('LABELS', list(LabelReference, 100, 'Labels')),
  services: field('SERVICES', list(ServiceItemInput, 200, 'Services in display order')),
};

/** Fields that write to another field. */
const aliasFields = {
  websiteExtra: field(
    'CONTACT',
    Type.String({
      pattern: '^[?&]?[^\\s#?]+$',
      maxLength: 1001,
      description: 'Alias of the GOOGLE entry in utms. Set only one of them',
    }),
  ),
};

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

/** Fields that have separate endpoints and are not in `locationFields`. */
const otherFields = {
  status: { group: 'ADMINISTRATION' },
  contentLists: { group: 'SERVICES' },
} as const;

const groupByField: ReadonlyMap<string, FieldGroup> = new Map(
  Object.entries({ ...locationFields, ...otherFields }).map(([name, { group }]) => [name, group]),
);

export const groupOf = (field: string): FieldGroup | undefined => groupByField.get(field);

export const fieldsInGroups = (groups: ReadonlySet<string>): string[] =>
  [...groupByField].filter(([, group]) => groups.has(group)).map(([name]) => name);

/** Rejects fields outside the field groups of the user. Does not replace the check of LOCATION_WRITE. */
export function requireFieldAccess(user: CallerUser | undefined, fields: readonly string[]): void {
  const message = fieldAccessError(user, fields);
  if (message !== undefined) throw new Problem('FORBIDDEN', { message });
}

/** Why the user may not write the fields; undefined if they may. */
export function fieldAccessError(user: CallerUser | undefined, fields: readonly string[]): string | undefined {
  if (!user || user.role === 'ADMIN' || user.fieldGroups === null) return undefined;
  const allowed = user.fieldGroups;
  const forbidden = fields.filter((field) => !allowed.has(groupOf(field) ?? ''));
  if (forbidden.length === 0) return undefined;
  return `You may not change ${forbidden.join(', ')}. Ask an administrator to allow these fields in featuresDetailed.`;
}
