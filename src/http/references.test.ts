import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addBusiness, addLocation, bakery, exampleLocation } from '../../test/support/locations.ts';

let api: TestApi;
let partner: TestPartner;
let businessId: number;
let locationId: number;
let strangersBusiness: number;
let filterId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
  locationId = (await addLocation(partner, { businessId })).id;
  filterId = (await partner.call('POST', '/api/data-points/filters', { name: 'All' })).body.response.id;
  strangersBusiness = (await addBusiness(await api.addPartner())).id;
});
afterAll(() => api.close());

const nowhere = 987_654;
const post = { description: 'Rolls', directories: ['GOOGLE'], publicationDate: '2031-01-01T00:00:00Z' };

describe('rejects a reference to a missing record with its field', () => {
  test.for<[string, string, () => object, string]>([
    ['POST', '/api/locations', () => ({ ...exampleLocation, businessId: nowhere }), 'businessId'],
    ['POST', '/api/locations', () => ({ ...exampleLocation, businessId: strangersBusiness }), 'businessId'],
    ['POST', '/api/locations', () => ({ ...exampleLocation, businessId, categories: [1] }), 'categories[0]'],
    ['POST', '/api/locations', () => ({ ...exampleLocation, businessId, labels: [nowhere] }), 'labels[0]'],
    ['PATCH', '/api/locations/:location', () => ({ businessId: nowhere }), 'businessId'],
    ['PATCH', '/api/businesses/:business', () => ({ productPlanId: nowhere }), 'productPlanId'],
    ['POST', '/api/content-collections', () => ({ businessId: nowhere, type: 'MENU', name: 'Lunch' }), 'businessId'],
    ['POST', '/api/directory-business-pages/discover', () => ({ businessId: nowhere }), 'businessId'],
    ['POST', '/api/social-posts', () => ({ ...post, locationIds: [nowhere] }), 'locationIds'],
    ['POST', '/api/social-posts', () => ({ ...post, businessIds: [nowhere] }), 'businessIds'],
    ['POST', '/api/social-posts', () => ({ ...post, labels: [nowhere] }), 'labels'],
    ['POST', '/api/dam/folders', () => ({ name: 'Summer', parentId: nowhere }), 'parentId'],
    [
      'POST',
      '/api/social-templates',
      () => ({ name: 'T', content: { description: 'x' }, folderId: nowhere }),
      'folderId',
    ],
    ['POST', '/api/social-ai/generate-content', () => ({ topic: 'Rolls', locationId: nowhere }), 'locationId'],
    ['POST', '/api/sales-partners/webhooks', () => webhookFor(nowhere), 'salesPartnerId'],
    ['POST', '/api/dashboard/excel-exports', () => ({ locationIds: [nowhere] }), 'locationIds'],
    ['POST', '/api/dashboard/excel-exports', () => ({ businessIds: [strangersBusiness] }), 'businessIds'],
    ['POST', '/api/dashboard-exports', () => ({ locationIds: [nowhere] }), 'locationIds'],
    ['POST', '/api/dashboard-exports', () => ({ businessIds: [strangersBusiness] }), 'businessIds'],
    ['POST', '/api/data-points/filters', () => ({ name: 'New', locationIds: [nowhere] }), 'locationIds'],
    ['POST', '/api/data-points/filters', () => ({ name: 'New', businessIds: [strangersBusiness] }), 'businessIds'],
    ['POST', '/api/data-points/filters', () => ({ name: 'New', ...onPage(nowhere) }), 'directoryBusinessPageIds'],
    ['PATCH', '/api/data-points/filters/:filter', () => ({ locationIds: [nowhere] }), 'locationIds'],
    ['POST', '/api/users', () => ({ ...user, businessIds: [nowhere] }), 'businessIds'],
  ])('%s %s', async ([method, path, bodyOf, field]) => {
    const ids = { ':location': locationId, ':business': businessId, ':filter': filterId };
    const place = path.replace(/:\w+/, (name) => String(ids[name as keyof typeof ids]));
    const { code, body } = await partner.call(method, place, bodyOf());
    expect(body, JSON.stringify(body)).toMatchObject({ status: 'INVALID_PARAMETER', errors: [{ field }] });
    expect(code).toBe(400);
  });
});

