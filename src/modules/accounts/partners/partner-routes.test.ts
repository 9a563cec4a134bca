import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser } from '../../../../test/support/users.ts';
import { newestVersion } from '../../../api/versions/timeline.ts';
import { Sealer } from '../../../events/signing/sealer.ts';

const path = '/api/sales-partners';
let api: TestApi;
let parent: TestPartner;
let child: TestPartner;
let grandchild: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  parent = await api.addPartner();
  child = await api.addPartner(parent);
  grandchild = await api.addPartner(child);
  stranger = await api.addPartner();
});
afterAll(() => api.close());

const at = ({ partner }: TestPartner) => `${path}/${partner.id}`;
const read = async (who: TestPartner) => (await who.call('GET', at(who))).body.response;

describe('access', () => {
  test('a partner can access itself and its descendants', async () => {
    for (const below of [parent, child, grandchild]) {
      expect(await parent.call('GET', at(below))).toMatchObject({
        code: 200,
        body: { response: { id: below.partner.id, identifier: below.partner.identifier } },
      });
    }
  });

  test('users who do not manage the account can access only their own partner', async () => {
    const users = [
      await addUser(api, parent, { role: 'BUSINESS_MANAGER' }),
      await addUser(api, parent, { role: 'LOCATION_MANAGER', features: [] }),
      await addUser(api, parent, { role: 'ACCOUNT_MANAGER', features: [] }),
    ];
    for (const { call } of users) {
      const { salesPartners, count } = (await call('GET', path)).body.response;
      expect({ count, ids: salesPartners.map(({ id }: { id: number }) => id) }).toEqual({
        count: 1,
        ids: [parent.partner.id],
      });
      expect((await call('GET', at(parent))).code).toBe(200);
      expect((await call('GET', at(child))).code).toBe(404);
    }
    const [, without] = users;
    expect((await without?.call('GET', '/api/product-plans'))?.code).toBe(403);
    const manager = await addUser(api, parent, { role: 'ACCOUNT_MANAGER' });
    expect((await manager.call('GET', path)).body.response.count).toBe(3);
    expect((await manager.call('GET', '/api/product-plans')).code).toBe(200);
  });

  test('other partners are not found', async () => {
    const stands = await read(parent);
    const refused = [
      await child.call('GET', at(parent)),
      await stranger.call('GET', at(parent)),
      await child.call('PUT', at(parent), { name: 'Mine now' }),
      await stranger.call('POST', `${at(parent)}/rotate-private-key`, { overlapHours: 0 }),
      await stranger.call('GET', `${path}/999999`),
    ];
    for (const response of refused) expect(response).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    expect(await read(parent)).toEqual(stands);
  });

  test('lists itself and its descendants, page by page', async () => {
    const ids = (response: { body: { response: { salesPartners: { id: number }[] } } }) =>
      response.body.response.salesPartners.map(({ id }) => id);
    const all = await parent.call('GET', path);
    expect(all.body.response).toMatchObject({ offset: 0, max: 50, count: 3 });
    expect(ids(all)).toEqual([parent, child, grandchild].map(({ partner }) => partner.id));
    expect(ids(await parent.call('GET', `${path}?offset=1&max=1`))).toEqual([child.partner.id]);
    expect(ids(await parent.call('GET', `${path}?after=${child.partner.id}`))).toEqual([grandchild.partner.id]);
    expect(ids(await grandchild.call('GET', path))).toEqual([grandchild.partner.id]);
  });
});

test('responses contain no private key', async () => {
  const { body } = await parent.call('GET', at(parent));
  expect(Object.keys(body.response).sort()).toEqual([
    'apiVersion',
    'dateCreated',
    'id',
    'identifier',
    'lastUpdated',
    'name',
    'publicKey',
    'status',
  ]);
  expect((await child.call('GET', at(child))).body.response.parent).toBe(parent.partner.id);
});

