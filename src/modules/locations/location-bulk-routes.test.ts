import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { activate, addBusiness, addLocation } from '../../../test/support/locations.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';
import { addUser } from '../../../test/support/users.ts';

let api: TestApi;
let partner: TestPartner;
let businessId: number;
let ids: number[];

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
  ids = [];
  for (const city of ['Köln', 'Köln', 'Bonn']) ids.push((await addLocation(partner, { businessId, city })).id);
});

const patchAll = (body: object, who: Pick<TestPartner, 'call'> = partner) => who.call('PATCH', '/api/locations', body);
const read = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;

describe('PATCH /api/locations', () => {
  test('changes locations by id with an event each', async () => {
    const { code, body } = await patchAll({ ids, changes: { openingHoursNotes: 'Ring the bell', labels: ['West'] } });
    expect(code).toBe(200);
    expect(body).toEqual({
      status: 'SUCCESS',
      response: { updatedCount: 3, failedCount: 0, updatedIds: ids, failed: [] },
    });
    for (const id of ids) expect(await read(id)).toMatchObject({ openingHoursNotes: 'Ring the bell' });
    const events = await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED');
    expect(events.map(({ location, comment }) => [location, comment])).toEqual(
      ids.map((id) => [id, 'Changed: openingHoursNotes, labels']),
    );
  });

  test('changes locations by filter; null and "" delete', async () => {
    const { body } = await patchAll({ filter: { city: ['köln'], country: ['DE'] }, changes: { phone: null, zip: '' } });
    expect(body.response.updatedIds).toEqual(ids.slice(0, 2));
    expect(await read(ids[0] as number)).not.toHaveProperty('phone');
    expect(await read(ids[0] as number)).not.toHaveProperty('zip');
    expect((await read(ids[2] as number)).phone).toBe('+492219524300');
    await patchAll({ ids: ids.slice(0, 1), changes: { identifier: 'Filiale Ko\u0308ln' } });
    for (const filter of [{ city: ['Ko\u0308ln'] }, { query: 'Ko\u0308ln' }, { identifier: ['Filiale Ko\u0308ln'] }]) {
      const { body: selected } = await patchAll({ filter, changes: { website: null } });
      expect(selected.response.updatedIds, JSON.stringify(filter)).toContain(ids[0]);
    }
  });

  test('does not change a location that stops matching the filter while the call waits for it', async () => {
    const [moved = 0, other = 0] = ids;
    const { change } = await api.database.transaction(async (transaction) => {
      await transaction.query(`update locations set city = 'Essen' where id = $1`, [moved]);
      const change = patchAll({ filter: { city: ['Köln'] }, changes: { openingHoursNotes: 'Ring the bell' } });
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(async () => (await api.database.pool.query(waiting)).rowCount).toBeGreaterThan(0);
      return { change };
    });
    expect((await change).body.response).toMatchObject({ updatedIds: [other], failedCount: 0 });
    expect(await read(moved)).not.toHaveProperty('openingHoursNotes');
  });

  test('reports a deleted location like PATCH /api/locations/{id}', async () => {
    const [deleted = 0] = ids;
    await partner.call('DELETE', `/api/locations/${deleted}`);
    const one = await partner.call('PATCH', `/api/locations/${deleted}`, { name: 'New' });
    const { body } = await patchAll({ ids, changes: { name: 'New' } });
    const { code, body: refusal } = one;
    expect({ code, failed: body.response.failed }).toEqual({
      code: 409,
      failed: [{ id: deleted, status: 'CONFLICT', message: refusal.message }],
    });
  });

  test('reports each failure and changes the others', async () => {
    const [first = 0, second = 0, third = 0] = ids;
    await activate(api, partner, first);
    await activate(api, partner, second);
    await partner.call('PATCH', `/api/locations/${second}`, { country: 'AT', zip: null, phone: null });
    const stranger = await addLocation(await api.addPartner());
    const wanted = [first, second, third, stranger.id];
    const { code, body } = await patchAll({ ids: wanted, changes: { zip: '50667', status: 'NEEDS_REVIEW' } });
    expect({ code, status: body.status }).toEqual({ code: 200, status: 'PARTIAL_ERROR' });
    expect(body.response).toEqual({
      updatedCount: 1,
      failedCount: 3,
      updatedIds: [first],
      failed: [
        {
          id: second,
          status: 'INVALID_PARAMETER',
          message: expect.stringContaining('Austria'),
          errors: [expect.objectContaining({ field: 'zip' })],
        },
        { id: third, status: 'CONFLICT', message: expect.stringContaining('CREATED') },
        { id: stranger.id, status: 'NOT_FOUND', message: `There is no location ${stranger.id}.` },
      ],
    });
    expect(await read(first)).toMatchObject({ zip: '50667', status: 'NEEDS_REVIEW' });
    // Both of its changes were rolled back.
    expect(await read(second)).toMatchObject({ status: 'ACTIVE' });
    expect(await read(third)).toMatchObject({ status: 'CREATED', zip: '50823' });
  });

  test('rejects a repeated identifier', async () => {
    const { body } = await patchAll({ ids: ids.slice(0, 1), changes: { identifier: 'K-1' } });
    expect(body.status).toBe('SUCCESS');
    const again = await patchAll({ ids: ids.slice(1, 2), changes: { identifier: 'K-1' } });
    expect(again.body.response.failed).toMatchObject([{ errorCode: 'IDENTIFIER_NOT_UNIQUE' }]);
    const both = await patchAll({ ids: ids.slice(1), changes: { identifier: 'K-2' } });
    expect(both.body).toMatchObject({
      status: 'PARTIAL_ERROR',
      response: {
        updatedIds: ids.slice(1, 2),
        failed: [{ id: ids[2], errorCode: 'IDENTIFIER_NOT_UNIQUE', message: expect.stringContaining('"K-2"') }],
      },
    });
    expect(await read(ids[1] as number)).toMatchObject({ identifier: 'K-2' });
    expect(await read(ids[2] as number)).not.toHaveProperty('identifier');
  });

  test('is limited to the reach of the user', async () => {
    const user = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      locationIds: ids.slice(0, 1),
      features: ['LOCATION_READ', 'LOCATION_WRITE'],
    });
    const { body } = await patchAll({ filter: { businessIds: [businessId] }, changes: { name: 'Mine' } }, user);
    expect(body.response.updatedIds).toEqual(ids.slice(0, 1));
    const named = await patchAll({ ids, changes: { name: 'Ours' } }, user);
    expect(named.body.response).toMatchObject({ updatedCount: 1, failedCount: 2 });
    expect((await read(ids[1] as number)).name).toBe('Bäckerei Lindner Ehrenfeld');
  });

  test.each([
    [{ changes: { name: 'X' } }, 'ids'],
    [{ ids: [1], filter: { city: ['Bonn'] }, changes: { name: 'X' } }, 'ids'],
    [{ ids: [1] }, 'changes'],
    [{ ids: [1], changes: {} }, 'body'],
    [{ ids: [1], changes: { nmae: 'X' } }, 'body'],
    [{ ids: [1], changes: { name: 7 } }, 'changes.name'],
    [{ ids: [1], changes: { endDate: '2030-01-01' } }, 'endDate'],
    [{ filter: {}, changes: { name: 'X' } }, 'filter'],
    [{ filter: { cities: ['Bonn'] }, changes: { name: 'X' } }, 'filter.cities'],
    [{ filter: { city: ['Bonn'], businessId: [1] }, changes: { name: 'X' } }, 'filter.businessId'],
  ])('rejects %j', async (body, field) => {
    const response = await patchAll(body);
    expect({ code: response.code, errors: response.body.errors }).toMatchObject({ code: 400, errors: [{ field }] });
  });

  test('reports a missing and an ambiguous selection with their own status', async () => {
    const changes = { name: 'X' };
    expect((await patchAll({ changes })).body.status).toBe('MISSING_PARAMETER');
    expect((await patchAll({ ids, filter: { city: ['Bonn'] }, changes })).body.status).toBe('INVALID_PARAMETER');
  });

  test('rejects an unknown filter field and lists the accepted ones', async () => {
    const { body } = await patchAll({ filter: { cities: ['Bonn'] }, changes: { openingHoursNotes: 'oops' } });
    expect(body).toMatchObject({
      status: 'INVALID_PARAMETER',
      errors: [{ field: 'filter.cities', rule: 'known', message: expect.stringContaining('status, labels, city') }],
    });
    for (const id of ids) expect(await read(id)).not.toHaveProperty('openingHoursNotes');
  });
});

