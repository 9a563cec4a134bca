import { expressionBuilder, type SelectQueryBuilder } from 'kysely';
import { raw } from '../../database/query-builder.ts';
import type { DB, Locations } from '../../database/schema.ts';
import { type Statement, snakeCase } from '../../database/statement.ts';
import type { DerivedFields, Location, LocationContent, ServiceOfLocation } from './location.ts';
import { type ColumnField, columnFieldNames, fieldSchemas } from './location-fields.ts';

/** PostgreSQL types of all columns. */
type Columns = Statement<Record<keyof Locations, unknown>>['columns'];

type Written = keyof LocationContent | keyof DerivedFields | 'servicesCount';
type Own = Exclude<keyof Location, 'services'>;

const columnTypes: Readonly<Record<string, Columns[keyof Columns]>> = {
  string: 'text',
  boolean: 'bool',
  number: 'float8',
  integer: 'int8',
  array: 'int8[]',
};

const columnFields = Object.fromEntries(
  columnFieldNames.map((field) => [field, columnTypes[fieldSchemas[field].type]]),
) as Pick<Columns, ColumnField>;

const written: Pick<Columns, Written> = {
  ...columnFields,
  labelIds: 'int8[]',
  profile: 'jsonb',
  servicesCount: 'int4',
  profileCompleteness: 'int2',
  classification: 'text',
  missingMandatoryFields: 'text[]',
  cleansingStatus: 'text',
  normalizationStatus: 'text',
};

const own: Pick<Columns, Own> = {
  ...written,
  id: 'int8',
  partnerId: 'int8',
  status: 'text',
  source: 'text',
  visibilityIndex: 'int2',
  listingsCount: 'int4',
  listingsInSync: 'int4',
  dataPointsCount: 'int4',
  ratingsCount: 'int4',
  ratingsSum: 'float8',
  /** Incremented with every change of the profile. */
  revision: 'int4',
  dateCreated: 'timestamptz',
  lastUpdated: 'timestamptz',
  /** Null until the first sync. */
  lastSyncStarted: 'timestamptz',
  nextCheckAt: 'timestamptz',
  endDate: 'text',
};

const endDay = "to_char(end_date, 'YYYY-MM-DD')";

export const serviceObject = `jsonb_strip_nulls(jsonb_build_object('id', id, 'identifier', identifier, 'title', title,
  'description', description, 'category', category, 'price', price, 'currency', currency,
  'googleService', google_service, 'translations', nullif(translations, '{}')))`;

// Skips the lookup for locations without services, which is most of them. JSON takes half of the time of jsonb here, and
// `json_strip_nulls` would take as long as the aggregation.
const services = `case when services_count = 0 then '[]' else coalesce((
  select json_agg(service) from (
    select id, price, title, category, currency, identifier, description,
      nullif(translations, '{}') as translations, google_service as "googleService"
    from service_items where location_id = locations.id order by position, service_items.id
  ) service
), '[]') end`;

const ownText = Object.keys(own)
  .map((name) => (name === 'endDate' ? `${endDay} as end_date` : snakeCase(name)))
  .join(', ');

/** All columns except services: the select list, and the columns of the result. */
export const ownColumns = { text: ownText, columns: own };

export const allColumns = {
  text: `${ownText}, ${services} as services`,
  columns: { ...own, services: 'json' },
} as const;

const plainColumns = (Object.keys(own) as Own[]).filter((name) => name !== 'endDate');

type Narrowed = Pick<
  Location,
  'status' | 'source' | 'classification' | 'cleansingStatus' | 'normalizationStatus' | 'profile'
>;

/** Selects the named properties; undefined means all. */
export function selectFields(list: SelectQueryBuilder<DB, 'locations', object>, fields?: ReadonlySet<string>) {
  const isRead = (name: keyof Location) => fields?.has(name) ?? true;
  return list
    .select([
      ...plainColumns.filter(isRead),
      ...(isRead('endDate') ? [raw.raw<string | null>(endDay).as('endDate')] : []),
      ...(isRead('services') ? [raw.raw<ServiceOfLocation[]>(services).as('services')] : []),
    ])
    .$narrowType<Narrowed>();
}

const { ref } = expressionBuilder<DB, 'locations'>();

/** Must equal the expressions of the indexes. */
export const indexed = {
  name: raw<string>`lower(${ref('name')})`,
  city: raw<string>`lower(${ref('city')})`,
  /** Without spaces and hyphens. */
  zip: raw<string>`translate(upper(${ref('zip')}), ' -', '')`,
  dateCreated: raw<Date>`${ref('dateCreated')}`,
  lastUpdated: raw<Date>`${ref('lastUpdated')}`,
};

const names = Object.keys(written) as readonly Written[];

/** For bulk statements that read the rows from one JSON array. */
export const rowDefinition = `(id bigint, ${names.map((name) => `"${name}" ${written[name]}`).join(', ')})`;
export const insertColumns = names.map(snakeCase).join(', ');
export const insertValues = names.map((name) => `next."${name}"`).join(', ');
export const assignments = names.map((name) => `${snakeCase(name)} = next."${name}"`).join(', ');

export type LocationRow = LocationContent & DerivedFields & { id: number; servicesCount: number };
