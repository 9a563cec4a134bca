import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import { addFinder } from '../../../../test/support/store-finder.ts';
import { addUser } from '../../../../test/support/users.ts';

const path = '/api/store-finders';
let api: TestApi;
let partner: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  stranger = await api.addPartner();
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
});

const addLabel = async (name: string): Promise<number> =>
  (await partner.call('POST', '/api/labels', { name })).body.response.id;

describe('creating', () => {
  test('requires only a name', async () => {
    const finder = await addFinder(partner, { name: ' Our shops ' });
    expect(finder).toMatchObject({
      storeKey: expect.stringMatching(/^sf_[\w-]{24}$/),
      name: 'Our shops',
      businessIds: [],
      labelIds: [],
      language: 'en',
      theme: 'AUTO',
      unit: 'KM',
      defaultRadiusKm: 25,
      filters: ['categories', 'services', 'labels', 'paymentOptions', 'countries', 'cities'],
      fields: expect.arrayContaining(['phone', 'photos', 'openingHours']),
    });
    expect(finder).not.toHaveProperty('mapApiKey');
    expect((await addFinder(partner)).storeKey).not.toBe(finder.storeKey);
  });

  test('stores all settings', async () => {
    const business = await addBusiness(partner);
    const label = (await partner.call('POST', '/api/labels', { name: 'Flagship' })).body.response;
    const given = {
      businessIds: [business.id],
      labelIds: [label.id],
      mapApiKey: 'map-key-1',
      language: 'de',
      theme: 'DARK',
      colour: '#c92a2a',
      unit: 'MI',
      defaultRadiusKm: 12.5,
      startLat: 50.94,
      startLng: 6.96,
      startZoom: 11,
      filters: ['labels'],
      fields: ['phone'],
    };
    const finder = await addFinder(partner, given);
    expect(finder).toMatchObject(given);
    expect((await partner.call('GET', `${path}/${finder.storeKey}`)).body.response).toEqual(finder);
  });

  test('an Idempotency-Key creates one finder', async () => {
    const create = () => partner.call('POST', path, { name: 'Once' }, { 'idempotency-key': 'once' });
    const [one, other] = await Promise.all([create(), create()]);
    expect(one.body.response.storeKey).toBe(other.body.response.storeKey);
  });

  test.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'A', colour: 'red' }, 'colour'],
    [{ name: 'A', unit: 'YARD' }, 'unit'],
    [{ name: 'A', theme: 'PINK' }, 'theme'],
    [{ name: 'A', language: 'no language' }, 'language'],
    [{ name: 'A', defaultRadiusKm: 0 }, 'defaultRadiusKm'],
    [{ name: 'A', defaultRadiusKm: 5000 }, 'defaultRadiusKm'],
    [{ name: 'A', startLat: 91, startLng: 0 }, 'startLat'],
    [{ name: 'A', startLat: 50 }, 'startLng'],
    [{ name: 'A', filters: ['colour'] }, 'filters[0]'],
    [{ name: 'A', fields: ['customFields'] }, 'fields[0]'],
    [{ name: 'A', businessIds: [987654] }, 'businessIds'],
    [{ name: 'A', labelIds: [987654] }, 'labelIds'],
    [{ name: 'A', mapApiKey: 'two words' }, 'mapApiKey'],
  ])('rejects %j', async (body, field) => {
    expect(await partner.call('POST', path, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
    expect((await partner.call('GET', path)).body.response.count).toBe(0);
  });

  test('rejects businesses and labels of another partner', async () => {
    const business = await addBusiness(stranger);
    const label = (await stranger.call('POST', '/api/labels', { name: 'Theirs' })).body.response;
    for (const body of [{ businessIds: [business.id] }, { labelIds: [label.id] }]) {
      expect((await partner.call('POST', path, { name: 'A', ...body })).code).toBe(400);
    }
    await stranger.call('DELETE', `/api/labels/${label.id}`);
  });
});

