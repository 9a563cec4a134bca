import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from './support/api.ts';
import { addAsset } from './support/assets.ts';
import { addExport } from './support/exports.ts';
import { activate, addBusiness, addLocation, bakery } from './support/locations.ts';
import { addPlan } from './support/product-plans.ts';
import { addUser } from './support/users.ts';

/** Calls every route with an id in its path with the ids of another partner. */

let api: TestApi;
let victim: TestPartner;
let otherPartner: TestPartner;
let parent: TestPartner;
const ids: Record<string, number | string> = {};

beforeAll(async () => {
  api = await TestApi.start({
    WAYPOST_RATE_LIMIT: '100000',
    WAYPOST_EMIT_EXAMPLES: 'on',
  });
  parent = await api.addPartner();
  victim = await api.addPartner(parent);
  otherPartner = await api.addPartner();
  await createRecords();
});
afterAll(async () => {
  await api.close();
});

async function createRecords(): Promise<void> {
  const create = async (path: string, body: object) => {
    const response = await victim.call('POST', path, body);
    expect(response.body, path).toMatchObject({ status: 'SUCCESS' });
    return response.body.response;
  };
  const insert = async (text: string, values: unknown[]) =>
    (await api.database.pool.query<{ id: number }>(`${text} returning id`, values)).rows[0]?.id as number;
  const partnerId = victim.partner.id;
  const type = 'LOCATION_CREATED';
  const replayInput = { since: new Date(Date.now() - 3_600_000).toISOString(), states: ['DISCARDED'] };
  ids['sales-partners'] = partnerId;
  ids.webhooks = (await create('/api/sales-partners/webhooks', { type, pushUrl: 'http://127.0.0.1:9/hook' })).id;
  ids.replays = (await create(`/api/sales-partners/webhooks/${ids.webhooks}/replay`, replayInput)).id;
  ids.users = (await addUser(api, victim, { role: 'ADMIN' })).user.id;
  ids['product-plans'] = (await addPlan(victim)).id;
  const business = await addBusiness(victim);
  ids.businesses = business.id;
  ids.labels = (await create('/api/labels', { name: 'Drive-in' })).id;
  const collection = await create('/api/content-collections', {
    businessId: business.id,
    type: 'MENU',
    name: 'Lunch',
    items: [{ name: 'Soup' }],
  });
  ids['content-collections'] = collection.id;
  ids.items = collection.items[0].id;
  const location = await addLocation(victim, { businessId: business.id });
  ids.locations = location.id;
  ids['listing-health'] = location.id;
  await activate(api, victim, location.id);
  const events = await victim.call('GET', '/api/events');
  ids.events = events.body.response.events.find((event: { type: string }) => event.type === type).id;
  ids.deliveries = `${ids.events}-${ids.webhooks}`;
  ids.listings = await insert(
    "insert into listings (partner_id, location_id, directory_type, external_id) values ($1, $2, 'GOOGLE', 'x')",
    [partnerId, location.id],
  );
  ids.tasks = await insert("insert into tasks (partner_id, type, created_by) values ($1, 'LOCATION_SYNC', 'SYSTEM')", [
    partnerId,
  ]);
  const csv = `businessId,name,street,city,country,categories\n${business.id},Shop,Street,Berlin,DE,${bakery}\n`;
  const upload = await victim.call('POST', '/api/location-imports', csv, { 'content-type': 'text/csv' });
  ids['location-imports'] = upload.body.response.id;
  ids['social-posts'] = (
    await create('/api/social-posts', {
      type: 'POST',
      description: 'Fresh bread',
      directories: ['GOOGLE'],
      locationIds: [location.id],
      publicationDate: '2099-01-01T00:00:00Z',
    })
  ).id;
  ids['store-finders'] = (await create('/api/store-finders', { name: 'Shops' })).storeKey;
  const reportInput = { name: 'Shop', streetAndNo: 'Street 1', city: 'Berlin', country: 'DE', categoryId: bakery };
  const report = await api.call('POST', '/api/report', reportInput, { publicKey: victim.partner.publicKey });
  ids.report = `${report.body.id}?token=${report.body.token}`;
  ids.filters = (await create('/api/data-points/filters', { name: 'Unread', isRead: false })).id;
  ids['data-points'] = await insert(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, author,
       action_date, thread_action_date, fingerprint)
     values ($1, $2, $3, $4, 'GOOGLE', 'review', 'REVIEW', 'Anna', now(), now(), '')`,
    [partnerId, business.id, location.id, ids.listings],
  );
  ids.replies = await insert(
    "insert into datapoint_replies (datapoint_id, author, text, owner_reply, status) values ($1, 'Us', 'Thanks', true, 'PENDING_APPROVAL')",
    [ids['data-points']],
  );
  ids.assets = (await addAsset(victim)).id;
  ids['excel-exports'] = await addExport(api, victim, '/api/dashboard/excel-exports');
  ids['dashboard-exports'] = await addExport(api, victim, '/api/dashboard-exports', { format: 'xlsx' });
  ids.folders = (await create('/api/dam/folders', { name: 'Campaigns' })).id;
  const template = { name: 'Tuesday', content: { description: 'Two for one' } };
  ids['social-templates'] = (await create('/api/social-templates', template)).id;
  ids['directory-business-pages'] = await insert(
    `insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name)
     values ($1, $2, 'FACEBOOK', 'page', 'Page')`,
    [partnerId, business.id],
  );
}

/** Paths of records that do not belong to a partner. */
const sharedPaths = new Set([
  '/api/event-types/:type',
  '/api/event-types/:type/emit',
  '/api/categories/:id',
  '/api/directories/:type',
  // Demo mode: shared by all partners. Only the top partner may change them.
  '/api/sandbox/directories/:type/outage',
  '/api/sandbox/receiver/:name',
  // The token in the URL grants access.
  '/api/dam/files/:token',
  '/api/dam/thumbnails/:token',
]);

/** Valid request bodies. */
const bodies: Record<string, object> = {
  'PATCH /api/sales-partners/webhooks/:id': { description: 'Mine' },
  'POST /api/sales-partners/webhooks/:id/replay': { since: new Date().toISOString() },
  'PUT /api/sales-partners/:id': { name: 'Mine' },
  'PATCH /api/users/:id': { name: 'Mine' },
  'PUT /api/users/:id': { name: 'Mine' },
  'PATCH /api/product-plans/:id': { name: 'Mine' },
  'PUT /api/product-plans/:id': { name: 'Mine' },
  'PATCH /api/businesses/:id': { name: 'Mine' },
  'PUT /api/businesses/:id': { name: 'Mine' },
  'PATCH /api/labels/:id': { name: 'Mine' },
  'PATCH /api/store-finders/:storeKey': { name: 'Mine' },
  'PATCH /api/content-collections/:id': { name: 'Mine' },
  'POST /api/content-collections/:id/items': { name: 'Mine' },
  'PATCH /api/content-collections/:id/items/:itemId': { name: 'Mine' },
  'PATCH /api/locations/:id': { name: 'Mine' },
  'PUT /api/locations/:id': { name: 'Mine' },
  'POST /api/locations/:id': { name: 'Mine' },
  'PUT /api/locations/:id/content-lists': { contentLists: [] },
  'POST /api/locations/:id/status': { status: 'CLOSED' },
  'PUT /api/locations/:id/suggestions': [{ id: 1, status: 'ACCEPTED' }],
  'PATCH /api/listings/:id': { flowStatus: 'MANUALLY_DEACTIVATED' },
  'PATCH /api/social-posts/:id': { title: 'Mine' },
  'PUT /api/social-posts/:id': { title: 'Mine' },
  'POST /api/social-posts/:id/reject': { reason: 'Mine' },
  'PUT /api/data-points/filters/:id': { name: 'Mine' },
  'PATCH /api/data-points/filters/:id': { name: 'Mine' },
  'PATCH /api/data-points/:id': { read: true },
  'PATCH /api/dam/assets/:id': { name: 'Mine' },
  'PATCH /api/dashboard/excel-exports/:id': { name: 'Mine' },
  'PATCH /api/dashboard-exports/:id': { name: 'Mine' },
  'PATCH /api/dam/folders/:id': { name: 'Mine' },
  'PATCH /api/social-templates/:id': { name: 'Mine' },
  'POST /api/data-points/:id/replies': { data: 'Mine' },
  'PATCH /api/data-points/:id/replies/:replyId': { data: 'Mine' },
};

/** The path with the victim's ids. The segment before a parameter names the record type. */
function victimPath(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => {
      if (!segment.startsWith(':')) return segment;
      const noun = segments[index - 1] ?? '';
      const id = ids[noun];
      if (id === undefined) throw new Error(`The test has no record for ${path}. Create one in createRecords.`);
      return String(id);
    })
    .join('/');
}

const fingerprint = async (): Promise<unknown> => {
  const { rows: tables } = await api.database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'partner_id' and table_name !~ '_\\d{8}$' order by 1`,
  );
  const sums = tables.map(async ({ name }) => {
    const { rows } = await api.database.pool.query(
      `select md5(string_agg(t::text, '|' order by t::text)) as sum from ${name} t where partner_id = $1`,
      [victim.partner.id],
    );
    return [name, rows[0].sum];
  });
  return Promise.all(sums);
};

