import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { boundedErrors } from '../../http/bounded-errors.ts';
import { fieldName } from '../../http/field-errors.ts';
import { unstorableText } from '../../http/request-values.ts';
import type { FieldError } from '../../problems.ts';
import { countryCode, notACountry } from '../../values/countries.ts';
import { checkPostalCode } from '../../values/postal-codes.ts';
import { checkCategories, checkEmail, checkPhoneField, checkUrl, oneLine, profileChecks } from './field-checks.ts';
import type { Checked } from './hours.ts';
import {
  type ColumnField,
  columnFieldNames,
  LocationChange,
  type LocationContent,
  type LocationPatch,
  type LocationProfile,
  NewLocation,
  type ProfileField,
  profileFieldNames,
  undeletableFields,
} from './location.ts';
import type { LabelReference, ServiceItemInput } from './profile-values.ts';
import { checkServices } from './service-item.ts';
import { isTimeZone, timeZoneAt } from './time-zone.ts';
import { withoutWebsiteExtra } from './website-extra.ts';

/** What a location is to be. What is kept elsewhere is still as it was given; undefined stays as it is. */
export interface Draft {
  content: LocationContent;
  labels: readonly LabelReference[] | undefined;
  services: readonly ServiceItemInput[] | undefined;
}

const blank: LocationContent = {
  businessId: 0,
  identifier: null,
  name: '',
  street: '',
  streetNo: null,
  addressExtra: null,
  zip: null,
  city: '',
  province: null,
  country: '',
  lat: null,
  lng: null,
  addressDisplay: true,
  timeZone: null,
  phone: null,
  fax: null,
  cellphone: null,
  website: null,
  email: null,
  autoSync: true,
  temporarilyClosed: false,
  categories: [],
  labelIds: [],
  profile: {},
};

/** A location that is to be created, from whatever was given. */
export const newContent = (input: unknown): Checked<Draft> => draftOf(NewLocation, blank, withoutNulls(input));

/** What is wrong with a location that is to be created; references to other records are not looked up. */
export function locationErrors(input: unknown): FieldError[] {
  const checked = newContent(input);
  return 'errors' in checked ? checked.errors : [];
}

/** A location as it would be with a change; null deletes, what is not named stays. */
export const changedContent = (before: LocationContent, patch: LocationPatch): Checked<Draft> =>
  draftOf(LocationChange, before, patch);

const withoutNulls = (input: unknown) =>
  typeof input === 'object' && input !== null
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))
    : input;

