import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { notDeletable, notText, unstorableText } from '../../http/validation.ts';
import { type FieldError, fieldError } from '../../problems.ts';
import { fieldName, schemaErrors } from '../../schema-errors.ts';
import { checkPostalCode, countryCode, notACountry } from '../../values/countries.ts';
import { checkCategories, checkEmail, checkPhoneField, checkProfileField, checkUrl, oneLine } from './field-checks.ts';
import type { Checked } from './hours.ts';
import {
  LocationChange,
  type LocationContent,
  type LocationPatch,
  type LocationProfile,
  NewLocation,
  undeletableFields,
  withoutWebsiteExtra,
} from './location.ts';
import { type ColumnField, columnFieldNames, profileFieldNames } from './location-fields.ts';
import type { LabelReference, ServiceItemInput } from './profile-values.ts';
import { checkServices } from './service-item.ts';
import { isTimeZone, timeZoneAt } from './time-zone.ts';

/** Validated input. Labels and services are not resolved yet; undefined means unchanged. */
export interface Draft {
  content: LocationContent;
  labels: readonly LabelReference[] | undefined;
  services: readonly ServiceItemInput[] | undefined;
}

type Nullable = {
  [Name in keyof LocationContent]: null extends LocationContent[Name] ? Name : never;
}[keyof LocationContent];

/** A new location is a change of this content. */
export const emptyContent: LocationContent = {
  ...(Object.fromEntries(columnFieldNames.map((field) => [field, null])) as Record<Nullable, null>),
  businessId: 0,
  name: '',
  street: '',
  city: '',
  country: '',
  addressDisplay: true,
  autoSync: true,
  temporarilyClosed: false,
  categories: [],
  labelIds: [],
  profile: {},
};

/** Validates a new location. */
export const newContent = (input: unknown): Checked<Draft> => draftOf(NewLocation, emptyContent, withoutNulls(input));

/** Errors of a new location, without looking up references to other records. */
export function locationErrors(input: unknown): FieldError[] {
  const checked = newContent(input);
  return 'errors' in checked ? checked.errors : [];
}

/** Applies and validates a change: null deletes a field, absent fields are unchanged. */
export const changedContent = (before: LocationContent, patch: LocationPatch): Checked<Draft> =>
  draftOf(LocationChange, before, patch);

const withoutNulls = (input: unknown) =>
  typeof input === 'object' && input !== null
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))
    : input;

function draftOf(schema: TSchema, before: LocationContent, given: unknown): Checked<Draft> {
  const schemaMismatches = inputErrors(schema, given);
  if (typeof given !== 'object' || given === null) return { errors: schemaMismatches };
  // Fields that match the schema are validated further, so that all errors are reported at once.
  const named = withoutWebsiteExtra(before.profile, withoutFields(given, schemaMismatches));
  if ('errors' in named) return { errors: [...schemaMismatches, ...named.errors] };
  const patch = named.value;
  const errors: FieldError[] = [...schemaMismatches];
  for (const [field, value] of Object.entries(patch)) {
    if (value === null && undeletableFields.has(field)) errors.push(notDeletable(field));
  }
  const content = { ...before, ...columnsOf(before, patch, errors), profile: { ...before.profile } };
  if (patch.categories) keepGivenCategories(content, patch.categories);
  errors.push(...addressErrors(content, before, patch));
  applyProfile(content.profile, content.country, before, patch, errors);
  const services = patch.services === undefined ? undefined : checkServices(patch.services ?? []);
  if (services && 'errors' in services) errors.push(...services.errors);
  if (errors.length > 0) return { errors };
  return {
    value: {
      content,
      labels: patch.labels === null ? [] : patch.labels,
      services: services && 'value' in services ? services.value : undefined,
    },
  };
}