test('returns 404 to another partner for every record and changes nothing', async () => {
  const before = await fingerprint();
  const calls = api.server.paths
    .list()
    .filter(({ path }) => path.startsWith('/api/') && path.includes(':') && !sharedPaths.has(path))
    .flatMap(({ path, methods }) =>
      [...methods].filter((method) => method !== 'HEAD' && method !== 'OPTIONS').map((method) => ({ method, path })),
    );
  expect(calls.length).toBeGreaterThan(70);
  const reached: string[] = [];
  for (const { method, path } of calls) {
    const name = `${method} ${path}`;
    const body = method === 'GET' ? undefined : (bodies[name] ?? (method === 'DELETE' ? undefined : {}));
    const { publicKey } = otherPartner.partner;
    const response = await otherPartner.call(method, victimPath(path), body, { publicKey });
    if (response.code !== 404)
      reached.push(`${name} returned ${response.code} ${JSON.stringify(response.body).slice(0, 200)}`);
  }
  expect(reached).toEqual([]);
  expect(await fingerprint()).toEqual(before);
});

/** A parent can change its child partners and their webhooks, but only read their other records. */
const managedByParents = /^\/api\/(sales-partners\/|deliveries\/|events\/|event-types\/)/;

test('a parent can read but not change the records of a child partner', async () => {
  const before = await fingerprint();
  const calls = api.server.paths
    .list()
    .filter(({ path }) => path.startsWith('/api/') && path.includes(':') && !sharedPaths.has(path))
    .filter(({ path }) => !managedByParents.test(path))
    .flatMap(({ path, methods }) =>
      [...methods].filter((method) => method !== 'HEAD' && method !== 'OPTIONS').map((method) => ({ method, path })),
    );
  const unexpected: string[] = [];
  for (const { method, path } of calls) {
    const name = `${method} ${path}`;
    const body = method === 'GET' ? undefined : (bodies[name] ?? (method === 'DELETE' ? undefined : {}));
    const isPublic = path.startsWith('/api/store-finders/:storeKey/') || path.startsWith('/api/report/');
    const { publicKey } = isPublic ? victim.partner : parent.partner;
    const { code } = await parent.call(method, victimPath(path), body, { publicKey });
    if (code !== (method === 'GET' ? 200 : 404)) unexpected.push(`${name} returned ${code}`);
  }
  expect(unexpected).toEqual([]);
  expect(await fingerprint()).toEqual(before);
});

test('returns records to their own partner', async () => {
  const reads = api.server.paths
    .list()
    .filter(
      ({ path, methods }) =>
        methods.has('GET') && path.startsWith('/api/') && path.includes(':') && !sharedPaths.has(path),
    );
  const failedReads: string[] = [];
  for (const { path } of reads) {
    const { publicKey } = victim.partner;
    const { code } = await victim.call('GET', victimPath(path), undefined, { publicKey });
    if (code !== 200) failedReads.push(`${path} returned ${code}`);
  }
  expect(failedReads).toEqual([]);
});