function draftOf(schema: TSchema, before: LocationContent, given: unknown): Checked<Draft> {
  const misfits = schemaErrors(schema, given);
  if (typeof given !== 'object' || given === null) return { errors: misfits };
  // Fields that do not fit the schema are reported; the rules for the others are checked all the same.
  const named = withoutWebsiteExtra(before.profile, withoutFields(given, misfits));
  if ('errors' in named) return { errors: [...misfits, ...named.errors] };
  const patch = named.value;
  const errors: FieldError[] = [...misfits];
  for (const [field, value] of Object.entries(patch)) {
    if (value === null && undeletableFields.has(field)) errors.push(undeletable(field));
  }
  const content = { ...before, ...columnsOf(before, patch, errors), profile: { ...before.profile } };
  if (patch.categories) keepGiven(content, patch.categories);
  errors.push(...placeErrors(content, before, patch));
  profileInto(content.profile, content.country, before, patch, errors);
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

function withoutFields(given: object, misfits: readonly FieldError[]): LocationPatch {
  const misfitting = new Set(misfits.map(({ field }) => field.replace(/[[.].*$/s, '')));
  // Without the one, the other would be refused for standing alone.
  if (misfitting.has('lat') || misfitting.has('lng')) misfitting.add('lat').add('lng');
  return Object.fromEntries(Object.entries(given).filter(([field]) => !misfitting.has(field))) as LocationPatch;
}

const validators = new Map<TSchema, Validator>();

/** Also for what did not come by a route: lines of a file, pages of a directory. */
function schemaErrors(schema: TSchema, given: unknown): FieldError[] {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  const unstorable = unstorableText(given);
  if (unstorable !== undefined) {
    const field = fieldName(unstorable);
    return [{ field, rule: 'text', message: `${field} has characters that are not text (NUL or half a character).` }];
  }
  if (validator.Check(given)) return [];
  return boundedErrors(schema, validator, given);
}

/** Clients of old versions are answered with the ids that they gave. */
function keepGiven({ categories, profile }: LocationContent, given: readonly number[]): void {
  delete profile.givenCategories;
  if (!isDeepStrictEqual(categories, given)) profile.givenCategories = [...given];
}

type Texts = 'website' | 'email' | 'categories' | 'country' | 'timeZone';

const lineFields = ['identifier', 'name', 'street', 'streetNo', 'addressExtra', 'city', 'province'] as const;

/** The columns that the change names, in the form in which they are kept. */
function columnsOf(before: LocationContent, patch: LocationPatch, errors: FieldError[]): Partial<LocationContent> {
  const columns: Record<string, unknown> = {};
  for (const field of columnFieldNames) {
    const value = patch[field];
    if (value !== undefined) columns[field] = value === null ? blank[field] : value;
  }
  for (const field of lineFields) {
    const text = columns[field];
    if (typeof text === 'string') columns[field] = oneLine(text) || null;
  }
  const keep = (field: Texts, checked: Checked<unknown>) => {
    if ('errors' in checked) errors.push(...checked.errors);
    else columns[field] = checked.value;
  };
  if (patch.website) keep('website', checkUrl('website', patch.website));
  if (patch.email) keep('email', checkEmail('email', patch.email));
  if (patch.categories) keep('categories', checkCategories(patch.categories));
  if (patch.timeZone && !isTimeZone(patch.timeZone)) errors.push(noTimeZone);
  if (patch.country) {
    const country = countryCode(patch.country);
    if (country) columns.country = country;
    else errors.push({ field: 'country', rule: 'country', message: `country ${notACountry}.` });
  }
  // Whatever was wrong with a field is reported already; what depends on it is checked with the old value.
  return { ...before, ...columns } as LocationContent;
}

const phoneFields = ['phone', 'fax', 'cellphone'] as const;

/** What depends on the country, and on where the place is. Writes into the content what is kept in another form. */
function placeErrors(content: LocationContent, before: LocationContent, patch: LocationPatch): FieldError[] {
  const errors: FieldError[] = [];
  const moved = content.country !== before.country;
  if (content.zip !== null && content.country !== '' && (patch.zip || moved)) {
    const checked = checkPostalCode(content.zip, content.country);
    if ('zip' in checked) content.zip = checked.zip;
    else errors.push({ field: 'zip', rule: 'postalCode', message: `zip ${checked.problem}.` });
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
    errors.push({ field, rule: 'required', message: `${field} is required: lat and lng belong together.` });
  } else if (!patch.timeZone) {
    content.timeZone = timeZoneOf(content, before, patch);
  }
  return errors;
}

/** A time zone that followed from the coordinates follows them when they change; one that was given stays. */
function timeZoneOf(content: LocationContent, before: LocationContent, patch: LocationPatch): string | null {
  const derived = zoneAt(content);
  if (patch.timeZone === null || before.timeZone === null) return derived;
  const moved = content.lat !== before.lat || content.lng !== before.lng;
  return moved && derived !== null && before.timeZone === zoneAt(before) ? derived : before.timeZone;
}

const zoneAt = ({ lat, lng }: LocationContent) => (lat === null || lng === null ? null : timeZoneAt(lat, lng));

function profileInto(
  profile: LocationProfile,
  country: string,
  before: LocationContent,
  patch: LocationPatch,
  errors: FieldError[],
): void {
  const moved = country !== before.country;
  for (const field of profileFieldNames) {
    const given = patch[field] ?? (moved && field === 'callTrackingNumbers' ? before.profile[field] : patch[field]);
    if (given === undefined) continue;
    delete profile[field];
    if (given === null || (Array.isArray(given) && given.length === 0)) continue;
    const checked = (profileChecks[field] as (value: unknown, country: string) => Checked<unknown>)(given, country);
    if ('errors' in checked) errors.push(...checked.errors);
    else if (checked.value !== undefined) Object.assign(profile, { [field]: checked.value });
  }
}

const addressFields: readonly ColumnField[] = [
  'street',
  'streetNo',
  'zip',
  'city',
  'province',
  'country',
  'lat',
  'lng',
];

export const addressStays = (before: LocationContent, after: LocationContent): boolean =>
  addressFields.every((field) => before[field] === after[field]);

/** The fields that differ, by their names on the wire. Services are compared where they are kept. */
export function changedFields(before: LocationContent, after: LocationContent): string[] {
  const columns = columnFieldNames.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const profile = profileFieldNames.filter((field: ProfileField) =>
    differs(before.profile[field], after.profile[field]),
  );
  const labels = isDeepStrictEqual(sorted(before.labelIds), sorted(after.labelIds)) ? [] : ['labels'];
  return [...columns, ...profile, ...labels];
}

const differs = (a: unknown, b: unknown) => a !== b && !isDeepStrictEqual(a, b);
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

const undeletable = (field: string): FieldError => ({
  field,
  rule: 'not-deletable',
  message: `${field} cannot be deleted. Give a new value, or leave it out to keep it.`,
});

const noTimeZone: FieldError = {
  field: 'timeZone',
  rule: 'timeZone',
  message: 'timeZone must be the name of a time zone such as Europe/Berlin or America/New_York.',
};
