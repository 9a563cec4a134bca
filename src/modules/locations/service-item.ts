import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../problems.ts';
import { currencyCode, notACurrency } from '../../values/countries.ts';
import { currentCategory } from '../catalog/index.ts';
import { languageCode, oneLine } from './field-checks.ts';
import type { Checked } from './hours.ts';
import type { ServiceItem, ServiceItemInput } from './profile-values.ts';

/** Services that a location is to have, in the form in which they are kept. */
export function checkServices(given: readonly ServiceItemInput[]): Checked<ServiceItemInput[]> {
  const errors: FieldError[] = [];
  const value = given.map((item, index) => checkService(item, `services[${index}]`, errors));
  for (const name of ['id', 'identifier'] as const) {
    const seen = new Set<unknown>();
    for (const [index, item] of value.entries()) {
      if (item[name] === undefined || item[name] === null) continue;
      if (seen.has(item[name])) {
        const field = `services[${index}].${name}`;
        errors.push({ field, rule: 'unique', message: `${field} repeats the ${name} of another entry.` });
      }
      seen.add(item[name]);
    }
  }
  return errors.length > 0 ? { errors } : { value };
}

function checkService(item: ServiceItemInput, field: string, errors: FieldError[]): ServiceItemInput {
  const say = (name: string, rule: string, message: string) =>
    errors.push({ field: `${field}.${name}`, rule, message: `${field}.${name} ${message}.` });
  const { id, identifier, title, description, category, price, currency, googleService, translations } = item;
  const code = currency ? currencyCode(currency) : null;
  if (code === undefined) say('currency', 'currency', notACurrency);
  const known = category ? currentCategory(category) : null;
  if (known === undefined) say('category', 'known', 'must be the id of a category: GET /api/categories');
  const languages = Object.entries(translations ?? {}).map(([language, words]) => {
    const canonical = languageCode(language);
    if (!canonical) say('translations', 'language', `has the language "${language}"; use codes such as de or pt-BR`);
    return [canonical ?? language, words] as const;
  });
  return {
    ...(id !== undefined && { id }),
    ...(identifier !== undefined && { identifier: identifier && oneLine(identifier) }),
    ...(title !== undefined && { title: title && oneLine(title) }),
    ...(description !== undefined && { description: description || null }),
    ...(category !== undefined && { category: known?.id ?? null }),
    ...(price !== undefined && { price }),
    ...(currency !== undefined && { currency: code ?? null }),
    ...(googleService !== undefined && { googleService: googleService || null }),
    ...(translations !== undefined && { translations: languages.length > 0 ? Object.fromEntries(languages) : null }),
  };
}

/** A service that a location is to have; without an id it is a new one. */
export type NextService = Omit<ServiceItem, 'id'> & { id?: number };

/**
 * What a location's services come to: an entry with the id of one that is there changes that one, one with the id of a
 * service of another location takes over what that one says, all others are new. `elsewhere` are the services whose ids
 * are named, wherever they are. `byName`: an entry without an id changes the one with its identifier or title.
 */
export function nextServices(
  current: readonly ServiceItem[],
  elsewhere: readonly ServiceItem[],
  wanted: readonly ServiceItemInput[],
  byName: boolean,
): Checked<NextService[]> {
  const errors: FieldError[] = [];
  const taken = new Set<number>();
  const named = new Set(wanted.map(({ id }) => id));
  const value = wanted.map((item, index): NextService => {
    const field = `services[${index}]`;
    const source = elsewhere.find(({ id }) => id === item.id);
    const free = current.filter(({ id }) => !taken.has(id) && !named.has(id));
    const own =
      ownService(current, item, byName ? taken : undefined) ?? (source && takenOver(free, merged(source, item)));
    const model = source ?? own;
    if (item.id !== undefined && !model) {
      errors.push({
        field: `${field}.id`,
        rule: 'known',
        message: `There is no service ${item.id}. Leave out the id to create one.`,
      });
    }
    if (own && taken.has(own.id)) {
      errors.push({ field, rule: 'unique', message: `${field} is the same service as another entry.` });
    }
    if (own) taken.add(own.id);
    const shown = merged(model, item);
    if (item.title === null && model) {
      errors.push({
        field: `${field}.title`,
        rule: 'not-deletable',
        message: `${field}.title cannot be deleted. Give a new one, or leave it out to keep it.`,
      });
    } else if (shown.title === undefined && (model || item.id === undefined)) {
      errors.push({
        field: `${field}.title`,
        rule: 'required',
        message: `${field}.title is required for a new service.`,
      });
    }
    if (shown.price !== undefined && shown.currency === undefined) {
      errors.push({
        field: `${field}.currency`,
        rule: 'required',
        message: `${field}.currency is required with a price.`,
      });
    }
    return { ...shown, title: shown.title ?? '', ...(own && { id: own.id }) };
  });
  const names = value.map(({ identifier }) => identifier);
  for (const [index, identifier] of names.entries()) {
    if (identifier === undefined || names.indexOf(identifier) === index) continue;
    const field = `services[${index}].identifier`;
    errors.push({ field, rule: 'unique', message: `${field} is the identifier of another service of the location.` });
  }
  return errors.length > 0 ? { errors } : { value };
}

/** What an entry makes of the service that it is about: null deletes, what is not given stays. */
function merged(model: ServiceItem | undefined, item: ServiceItemInput): Omit<Partial<ServiceItem>, 'id'> {
  const { id: _, ...fields } = { ...model, ...item };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function ownService(current: readonly ServiceItem[], item: ServiceItemInput, taken: ReadonlySet<number> | undefined) {
  if (item.id !== undefined) return current.find(({ id }) => id === item.id);
  if (!taken) return undefined;
  if (item.identifier) return current.find(({ identifier }) => identifier === item.identifier);
  // Clients of old versions know a service by what it is called.
  return current.find(({ id, title }) => title === item.title && !taken.has(id));
}

/** The location's own one that came from a service of another location before: it is that one again, and no new one. */
function takenOver(current: readonly ServiceItem[], { identifier, title }: Omit<Partial<ServiceItem>, 'id'>) {
  if (identifier !== undefined) return current.find((service) => service.identifier === identifier);
  return current.find((service) => service.title === title);
}

export const servicesDiffer = (current: readonly ServiceItem[], next: readonly NextService[]): boolean =>
  !isDeepStrictEqual(current, next);