describe('changing and deleting', () => {
  test('changes given fields, null resets a setting', async () => {
    const { storeKey } = await addFinder(partner, {
      mapApiKey: 'key',
      theme: 'DARK',
      language: 'de',
      fields: ['phone'],
    });
    const changed = await partner.call('PATCH', `${path}/${storeKey}`, {
      name: 'New',
      mapApiKey: null,
      theme: '',
      fields: null,
      unit: 'MI',
    });
    expect(changed.body.response).toMatchObject({ name: 'New', theme: 'AUTO', language: 'de', unit: 'MI' });
    expect(changed.body.response).not.toHaveProperty('mapApiKey');
    expect(changed.body.response.fields.length).toBeGreaterThan(10);
  });

  test('an invalid change has no effect', async () => {
    const before = await addFinder(partner, { startLat: 1, startLng: 2 });
    const at = `${path}/${before.storeKey}`;
    for (const body of [{}, { name: null }, { startLat: null }, { unit: 'YARD' }, { name: 'B', labelIds: [987654] }]) {
      expect((await partner.call('PATCH', at, body)).code).toBe(400);
    }
    expect((await partner.call('GET', at)).body.response).toEqual(before);
  });

  test('a deleted label does not block other changes', async () => {
    const [gone, stays] = [await addLabel('Short-lived'), await addLabel('Lasting')];
    const { storeKey } = await addFinder(partner, { labelIds: [gone, stays] });
    expect((await partner.call('DELETE', `/api/labels/${gone}`)).code).toBe(200);
    const change = (body: object) => partner.call('PATCH', `${path}/${storeKey}`, body);
    expect((await change({ name: 'Still here' })).code).toBe(200);
    const emptied = await change({ labelIds: [gone] });
    expect(emptied).toMatchObject({ code: 400, body: { errors: [{ field: 'labelIds', rule: 'known' }] } });
    expect((await change({ labelIds: [] })).code).toBe(200);
  });

  test('a label that becomes the only one while it is deleted is refused', async () => {
    const [gone, other] = [await addLabel('Gone'), await addLabel('Other')];
    const { storeKey } = await addFinder(partner, { labelIds: [gone, other] });
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const untilWaiting = (count: number) =>
      expect.poll(async () => (await api.database.pool.query(waiting)).rowCount).toBe(count);
    const { deletion, change } = await api.database.transaction(async (transaction) => {
      // A deletion is recorded at its end.
      await transaction.query('lock table audit_trail in exclusive mode');
      const deletion = partner.call('DELETE', `/api/labels/${gone}`);
      await untilWaiting(1);
      const change = partner.call('PATCH', `${path}/${storeKey}`, { labelIds: [gone] });
      await untilWaiting(2);
      return { deletion, change };
    });
    expect([(await deletion).code, (await change).code]).toEqual([200, 400]);
  });

  test('concurrent changes of different fields are both kept', async () => {
    const { storeKey } = await addFinder(partner);
    await Promise.all(
      [{ theme: 'DARK' }, { unit: 'MI' }, { language: 'fr' }, { colour: '#000000' }].map((change) =>
        partner.call('PATCH', `${path}/${storeKey}`, change),
      ),
    );
    expect((await partner.call('GET', `${path}/${storeKey}`)).body.response).toMatchObject({
      theme: 'DARK',
      unit: 'MI',
      language: 'fr',
      colour: '#000000',
    });
  });

  test('a deleted finder is not found', async () => {
    const { storeKey } = await addFinder(partner);
    expect((await partner.call('DELETE', `${path}/${storeKey}`)).body.response).toEqual({ success: true });
    expect((await partner.call('GET', `${path}/${storeKey}`)).code).toBe(404);
    expect((await partner.call('DELETE', `${path}/${storeKey}`)).code).toBe(404);
  });
});

describe('permissions', () => {
  test('the list is paginated and contains finders of the partner', async () => {
    const finders: { id: number; storeKey: string }[] = [];
    for (const name of ['A', 'B', 'C']) finders.push(await addFinder(partner, { name }));
    await addFinder(stranger);
    const { response } = (await partner.call('GET', `${path}?offset=1&max=1`)).body;
    expect(response).toMatchObject({ offset: 1, max: 1, count: 3, storeFinders: [finders[1]] });
    const behind = (await partner.call('GET', `${path}?after=${finders[0]?.id}`)).body.response;
    expect(behind.storeFinders).toEqual(finders.slice(1));
  });

  test('only administrators and account managers have access', async () => {
    const { storeKey } = await addFinder(partner);
    for (const role of ['ADMIN', 'ACCOUNT_MANAGER'] as const) {
      const user = await addUser(api, partner, { role });
      expect((await user.call('PATCH', `${path}/${storeKey}`, { name: role })).code).toBe(200);
    }
    const manager = await addUser(api, partner, { role: 'BUSINESS_MANAGER' });
    for (const [method, at, body] of [
      ['GET', path],
      ['POST', path, { name: 'A' }],
      ['GET', `${path}/${storeKey}`],
      ['PATCH', `${path}/${storeKey}`, { name: 'A' }],
      ['DELETE', `${path}/${storeKey}`],
    ] as const) {
      expect((await manager.call(method, at, body)).code).toBe(403);
    }
  });

  test('public keys and other partners have no access', async () => {
    const { storeKey } = await addFinder(partner);
    const { publicKey } = partner.partner;
    expect((await api.call('GET', `${path}?publicKey=${publicKey}`)).code).toBe(401);
    expect((await api.call('DELETE', `${path}/${storeKey}`, undefined, { publicKey })).code).toBe(401);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'A' }], ['DELETE']] as const) {
      expect((await stranger.call(method, `${path}/${storeKey}`, body)).code).toBe(404);
    }
  });

  test('records changes in the audit trail without the map key', async () => {
    const { storeKey } = await addFinder(partner, { mapApiKey: 'map-key-2' });
    await partner.call('PATCH', `${path}/${storeKey}`, { mapApiKey: 'map-key-3' });
    await partner.call('DELETE', `${path}/${storeKey}`);
    const { body } = await partner.call('GET', '/api/audit-trail?subject=STORE_FINDER');
    const text = JSON.stringify(body);
    for (const action of ['CREATED', 'CHANGED', 'DELETED']) expect(text).toContain(action);
    expect(text).not.toContain('map-key');
  });
});