describe('creating a child partner', () => {
  test('returns its private key once', async () => {
    const created = await parent.call('POST', path, { identifier: 'new-child', name: 'New child' });
    expect(created).toMatchObject({
      code: 200,
      body: { response: { identifier: 'new-child', parent: parent.partner.id, apiVersion: newestVersion } },
    });
    const { id, privateKey } = created.body.response;
    const seen = await api.call('GET', `${path}/${id}`, undefined, { privateKey });
    expect(seen.body.response).not.toHaveProperty('privateKey');
    expect(seen.code).toBe(200);
  });

  test("the parent's key reads records of its first child before the key cache expires", async () => {
    const first = await api.addPartner();
    const labels = async (query = '') => (await first.call('GET', `/api/labels${query}`)).body.response.labels;
    expect(await labels()).toEqual([]);
    const created = await first.call('POST', path, { identifier: 'first-child', name: 'Child' });
    const { privateKey } = created.body.response;
    await api.call('POST', '/api/labels', { name: 'Theirs' }, { privateKey });
    // Before the cached key expires, after 5 s.
    const beforeExpiry = { timeout: 3000 };
    await expect.poll(() => labels('?includeChildren=true'), beforeExpiry).toMatchObject([{ name: 'Theirs' }]);
  });

  test('an identifier is unique, even for concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => parent.call('POST', path, { identifier: 'raced', name: 'Raced' })),
    );
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(responses.find(({ code }) => code === 409)?.body).toMatchObject({
      status: 'CONFLICT',
      errorCode: 'IDENTIFIER_NOT_UNIQUE',
      message: expect.stringContaining('raced'),
    });
  });

  test.each([
    [{ identifier: 'x y', name: 'N' }, 'identifier'],
    [{ identifier: 'x'.repeat(101), name: 'N' }, 'identifier'],
    [{ identifier: 'fine', name: '   ' }, 'name'],
    [{ identifier: 'fine', name: 'N'.repeat(201) }, 'name'],
  ])('rejects %j', async (body, field) => {
    expect(await parent.call('POST', path, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });
});

describe('changing', () => {
  test('changes only the given fields', async () => {
    const before = await read(stranger);
    const response = await stranger.call('PUT', at(stranger), { name: 'Renamed', apiVersion: '_20230407' });
    expect(response).toMatchObject({ code: 200 });
    expect(await read(stranger)).toEqual({
      ...before,
      name: 'Renamed',
      apiVersion: '20230407',
      lastUpdated: expect.any(String),
    });
  });

  test.each([{}, { name: 'Unchanged' }])('keeps lastUpdated if nothing differs: %j', async (body) => {
    await stranger.call('PUT', at(stranger), { name: 'Unchanged' });
    const before = await read(stranger);
    expect((await stranger.call('PUT', at(stranger), body)).body.response).toEqual(before);
    expect(await read(stranger)).toEqual(before);
  });

  test.each([
    { pushUrl: 'https://example.com/hook' },
    { subscribedWebhookEventTypes: ['LOCATION_CREATED'] },
    { name: 'Other', pushUrl: null, subscribedWebhookEventTypes: [] },
  ])('rejects the removed webhook fields: %j', async (body) => {
    const before = await read(stranger);
    const response = await stranger.call('PUT', at(stranger), body);
    expect(response).toMatchObject({ code: 400, body: { status: 'INVALID_PARAMETER' } });
    expect(response.body.message).toContain('POST /api/sales-partners/webhooks');
    expect(response.body.errors.map(({ field }: { field: string }) => field)).toEqual(
      Object.keys(body).filter((field) => field !== 'name'),
    );
    expect(await read(stranger)).toEqual(before);
  });

  test.each([
    [{ name: '' }, 'INVALID_PARAMETER', 'name'],
    [{ identifier: null }, 'INVALID_PARAMETER', 'identifier'],
    [{ apiVersion: 'newest' }, 'INVALID_PARAMETER', 'apiVersion'],
    [{ apiVersion: 20230407 }, 'WRONG_PARAMETER_TYPE', 'apiVersion'],
  ])('rejects %j and changes nothing', async (body, status, field) => {
    const before = await read(stranger);
    expect(await stranger.call('PUT', at(stranger), body)).toMatchObject({
      code: 400,
      body: { status, errors: [{ field }] },
    });
    expect(await read(stranger)).toEqual(before);
  });

  test('rejects the identifier of another partner', async () => {
    const response = await stranger.call('PUT', at(stranger), { identifier: parent.partner.identifier });
    expect(response).toMatchObject({
      code: 409,
      body: { errorCode: 'IDENTIFIER_NOT_UNIQUE', errors: [{ field: 'identifier', rule: 'unique' }] },
    });
  });
});

