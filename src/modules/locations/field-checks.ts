import { type FieldError, fieldError } from '../../problems.ts';
import { normalizeText } from '../../text.ts';
import { checkPhone } from '../../values/phones.ts';
import { isDay } from '../../values/span.ts';
import { currentCategory, findCategory } from '../catalog/index.ts';
import { findDirectory } from '../directories/index.ts';
import { type Checked, checkOpeningHours, checkSpecialOpeningHours, invalidDay } from './hours.ts';
import type { LocationProfile } from './location.ts';
import type { ProfileField } from './location-fields.ts';
import { type Attribute, socialNetworks } from './profile-values.ts';

type Check<T> = (value: T, country: string) => Checked<T | undefined>;

const rejected = (...error: Parameters<typeof fieldError>): { errors: FieldError[] } => ({
  errors: [fieldError(...error)],
});

export const oneLine = (text: string): string => normalizeText(text.replace(/\s+/g, ' '));

export function checkUrl(field: string, text: string): Checked<string> {
  const url = URL.parse(text.trim());
  const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  const hasCredentials = url !== null && url.username + url.password !== '';
  if (!isWeb || !/[^.]\.[^.]/.test(url.hostname) || hasCredentials || /\s/.test(text.trim())) {
    return rejected(field, 'url', 'must be an http or https URL such as https://www.example.com/koeln');
  }
  return { value: text.trim() };
}

