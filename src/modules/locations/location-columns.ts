import type { DerivedFields, LocationContent } from './location.ts';

/** Written fields, with column and type. */
type Written = keyof LocationContent | keyof DerivedFields | 'servicesCount';

const written: Record<Written, readonly [column: string, type: string]> = {
  businessId: ['business_id', 'bigint'],
  identifier: ['identifier', 'text'],
  name: ['name', 'text'],
  street: ['street', 'text'],
  streetNo: ['street_no', 'text'],
  addressExtra: ['address_extra', 'text'],
  zip: ['zip', 'text'],
  city: ['city', 'text'],
  province: ['province', 'text'],
  country: ['country', 'text'],
  lat: ['lat', 'double precision'],
  lng: ['lng', 'double precision'],
  addressDisplay: ['address_display', 'boolean'],
  timeZone: ['time_zone', 'text'],
  phone: ['phone', 'text'],
  fax: ['fax', 'text'],
  cellphone: ['cellphone', 'text'],
  website: ['website', 'text'],
  email: ['email', 'text'],
  categories: ['categories', 'bigint[]'],
  labelIds: ['label_ids', 'bigint[]'],
  autoSync: ['auto_sync', 'boolean'],
  temporarilyClosed: ['temporarily_closed', 'boolean'],
  profile: ['profile', 'jsonb'],
  servicesCount: ['services_count', 'integer'],
  profileCompleteness: ['profile_completeness', 'smallint'],
  classification: ['classification', 'text'],
  missingMandatoryFields: ['missing_mandatory_fields', 'text[]'],
  cleansingStatus: ['cleansing_status', 'text'],
  normalizationStatus: ['normalization_status', 'text'],
};

const kept: Record<string, string> = {
  id: 'id',
  partnerId: 'partner_id',
  status: 'status',
  source: 'source',
  visibilityIndex: 'visibility_index',
  listings: 'listings_count',
  listingsInSync: 'listings_in_sync',
  dataPoints: 'data_points_count',
  ratingsCount: 'ratings_count',
  ratingsSum: 'ratings_sum',
  revision: 'revision',
  dateCreated: 'date_created',
  lastUpdated: 'last_updated',
  lastSyncStarted: 'last_sync_started',
  nextCheckAt: 'next_check_at',
  endDate: "to_char(end_date, 'YYYY-MM-DD')",
};

const expressions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(written).map(([field, [column]]) => [field, column])),
  ...kept,
};

export const serviceObject = `jsonb_strip_nulls(jsonb_build_object('id', id, 'identifier', identifier, 'title', title,
  'description', description, 'category', category, 'price', price, 'currency', currency,
  'googleService', google_service, 'translations', nullif(translations, '{}')))`;

// Skips the lookup for locations without services, which is most of them.
const services = `case when services_count = 0 then '[]' else coalesce((
  select jsonb_agg(${serviceObject} order by position, id) from service_items where location_id = locations.id
), '[]') end as services`;

const select = (fields: readonly string[]) => fields.map((field) => `${expressions[field]} as "${field}"`).join(', ');

/** All columns except services. */
export const ownColumns = select(Object.keys(expressions));

export const allColumns = `${ownColumns}, ${services}`;

/** Columns of the named properties. */
export const someColumns = (fields: ReadonlySet<string>): string =>
  [
    select(Object.keys(expressions).filter((field) => fields.has(field))),
    ...(fields.has('services') ? [services] : []),
  ].join(', ');

const names = Object.keys(written) as readonly Written[];

/** For bulk statements that read the rows from one JSON array. */
export const rowDefinition = `(id bigint, ${names.map((field) => `"${field}" ${written[field][1]}`).join(', ')})`;
export const insertColumns = names.map((field) => written[field][0]).join(', ');
export const insertValues = names.map((field) => `next."${field}"`).join(', ');
export const assignments = names.map((field) => `${written[field][0]} = next."${field}"`).join(', ');

export type LocationRow = LocationContent & DerivedFields & { id: number; servicesCount: number };

export const rowsAsJson = (rows: readonly LocationRow[]): string => JSON.stringify(rows);