describe('rotating the private key', () => {
  const rotate = (who: TestPartner, body?: object) => who.call('POST', `${at(who)}/rotate-private-key`, body);
  const codeWith = async (privateKey: string) =>
    (await api.call('GET', '/api/event-types', undefined, { privateKey })).code;

  const validKeys = async (who: TestPartner): Promise<string[]> => {
    const { rows } = await api.database.pool.query<{ sealed: Buffer }>(
      'select sealed from partner_keys where partner_id = $1 and (expires_at is null or expires_at > now()) order by id',
      [who.partner.id],
    );
    return rows.map(({ sealed }) => api.services.sealer.open(sealed));
  };

  test('both keys are valid and the old key signs until the overlap ends', async () => {
    const who = await api.addPartner();
    const before = Date.now();
    const { code, body } = await rotate(who, { overlapHours: 2 });
    const { privateKey, signsFrom, previousKeyValidUntil } = body.response;
    expect(code).toBe(200);
    expect(await codeWith(who.privateKey)).toBe(200);
    expect(await codeWith(privateKey)).toBe(200);
    expect(await validKeys(who)).toEqual([who.privateKey, privateKey]);
    expect(signsFrom).toBe(previousKeyValidUntil);
    expect(Date.parse(signsFrom) - before).toBeGreaterThan(2 * 3_600_000 - 5000);
    await api.database.pool.query(
      "update partner_keys set expires_at = now() - interval '1 s' where expires_at > now()",
    );
    await who.call('PUT', at(who), { name: 'Makes keys be looked up again' }, { privateKey });
    expect(await codeWith(who.privateKey)).toBe(401);
    expect(await codeWith(privateKey)).toBe(200);
  });

  test('uses the configured overlap by default', async () => {
    const who = await api.addPartner();
    const { body } = await rotate(who);
    const hours = (Date.parse(body.response.signsFrom) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
  });

  test('overlap 0 switches immediately', async () => {
    const who = await api.addPartner();
    const { body } = await rotate(who, { overlapHours: 0 });
    expect(await codeWith(who.privateKey)).toBe(401);
    expect(await codeWith(body.response.privateKey)).toBe(200);
    expect(Date.parse(body.response.signsFrom)).toBeLessThanOrEqual(Date.now());
  });

  test('rejects a rotation during an overlap unless overlapHours is 0', async () => {
    const who = await api.addPartner();
    const first = (await rotate(who, { overlapHours: 1 })).body.response.privateKey;
    expect(await rotate(who, { overlapHours: 1 })).toMatchObject({
      code: 409,
      body: { status: 'CONFLICT', message: expect.stringContaining('set overlapHours to 0') },
    });
    expect(await validKeys(who)).toEqual([who.privateKey, first]);
    const last = (await rotate(who, { overlapHours: 0 })).body.response.privateKey;
    expect(await validKeys(who)).toEqual([last]);
  });

  test('concurrent rotations issue one new key', async () => {
    const who = await api.addPartner();
    const responses = await Promise.all(Array.from({ length: 5 }, () => rotate(who, { overlapHours: 1 })));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await validKeys(who)).toHaveLength(2);
  });

  test("workers reload the keys of the partner's webhooks", async () => {
    const who = await api.addPartner();
    const webhook = { pushUrl: 'http://127.0.0.1:9/', type: 'LOCATION_CREATED' };
    const { id } = (await who.call('POST', `${path}/webhooks`, webhook)).body.response;
    const revision = async () =>
      (await api.database.pool.query('select revision from webhooks where id = $1', [id])).rows[0].revision;
    const before = await revision();
    await rotate(who);
    expect(await revision()).toBe(before + 1);
  });

  test.each([-1, 721, '24', true])('rejects an overlap of %j hours', async (overlapHours) => {
    expect(await rotate(parent, { overlapHours })).toMatchObject({ code: 400 });
    expect(await validKeys(parent)).toEqual([parent.privateKey]);
  });

  test('stores keys encrypted', async () => {
    const { rows } = await api.database.pool.query<{ sealed: Buffer; hash: Buffer }>(
      'select sealed, hash from partner_keys where partner_id = $1',
      [parent.partner.id],
    );
    const kept = rows.map(({ sealed, hash }) => sealed.toString('latin1') + hash.toString('latin1')).join();
    expect(kept).not.toContain(parent.privateKey);
    expect(() => new Sealer(Buffer.alloc(32)).open(rows[0]?.sealed as Buffer)).toThrow();
  });
});