const onPage = (id: number) => ({ directoryBusinessPageIds: [id] });
const webhookFor = (salesPartnerId: number) => ({
  type: 'LOCATION_CREATED',
  pushUrl: 'http://127.0.0.1:9/hook',
  salesPartnerId,
});
const user = { email: 'someone@example.com', name: 'Someone', role: 'BUSINESS_MANAGER', password: 'correct horse 9' };

describe('a bulk operation', () => {
  test('has the status of the first failure if all records failed', async () => {
    const { code, body } = await partner.call('PATCH', '/api/locations', {
      ids: [nowhere, nowhere + 1],
      changes: { name: 'Other' },
    });
    expect(code).toBe(404);
    expect(body).toMatchObject({
      status: 'NOT_FOUND',
      response: { updatedCount: 0, failedCount: 2, updatedIds: [], failed: [{ id: nowhere }, { id: nowhere + 1 }] },
    });
    const invalid = await partner.call('PATCH', '/api/locations', { ids: [locationId], changes: { phone: 'abc' } });
    expect(invalid).toMatchObject({ code: 400, body: { status: 'INVALID_PARAMETER', response: { failedCount: 1 } } });
    const kept = await partner.call('DELETE', `/api/locations?ids=${nowhere}`);
    expect(kept).toMatchObject({ code: 404, body: { status: 'NOT_FOUND', response: { failedCount: 1 } } });
    const marked = await partner.call('PATCH', '/api/data-points', { ids: [nowhere], read: true });
    expect(marked).toMatchObject({ code: 404, body: { response: { failedCount: 1 } } });
    const synced = await partner.call('POST', '/api/locations/sync', { locationIds: [nowhere] });
    expect(synced).toMatchObject({ code: 404, body: { response: { acceptedCount: 0, failedCount: 1 } } });
    expect((await partner.call('GET', '/api/tasks')).body.response.count).toBe(0);
  });

  test('returns the same response for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'all-failed' };
    const ask = () => partner.call('POST', '/api/locations/sync', { locationIds: [nowhere] }, headers);
    const [first, again] = [await ask(), await ask()];
    expect(again).toMatchObject({ code: 404, body: first.body });
  });

  test('is a PARTIAL_ERROR if some records failed', async () => {
    const given = { ids: [locationId, nowhere], changes: { name: 'Other' } };
    expect(await partner.call('PATCH', '/api/locations', given)).toMatchObject({
      code: 200,
      body: { status: 'PARTIAL_ERROR', response: { updatedCount: 1, failedCount: 1 } },
    });
  });
});

describe('a field of an older version', () => {
  test('is rejected with a hint if it is the only field', async () => {
    const plan = (await partner.call('POST', '/api/product-plans', { name: 'Basic', price: 0, currency: 'EUR' })).body
      .response;
    const { code, body } = await partner.call('PATCH', `/api/product-plans/${plan.id}`, { active: true });
    expect(code).toBe(400);
    expect(body.message).toContain('it is now status');
    expect(body.warnings).toEqual([expect.stringContaining('it is now status')]);
  });

  test.for([
    ['/api/locations', { futureOpeningDate: '2031-01-01' }, 'openingDate'],
    ['/api/social-posts', { callToAction: 'BOOK' }, 'callToActions'],
  ] as const)('sent to POST %s beside an error is named in the warnings', async ([path, given, now]) => {
    const { code, body } = await partner.call('POST', path, { ...given, categories: [bakery] });
    expect(code).toBe(400);
    expect(body.warnings.join()).toContain(`it is now ${now}`);
  });
});

test('rejects a call to action of a template without directories', async () => {
  const content = { description: 'Book now', callToActions: [{ type: 'BOOK', url: 'https://example.com' }] };
  const { code, body } = await partner.call('POST', '/api/social-templates', { name: 'Book', content });
  expect(code).toBe(400);
  expect(body.errors).toMatchObject([{ field: 'content.directories', rule: 'required' }]);
  expect(body.message).toContain('GOOGLE');
});

test('dashboard exports accept group in the query', async () => {
  const { body } = await partner.call('POST', '/api/dashboardExports?group=WEEK', { format: 'xlsx' });
  expect(body).toMatchObject({ status: 'SUCCESS' });
  const { rows } = await api.database.pool.query('select parameters from tasks where id = $1', [body.response.id]);
  expect(JSON.stringify(rows[0])).toContain('WEEK');
  const wrong = await partner.call('POST', '/api/dashboard-exports?group=HOUR', {});
  expect(wrong).toMatchObject({ code: 400, body: { errors: [{ field: 'group' }] } });
});
