import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { runJobs } from '../../test/support/jobs.ts';
import { addBusiness, addLocation, bakery } from '../../test/support/locations.ts';

let api: TestApi;
let partner: TestPartner;
let location: { id: number; businessId: number };

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  location = await addLocation(partner);
});
afterAll(async () => {
  await api.close();
});

const tables = ['locations', 'events', 'tasks', 'audit_trail', 'listings', 'labels'];

const state = async () => {
  const rows = await Promise.all(
    tables.map(async (table) => (await api.database.pool.query(`select * from ${table} order by id`)).rows),
  );
  return JSON.stringify(rows);
};

test.for([
  ['PATCH', '/api/locations?dryRun=true', { changes: { name: 'Other', labels: [{ name: 'New' }] } }],
  ['PATCH', '/api/locations', { changes: { name: 'Other' }, dryRun: true }],
  ['POST', '/api/locations/sync?dryRun=true', {}],
] as const)('%s %s validates and writes nothing', async ([method, path, given]) => {
  const before = await state();
  const ids = [location.id, 987_654];
  const named = path.includes('sync') ? { locationIds: ids } : { ids };
  const { code, body } = await partner.call(method, path, { ...given, ...named });
  expect(code).toBe(200);
  expect(body).toMatchObject({
    status: 'PARTIAL_ERROR',
    response: { failedCount: 1, failed: [{ id: 987_654, status: 'NOT_FOUND' }] },
    warnings: [expect.stringContaining('Dry run')],
  });
  expect(await state()).toBe(before);
});

test('a dry run of a bulk DELETE deletes nothing', async () => {
  const created = await addLocation(partner, { businessId: location.businessId });
  await api.database.pool.query(`update locations set status = 'INACTIVE', end_date = '2020-01-01' where id = $1`, [
    created.id,
  ]);
  const path = `/api/locations?ids=${created.id}`;
  expect((await partner.call('DELETE', `${path}&dryRun=true`)).body.response).toMatchObject({ updatedCount: 1 });
  expect((await partner.call('GET', `/api/locations/${created.id}`)).body.response.status).toBe('INACTIVE');
  expect((await partner.call('DELETE', path)).body.response).toMatchObject({ updatedCount: 1 });
  expect((await partner.call('GET', `/api/locations/${created.id}`)).body.response.status).toBe('DELETED');
});

test('a dry run of an import reports its result and writes nothing', async () => {
  const own = await api.addPartner();
  const business = await addBusiness(own);
  const rows = ['a,Shop,Street 1,Berlin,DE', 'b,,Street 2,Berlin,DE', 'c,Shop,Street 3,Berlin,Atlantis'];
  const csv = `identifier,name,street,city,country,categories\n${rows.map((row) => `${row},${bakery}`).join('\n')}\n`;
  const path = `/api/location-imports?businessId=${business.id}&dryRun=true`;
  const { body } = await own.call('POST', path, csv, { 'content-type': 'text/csv' });
  expect(body.response).toMatchObject({ dryRun: true });
  await runJobs(api.database);
  const done = await own.call('GET', `/api/location-imports/${body.response.id}`);
  expect(done.body.response).toMatchObject({ status: 'FINISHED', dryRun: true, created: 1, failed: 2 });
  const errors = await own.call('GET', `/api/location-imports/${body.response.id}/errors`);
  expect(errors.body.response.count).toBe(2);
  expect((await own.call('GET', '/api/locations')).body.response.count).toBe(0);
  expect((await own.call('GET', '/api/events')).body.response.events.map(({ type }: { type: string }) => type)).toEqual(
    ['BUSINESS_CREATED'],
  );
});
