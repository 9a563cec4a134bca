import { readFileSync } from 'node:fs';
import type { Schema } from '../../json-schema.ts';
import { dayOf, daysAfter } from '../../values/calendar.ts';
import { newestVersion, timeline } from '../versions/timeline.ts';
import { RouteWalk } from '../versions/walk.ts';
import type { RouteRecord } from './route-record.ts';

const pageFields: Readonly<Record<string, unknown>> = { offset: 0, max: 50, page: 0, size: 50, count: 1 };
const plainValues: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, null: null };

interface Example {
  value: unknown;
  /** Whether a part has an explicit example. */
  isExplicit: boolean;
}

/** The example of a schema, or one composed of the examples of its parts; undefined if no part has one. */
export function exampleOf(schema: Schema): unknown {
  const { value, isExplicit } = build(schema, '');
  return isExplicit ? value : undefined;
}

function build(schema: Schema, name: string): Example {
  const { examples, properties, items, required = [], anyOf } = schema;
  if (examples?.length) return { value: examples[0], isExplicit: true };
  if (items) {
    const entry = build(items, name);
    return { value: entry.isExplicit ? [entry.value] : [], isExplicit: entry.isExplicit };
  }
  if (anyOf?.[0]) return build(anyOf[0], name);
  if (!properties) return { value: plainValue(schema, name), isExplicit: false };
  const fields: Record<string, unknown> = {};
  let isExplicit = false;
  for (const [field, inner] of Object.entries(properties)) {
    const example = build(inner, field);
    isExplicit ||= example.isExplicit;
    if (example.isExplicit || required.includes(field)) fields[field] = example.value;
  }
  return { value: fields, isExplicit };
}

function plainValue({ enum: values, const: only, default: preset, minimum, type, ...schema }: Schema, name: string) {
  if (values) return values[0];
  if (only !== undefined) return only;
  if (name in pageFields) return pageFields[name];
  if (preset !== undefined) return preset;
  if (typeof minimum === 'number' && minimum > 1) return minimum;
  const [first = 'object'] = [type ?? 'object'].flat();
  if (first in plainValues) return plainValues[first];
  if (first === 'object') return {};
  if (schema.format === 'date-time' || /^(at|date|until|since)$|[a-z](At|Date|Until|Since)$/.test(name))
    return '2026-11-15T01:02:03.456Z';
  return name;
}

export const namedExample = (value: unknown) => (value === undefined ? {} : { examples: { example: { value } } });

/** Responses of the newest version, recorded by examples.test.ts, by method and documented path. */
export const responseExamples: Readonly<Record<string, { status: string; response: unknown }>> = JSON.parse(
  readFileSync(new URL('response-examples.json', import.meta.url), 'utf8'),
);

/** The examples were recorded for a partner with all plan features. */
const planFeatures = timeline.flatMap(({ onlyWith }) => onlyWith ?? []);

/** The response contains a JSON Schema, which spectral mistakes for a schema of the document. */
const excluded = 'GET /api/event-types/{type}';

/** The response of a route in a version; undefined if a grant changes the behaviour of the handler. */
export function responseExample({ method, path, body, responses }: RouteRecord, version: string): unknown {
  const key = `${method} ${documentedPath(path)}`;
  const recorded = key === excluded ? undefined : responseExamples[key];
  if (!recorded || version === newestVersion) return recorded;
  const walk = new RouteWalk(timeline, { method, path, body, response: responses[200]?.properties?.response });
  const client = { version, planFeatures };
  if (walk.grants(client).size > 0) return undefined;
  return { ...recorded, response: walk.downgrade(client, recorded.response) };
}

/** Canonical paths by alias. The documents omit the aliases. */
const canonicalPaths: Readonly<Record<string, string>> = {
  '/api/dashboard/customer-feedback-by-period': '/api/dashboard/customer-feedback/by-period',
  '/api/dashboard/customer-feedback/keywords': '/api/dashboard/customer-feedback-keywords',
};

/**
 * The path in the documents: canonical, but without the hyphen where tools consider two paths ambiguous
 * (`/api/data-points/filters/{id}` and `/api/data-points/{id}/flag`).
 */
export const documentedPath = (path: string): string =>
  (canonicalPaths[path] ?? path)
    .replace(/:(\w+)/g, '{$1}')
    .replace('/api/data-points/filters/{', '/api/datapoints/filters/{')
    .replace('/api/sales-partners/{id}/', '/api/salespartners/{id}/');