describe('DELETE /api/locations', () => {
  test('deletes where allowed, by query or body', async () => {
    await api.database.pool.query(
      `update locations set status = 'INACTIVE', end_date = current_date - 1 where id = any ($1)`,
      [ids.slice(0, 2)],
    );
    await api.database.pool.query(`update locations set status = 'ACTIVE' where id = $1`, [ids[2]]);
    const byQuery = await partner.call('DELETE', `/api/locations?ids=${ids[0]}`);
    expect(byQuery.body).toMatchObject({ status: 'SUCCESS', response: { updatedIds: [ids[0]] } });
    const byBody = await partner.call('DELETE', '/api/locations', { ids });
    expect(byBody.body).toMatchObject({
      status: 'PARTIAL_ERROR',
      response: { updatedIds: ids.slice(0, 2), failed: [{ id: ids[2], status: 'CONFLICT' }] },
    });
    const moves = (await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).filter(
      ({ to }) => to === 'DELETED',
    );
    expect(moves.map(({ location }) => location)).toEqual(ids.slice(0, 2));
  });

  test('requires a selection', async () => {
    expect((await partner.call('DELETE', '/api/locations')).code).toBe(400);
    for (const filter of [{}, { cities: ['Bonn'] }]) {
      expect((await partner.call('DELETE', '/api/locations', { filter })).code).toBe(400);
    }
    for (const body of [{ ids }, { filter: { city: ['Bonn'] } }]) {
      expect((await partner.call('DELETE', `/api/locations?ids=${ids[0]}`, body)).code).toBe(400);
    }
    expect((await partner.call('GET', '/api/locations')).body.response.count).toBe(3);
  });
});