function withoutFields(given: object, schemaMismatches: readonly FieldError[]): LocationPatch {
  const rejected = new Set(schemaMismatches.map(({ field }) => field.replace(/[[.].*$/s, '')));
  // Avoids a second error, because lat requires lng and lng requires lat.
  if (rejected.has('lat') || rejected.has('lng')) rejected.add('lat').add('lng');
  return Object.fromEntries(Object.entries(given).filter(([field]) => !rejected.has(field))) as LocationPatch;
}

const validators = new Map<TSchema, Validator>();

/** Needed for input that does not come from a route: CSV rows and directory listings. */
function inputErrors(schema: TSchema, given: unknown): FieldError[] {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  const unstorable = unstorableText(given);
  if (unstorable !== undefined) return [notText(fieldName(unstorable))];
  return schemaErrors(schema, validator, given);
}

/** Old API versions return the submitted category ids. */
function keepGivenCategories({ categories, profile }: LocationContent, given: readonly number[]): void {
  delete profile.givenCategories;
  if (!isDeepStrictEqual(categories, given)) profile.givenCategories = [...given];
}

type Texts = 'website' | 'email' | 'categories' | 'country' | 'timeZone';

const phoneFields = ['phone', 'fax', 'cellphone'] as const;

/** Texts with a format of their own. The others are single lines. */
const formatted: readonly ColumnField[] = [...phoneFields, 'zip', 'country', 'timeZone', 'website', 'email'];
const formattedFields: ReadonlySet<string> = new Set(formatted);

/** The changed columns in their stored form. */
function columnsOf(before: LocationContent, patch: LocationPatch, errors: FieldError[]): Partial<LocationContent> {
  const columns: Record<string, unknown> = {};
  for (const field of columnFieldNames) {
    const value = patch[field];
    if (value !== undefined) columns[field] = value === null ? emptyContent[field] : value;
  }
  for (const [field, text] of Object.entries(columns)) {
    if (typeof text === 'string' && !formattedFields.has(field)) columns[field] = oneLine(text) || null;
  }
  const keep = (field: Texts, checked: Checked<unknown>) => {
    if ('errors' in checked) errors.push(...checked.errors);
    else columns[field] = checked.value;
  };
  if (patch.website) keep('website', checkUrl('website', patch.website));
  if (patch.email) keep('email', checkEmail('email', patch.email));
  if (patch.categories) keep('categories', checkCategories(patch.categories));
  if (patch.timeZone && !isTimeZone(patch.timeZone)) errors.push(invalidTimeZone);
  if (patch.country) {
    const country = countryCode(patch.country);
    if (country) columns.country = country;
    else errors.push(fieldError('country', 'country', notACountry));
  }
  // Invalid fields are already reported; fields that depend on them are validated with the old value.
  return { ...before, ...columns } as LocationContent;
}

/** Validates the fields that depend on country and coordinates, and writes their stored form to `content`. */
function addressErrors(content: LocationContent, before: LocationContent, patch: LocationPatch): FieldError[] {
  const errors: FieldError[] = [];
  const moved = content.country !== before.country;
  if (content.zip !== null && content.country !== '' && (patch.zip || moved)) {
    const checked = checkPostalCode(content.zip, content.country);
    if ('zip' in checked) content.zip = checked.zip;
    else errors.push(fieldError('zip', 'postalCode', checked.problem));
  }
  for (const field of phoneFields) {
    const number = content[field];
    if (number === null || content.country === '' || !(patch[field] || moved)) continue;
    const checked = checkPhoneField(field, number, content.country);
    if ('value' in checked) content[field] = checked.value;
    else errors.push(...checked.errors);
  }
  if ((content.lat === null) !== (content.lng === null)) {
    const field = content.lat === null ? 'lat' : 'lng';
    errors.push(fieldError(field, 'required', 'is required: lat and lng must be set together'));
  } else if (!patch.timeZone) {
    content.timeZone = timeZoneOf(content, before, patch);
  }
  return errors;
}

/** A derived time zone follows the coordinates; a time zone set by the client is kept. */
function timeZoneOf(content: LocationContent, before: LocationContent, patch: LocationPatch): string | null {
  const derived = zoneAt(content);
  if (patch.timeZone === null || before.timeZone === null) return derived;
  const moved = content.lat !== before.lat || content.lng !== before.lng;
  return moved && derived !== null && before.timeZone === zoneAt(before) ? derived : before.timeZone;
}

const zoneAt = ({ lat, lng }: LocationContent) => (lat === null || lng === null ? null : timeZoneAt(lat, lng));

function applyProfile(
  profile: LocationProfile,
  country: string,
  before: LocationContent,
  patch: LocationPatch,
  errors: FieldError[],
): void {
  const moved = country !== before.country;
  for (const field of profileFieldNames) {
    const isRechecked = moved && field === 'callTrackingNumbers' && patch[field] === undefined;
    const given = isRechecked ? before.profile[field] : patch[field];
    if (given === undefined) continue;
    delete profile[field];
    if (given === null || (Array.isArray(given) && given.length === 0)) continue;
    const checked = checkProfileField(field, given, country);
    if ('errors' in checked) errors.push(...checked.errors);
    else if (checked.value !== undefined) Object.assign(profile, { [field]: checked.value });
  }
}

const addressFields = ['street', 'streetNo', 'zip', 'city', 'province', 'country', 'lat', 'lng'] as const;

export const sameAddress = (before: LocationContent, after: LocationContent): boolean =>
  addressFields.every((field) => before[field] === after[field]);

/** API names of the changed fields. Services are compared separately. */
export function changedFields(before: LocationContent, after: LocationContent): string[] {
  const columns = columnFieldNames.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const profile = profileFieldNames.filter((field) => differs(before.profile[field], after.profile[field]));
  const labels = isDeepStrictEqual(sorted(before.labelIds), sorted(after.labelIds)) ? [] : ['labels'];
  return [...columns, ...profile, ...labels];
}

const differs = (a: unknown, b: unknown) => a !== b && !isDeepStrictEqual(a, b);
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

const invalidTimeZone = fieldError(
  'timeZone',
  'timeZone',
  'must be an IANA time zone such as Europe/Berlin or America/New_York',
);