export const isAliasPath = (path: string): boolean => path in canonicalPaths;

const location = {
  name: 'Bäckerei Lindner Ehrenfeld',
  identifier: 'koeln-ehrenfeld',
  street: 'Venloer Straße',
  streetNo: '310',
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  phone: '+49 221 9524300',
  lat: 50.9483,
  lng: 6.9192,
  categories: [660800505],
};
const croissant = { name: 'Butter croissant', identifier: 'croissant', price: 220, currency: 'EUR' };
const business = { name: 'Bäckerei Lindner', identifier: 'lindner', type: 'SMB', website: 'https://lindner.example/' };
const plan = { name: 'Presence', price: 2900, currency: 'EUR', directoryTypes: ['GOOGLE', 'FACEBOOK'] };
const changedHours = { phone: '+49 221 9524301', openingHours: [{ dayOfWeek: 1, from1: '06:30', to1: '18:00' }] };

/** Relative, because events before the retention period cannot be replayed. */
const weekAgo = `${daysAfter(dayOf(new Date()), -7)}T00:00:00Z`;

/** Request examples of the newest version, by method and documented path. A test sends each one. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  'POST /api/businesses': business,
  'PATCH /api/businesses/{id}': { phone: '+49 221 9524300', email: 'info@lindner.example' },
  'POST /api/checkout/locations': { business, location },
  'POST /api/content-collections': { businessId: 3, type: 'MENU', name: 'Breakfast', items: [croissant] },
  'PATCH /api/content-collections/{id}': { name: 'Breakfast and lunch' },
  'POST /api/content-collections/{id}/items': { name: 'Espresso', identifier: 'espresso', price: 250, currency: 'EUR' },
  'PATCH /api/content-collections/{id}/items/{itemId}': { price: 240, currency: 'EUR' },
  'POST /api/dam/assets': { file: 'summer-terrace.png', name: 'Summer terrace' },
  'PATCH /api/data-points': { ids: [901, 902], read: true },
  'PATCH /api/data-points/{id}': { read: true, flagged: true },
  'POST /api/data-points/{id}/replies': { data: 'Thank you for your visit, Maria. See you soon!' },
  'PATCH /api/data-points/{id}/replies/{replyId}': { data: 'Thank you for your visit, Maria. See you next week!' },
  'POST /api/data-points/filters': { name: 'Unread reviews', types: ['REVIEW'], isRead: false },
  'PATCH /api/datapoints/filters/{id}': { name: 'Unread bad reviews', maxRating: 2 },
  'POST /api/directory-business-pages/discover': { businessId: 3 },
  'POST /api/event-types/{type}/emit': { fields: { comment: 'A test of our receiver' }, count: 2 },
  'POST /api/home/key-metrics': { businessIds: [3], metrics: ['AVERAGE_RATING', 'RESPONSE_RATE'] },
  'POST /api/home/locations/ranks': { businessIds: [3] },
  'POST /api/home/locations/score': { businessIds: [3] },
  'POST /api/home/score-parts': { businessIds: [3] },
  'POST /api/home/suggestions': { businessIds: [3] },
  'DELETE /api/home/suggestions/dismiss': { type: 'CONNECT_GOOGLE', locationIds: [17, 18] },
  'POST /api/home/suggestions/dismiss': { type: 'CONNECT_GOOGLE', locationIds: [17, 18] },
  'POST /api/home/suggestions/locations': { type: 'POST_THIS_MONTH', businessIds: [3] },
  'POST /api/home/tasks': { businessIds: [3] },
  'DELETE /api/home/tasks/dismiss': { type: 'LOCATION_START_FIRST_SYNC', locationIds: [17, 18] },
  'POST /api/home/tasks/dismiss': { type: 'LOCATION_START_FIRST_SYNC', locationIds: [17, 18] },
  'POST /api/home/tasks/locations': { type: 'LOCATION_START_FIRST_SYNC', businessIds: [3] },
  'POST /api/labels': { name: 'Flagship' },
  'PATCH /api/labels/{id}': { name: 'Flagship store', adminOnly: true },
  'PATCH /api/listings/{id}': { claimStatus: 'CLAIMED_BY_US', comment: 'Claimed by post' },
  'POST /api/location-imports':
    'name,street,streetNo,zip,city,country,categories\nBäckerei Lindner Nippes,Neusser Straße,215,50733,Köln,DE,Bakery\n',
  'DELETE /api/locations': { ids: [17, 18] },
  'PATCH /api/locations': { ids: [17, 18], changes: changedHours },
  'POST /api/locations': { businessId: 3, ...location },
  'PATCH /api/locations/{id}': changedHours,
  'POST /api/locations/{id}': changedHours,
  'PUT /api/locations/{id}': changedHours,
  'PUT /api/locations/{id}/content-lists': {
    contentLists: [{ name: 'Breakfast', collection: { type: 'MENU', items: [croissant] } }],
  },
  'POST /api/locations/{id}/status': { status: 'CLOSED', comment: 'The lease has ended' },
  'PUT /api/locations/{id}/suggestions': [{ id: 61, status: 'ACCEPTED', apply: true }],
  'POST /api/locations/{id}/sync': { submit: true },
  'POST /api/locations/data-download': {
    businessId: 3,
    directoryType: 'GOOGLE',
    search: { name: 'Bäckerei Lindner Ehrenfeld', zip: '50823', city: 'Köln', country: 'DE' },
    categories: [660800505],
  },
  'POST /api/locations/sync': { locationIds: [17, 18], submit: true },
  'POST /api/product-plans': plan,
  'PATCH /api/product-plans/{id}': { price: 3100, status: 'ACTIVE' },
  'POST /api/report': {
    name: 'Bäckerei Lindner',
    streetAndNo: 'Venloer Straße 310',
    zip: '50823',
    city: 'Köln',
    country: 'DE',
    categoryId: 660800505,
    phone: '+49 221 9524300',
    website: 'https://lindner.example/',
  },
  'POST /api/sales-partners': { identifier: 'hansekontor-nord', name: 'Hansekontor Nord' },
  'PUT /api/sales-partners/{id}': { name: 'Hansekontor Hamburg' },
  'POST /api/salespartners/{id}/rotate-private-key': { overlapHours: 24 },
  'POST /api/sales-partners/webhooks': {
    pushUrl: 'https://crm.example/waypost',
    type: 'LOCATION_CREATED',
    description: 'New locations for the CRM',
    retrySchedule: [5, 60, 300],
  },
  'PATCH /api/sales-partners/webhooks/{id}': { description: 'New locations for the new CRM', includeChildren: true },
  'POST /api/sales-partners/webhooks/{id}/replay': { since: weekAgo, ratePerSecond: 20, dryRun: true },
  'POST /api/sales-partners/webhooks/{id}/rotate-secret': { overlapHours: 24 },
  'POST /api/sales-partners/webhooks/check-filter': {
    type: 'LISTING_UPDATE',
    filter: { field: 'updateResult', in: ['FAILURE', 'UNDEFINED'] },
  },
  'POST /api/sales-partners/webhooks/check-url': { pushUrl: 'https://crm.example/waypost' },
  'PATCH /api/sales-partners/webhooks/destinations': { types: ['LOCATION_CREATED', 'LISTING_UPDATE'], enabled: true },
  'POST /api/sales-partners/webhooks/destinations/rotate-secret': { overlapHours: 24 },
  'PUT /api/sandbox/directories/{type}/outage': { seconds: 60 },
  'PUT /api/sandbox/receiver/{name}': { mode: 'fail' },
  'POST /api/social-posts': {
    directories: ['GOOGLE'],
    type: 'POST',
    description: 'Fresh rye bread from our wood-fired oven',
    locationIds: [17, 18],
    callToActions: [{ directory: 'GOOGLE', type: 'LEARN_MORE', url: 'https://lindner.example/' }],
  },
  'PATCH /api/social-posts/{id}': { description: 'Fresh rye bread, every morning from seven' },
  'POST /api/social-posts/{id}/reject': { reason: 'The price in the photo is out of date' },
  'POST /api/store-finders': { name: 'Our shops', businessIds: [3], language: 'de', defaultRadiusKm: 25 },
  'PATCH /api/store-finders/{storeKey}': { fields: ['phone', 'website', 'openingHours'] },
  'POST /api/users': {
    email: 'maria.keller@lindner.example',
    name: 'Maria Keller',
    role: 'BUSINESS_MANAGER',
    features: ['LOCATION_READ', 'INBOX_READ', 'INBOX_WRITE'],
    businessIds: [3],
  },
  'PATCH /api/users/{id}': { name: 'Maria Keller-Braun', language: 'de' },
  'POST /api/users/login': { email: 'maria.keller@lindner.example', password: 'correct horse battery staple' },
};