const address = /^[^\s@<>(),;:"[\]\\]+@[^\s@.<>(),;:"[\]\\]+(\.[^\s@.<>(),;:"[\]\\]+)+$/u;

export function checkEmail(field: string, text: string): Checked<string> {
  const email = text.trim();
  const isAddress = address.test(email) && !email.includes('..') && !/^\.|\.@/.test(email);
  return isAddress ? { value: email } : rejected(field, 'email', 'must be an e-mail address such as info@example.com');
}

/** Merged categories become their successors. */
export function checkCategories(ids: readonly number[]): Checked<number[]> {
  const errors = ids.flatMap((id, index): FieldError[] => {
    const field = `categories[${index}]`;
    const category = findCategory(id);
    if (!category) {
      return [fieldError(field, 'known', `must be an existing category, not ${id}. GET /api/categories lists them`)];
    }
    if (currentCategory(id)?.selectable) return [];
    return [fieldError(field, 'selectable', `must be a selectable category, not ${id} (${category.path})`)];
  });
  if (errors.length > 0) return { errors };
  return { value: [...new Set(ids.map((id) => currentCategory(id)?.id ?? id))] };
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Canonical BCP 47 code; undefined for an unknown language. */
export function languageCode(text: string): string | undefined {
  try {
    const [code] = Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'));
    return code !== undefined && languageNames.of(code) !== undefined ? code : undefined;
  } catch {
    return undefined;
  }
}

const mapped = <T, U>(checked: Checked<T>, toValue: (value: T) => U): Checked<U> =>
  'errors' in checked ? checked : { value: toValue(checked.value) };

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Checks each entry and collects all errors. */
function each<T>(values: readonly T[], check: (value: T, index: number) => Checked<T>): Checked<T[]> {
  const errors: FieldError[] = [];
  const kept: T[] = [];
  for (const [index, value] of values.entries()) {
    const checked = check(value, index);
    if ('errors' in checked) errors.push(...checked.errors);
    else kept.push(checked.value);
  }
  return errors.length > 0 ? { errors } : { value: kept };
}

/** The error for the first repeated entry. */
function repeated<T>(field: string, values: readonly T[], keyOf: (value: T) => string, property: string) {
  const seen = new Set<string>();
  const position = values.findIndex((value) => seen.size === seen.add(keyOf(value)).size);
  return position < 0
    ? undefined
    : rejected(`${field}[${position}]`, 'unique', `repeats the ${property} of another entry`);
}

/** Removes entries that differ from an earlier one only in case. */
function uniqueWords(values: readonly string[]): string[] {
  const kept = new Map<string, string>();
  for (const value of values.map(oneLine)) {
    if (!kept.has(value.toLowerCase())) kept.set(value.toLowerCase(), value);
  }
  return [...kept.values()];
}

const trimmed = (text: string): Checked<string | undefined> => ({
  value: normalizeText(text) || undefined,
});

const wordList = (values: string[]): Checked<string[] | undefined> => ({ value: uniqueWords(values) });

const isOfNetwork = (url: string, type: string) => {
  const host = URL.parse(url)?.hostname ?? '';
  return (socialNetworks[type] ?? []).some((name) => host === name || host.endsWith(`.${name}`));
};

type TextField = {
  [Name in ProfileField]: NonNullable<LocationProfile[Name]> extends string ? Name : never;
}[ProfileField];

type Checks = { [Name in Exclude<ProfileField, TextField>]: Check<NonNullable<LocationProfile[Name]>> } & {
  [Name in TextField]?: Check<string>;
};

/** Texts are trimmed unless they have a check of their own. */
const ownChecks: Checks = {
  openingHours: checkOpeningHours,
  specialOpeningHours: checkSpecialOpeningHours,
  openingDate: (day) => (isDay(day) ? { value: day } : { errors: [invalidDay('openingDate', day)] }),
  keywords: wordList,
  brands: wordList,
  paymentOptions: (values) => ({ value: unique(values) }),
  languages: (values) => {
    const codes = each(values, (text, index) => {
      const code = languageCode(text);
      return code
        ? { value: code }
        : rejected(`languages[${index}]`, 'language', 'must be a language code such as de or pt-BR');
    });
    return mapped(codes, unique);
  },
  attributes: (values) =>
    repeated('attributes', values, ({ key }) => key, 'key') ?? {
      value: values.map(({ key, value }): Attribute => ({ key, value })),
    },
  serviceAreas: (values) =>
    repeated('serviceAreas', values, ({ name }) => oneLine(name).toLowerCase(), 'name') ?? {
      value: values.map(({ name, placeId }) => ({ name: oneLine(name), ...(placeId && { placeId }) })),
    },
  socialProfiles: (values) =>
    repeated('socialProfiles', values, ({ type }) => type, 'type') ??
    each(values, ({ type, url }, index) => {
      const field = `socialProfiles[${index}].url`;
      const checked = checkUrl(field, url);
      if ('errors' in checked) return checked;
      const hosts = (socialNetworks[type] ?? []).join(' or ');
      return isOfNetwork(checked.value, type)
        ? { value: { type, url: checked.value } }
        : rejected(field, 'network', `must be a URL on ${hosts} for the type ${type}`);
    }),
  photos: (values) => {
    const single = values.filter(({ type }) => type === 'MAIN' || type === 'LOGO');
    return (
      repeated('photos', values, ({ url }) => url.trim(), 'url') ??
      (new Set(single.map(({ type }) => type)).size < single.length
        ? rejected('photos', 'single', 'may contain at most one MAIN and one LOGO')
        : each(values, ({ url: given, type = 'PHOTO', description }, index) =>
            mapped(checkUrl(`photos[${index}].url`, given), (url) => ({
              url,
              type,
              ...(description && { description }),
            })),
          ))
    );
  },
  videos: (values) =>
    repeated('videos', values, ({ url }) => url.trim(), 'url') ??
    each(values, ({ url: given, description }, index) =>
      mapped(checkUrl(`videos[${index}].url`, given), (url) => ({ url, ...(description && { description }) })),
    ),
  utms: (values) =>
    repeated('utms', values, ({ type }) => type, 'type') ??
    each(values, ({ type, parameters }, index) =>
      findDirectory(type)
        ? { value: { type, parameters: parameters.replace(/^&/, '') } }
        : rejected(`utms[${index}].type`, 'known', 'must be a directory type from GET /api/directories'),
    ),
  callTrackingNumbers: (values, country) => {
    const numbers = each(values, (text, index) => checkPhoneField(`callTrackingNumbers[${index}]`, text, country));
    return mapped(numbers, unique);
  },
  customFields: (values) =>
    repeated('customFields', values, ({ name }) => oneLine(name).toLowerCase(), 'name') ?? {
      value: values.map(({ name, value }) => ({ name: oneLine(name), value })),
    },
};

export const checkProfileField = (field: ProfileField, value: unknown, country: string): Checked<unknown> =>
  ((ownChecks[field] ?? trimmed) as Check<unknown>)(value, country);

export function checkPhoneField(field: string, text: string, country: string): Checked<string> {
  const checked = checkPhone(text, country);
  return 'phone' in checked ? { value: checked.phone } : rejected(field, 'phone', checked.problem);
}
