import type { Sql } from '../../database/connection.ts';
import { defineQuery, defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { type FieldError, fieldError } from '../../problems.ts';
import { currencyCode, notACurrency } from '../../values/countries.ts';
import { currentCategory } from '../catalog/index.ts';
import { languageCode, oneLine } from './field-checks.ts';
import type { Checked } from './hours.ts';
import { serviceObject } from './location-columns.ts';
import type { ServiceItem, ServiceItemInput } from './profile-values.ts';

/** Validates services and returns their stored form. */
export function checkServices(given: readonly ServiceItemInput[]): Checked<ServiceItemInput[]> {
  const errors: FieldError[] = [];
  const value = given.map((item, index) => checkService(item, `services[${index}]`, errors));
  for (const name of ['id', 'identifier'] as const) {
    const seen = new Set<unknown>();
    for (const [index, item] of value.entries()) {
      if (item[name] === undefined || item[name] === null) continue;
      if (seen.has(item[name])) {
        const problem = `repeats the ${name} of another entry. Each ${name} may occur once`;
        errors.push(fieldError(`services[${index}].${name}`, 'unique', problem));
      }
      seen.add(item[name]);
    }
  }
  return errors.length > 0 ? { errors } : { value };
}

function checkService(item: ServiceItemInput, field: string, errors: FieldError[]): ServiceItemInput {
  const addError = (name: string, rule: string, message: string) =>
    errors.push(fieldError(`${field}.${name}`, rule, message));
  const { id, identifier, title, description, category, price, currency, googleService, translations } = item;
  const code = currency ? currencyCode(currency) : null;
  if (code === undefined) addError('currency', 'currency', notACurrency);
  const known = category ? currentCategory(category) : null;
  if (known === undefined) addError('category', 'known', 'must be a category id from GET /api/categories');
  const languages = Object.entries(translations ?? {}).map(([language, words]) => {
    const canonical = languageCode(language);
    if (!canonical) {
      addError('translations', 'language', `has an unknown language "${language}"; use codes such as de or pt-BR`);
    }
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

/** A service to be stored; without an id it is new. */
export type NextService = Omit<ServiceItem, 'id'> & { id?: number };

/**
 * Merges entries with current services by id. An entry with the id of another location's service (`elsewhere`) copies
 * it; other entries are new. `byName`: an entry without an id matches by identifier or title.
 */
export function nextServices(
  current: readonly ServiceItem[],
  elsewhere: readonly ServiceItem[],
  wanted: readonly ServiceItemInput[],
  byName: boolean,
): Checked<NextService[]> {
  const errors: FieldError[] = [];
  const used = new Set<number>();
  const named = new Set(wanted.map(({ id }) => id));
  const value = wanted.map((item, index): NextService => {
    const field = `services[${index}]`;
    const source = elsewhere.find(({ id }) => id === item.id);
    const free = current.filter(({ id }) => !used.has(id) && !named.has(id));
    const own =
      ownService(current, item, byName ? used : undefined) ?? (source && ownCopyOf(free, merged(source, item)));
    const template = source ?? own;
    if (item.id !== undefined && !template) {
      errors.push(fieldError(`${field}.id`, 'known', `${item.id} does not exist. Omit id to create a service`));
    }
    if (own && used.has(own.id)) {
      errors.push(fieldError(field, 'unique', 'is the same service as another entry'));
    }
    if (own) used.add(own.id);
    const shown = merged(template, item);
    if (item.title === null && template) {
      const problem = 'is required and cannot be deleted. Set a new title, or omit it to keep the current one';
      errors.push(fieldError(`${field}.title`, 'not-deletable', problem));
    } else if (shown.title === undefined && (template || item.id === undefined)) {
      errors.push(fieldError(`${field}.title`, 'required', 'is required for a new service'));
    }
    if (shown.price !== undefined && shown.currency === undefined) {
      errors.push(fieldError(`${field}.currency`, 'required', 'is required with a price'));
    }
    return { ...shown, title: shown.title ?? '', ...(own && { id: own.id }) };
  });
  const names = value.map(({ identifier }) => identifier);
  for (const [index, identifier] of names.entries()) {
    if (identifier === undefined || names.indexOf(identifier) === index) continue;
    const problem = 'is already used by another service of the location';
    errors.push(fieldError(`services[${index}].identifier`, 'unique', problem));
  }
  return errors.length > 0 ? { errors } : { value };
}

/** null deletes a field; absent fields are unchanged. */
function merged(template: ServiceItem | undefined, item: ServiceItemInput): Omit<Partial<ServiceItem>, 'id'> {
  const { id: _, ...fields } = { ...template, ...item };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function ownService(current: readonly ServiceItem[], item: ServiceItemInput, used: ReadonlySet<number> | undefined) {
  if (item.id !== undefined) return current.find(({ id }) => id === item.id);
  if (!used) return undefined;
  if (item.identifier) return current.find(({ identifier }) => identifier === item.identifier);
  // Old API versions have no service ids and match by title.
  return current.find(({ id, title }) => title === item.title && !used.has(id));
}

/** The location's existing copy of another location's service, so that a repeated request does not create a second. */
function ownCopyOf(current: readonly ServiceItem[], { identifier, title }: Omit<Partial<ServiceItem>, 'id'>) {
  if (identifier !== undefined) return current.find((service) => service.identifier === identifier);
  return current.find((service) => service.title === title);
}

/** Services by location, in order; locations without any are not in the map. */
export async function servicesOf(sql: Sql, locationIds: readonly number[]): Promise<Map<number, ServiceItem[]>> {
  const rows = await run(sql, servicesByLocation, [locationIds]);
  return new Map(rows.map(({ locationId, services }) => [locationId, services]));
}

const servicesByLocation = defineStatement<{ locationId: number; services: ServiceItem[] }>({
  name: 'services-of-locations',
  text: `select location_id, jsonb_agg(${serviceObject} order by position, id) as services
         from service_items where location_id = any ($1::bigint[]) group by location_id`,
  columns: { locationId: 'int8', services: 'jsonb' },
});

export interface FoundService {
  service: ServiceItem;
  locationId: number;
  businessId: number;
}

/** Services of the partner with these ids. */
export const findServices = defineQuery<[partnerId: number, ids: readonly number[]], FoundService>({
  name: 'find-services',
  text: `select ${serviceObject} as service, location_id, business_id
         from (
           select service_items.*, business_id
           from service_items join locations on locations.id = location_id
           where service_items.partner_id = $1 and service_items.id = any ($2::bigint[])
         ) as found`,
  columns: { service: 'jsonb', locationId: 'int8', businessId: 'int8' },
});

/** Replaces the services of each location. Existing services keep their ids. */
export async function replaceServices(
  transaction: Transaction,
  partnerId: number,
  lists: readonly { locationId: number; services: readonly NextService[] }[],
): Promise<void> {
  const locationIds = lists.map(({ locationId }) => locationId);
  const rows = lists.flatMap(({ locationId, services }) =>
    services.map((service, position) => ({ ...service, locationId, position })),
  );
  await Promise.all([
    run(transaction, deleteServices, [locationIds]),
    rows.length > 0 && run(transaction, insertServices, [partnerId, JSON.stringify(rows)]),
  ]);
}

const deleteServices = defineStatement({
  name: 'delete-services',
  text: 'delete from service_items where location_id = any ($1::bigint[])',
});

const insertServices = defineStatement({
  name: 'insert-services',
  text: `insert into service_items (id, partner_id, location_id, identifier, title, description, category, price,
           currency, google_service, translations, position)
         select coalesce(id, nextval(pg_get_serial_sequence('service_items', 'id'))), $1, "locationId", identifier,
           title, description, category, price, currency, "googleService", coalesce(translations, '{}'), position
         from json_to_recordset($2::json) as next (id bigint, "locationId" bigint, identifier text, title text,
           description text, category bigint, price integer, currency text, "googleService" text, translations jsonb,
           position integer)`,
});
