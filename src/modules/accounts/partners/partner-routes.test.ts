import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser } from '../../../../test/support/users.ts';
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

describe('who reaches whom', () => {
  test('a partner reaches itself and everyone below', async () => {
    for (const below of [parent, child, grandchild]) {
      expect(await parent.call('GET', at(below))).toMatchObject({
        code: 200,
        body: { response: { id: below.partner.id, identifier: below.partner.identifier } },
      });
    }
  });

  test('users who do not run the account reach their own partner only', async () => {
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

  test('others do not exist for it', async () => {
    const stands = await read(parent);
    const refused = [
      await child.call('GET', at(parent)),
      await stranger.call('GET', at(parent)),
      await child.call('PUT', at(parent), { name: 'Mine now' }),
      await stranger.call('POST', `${at(parent)}/rotate-private-key`, { overlapHours: 0 }),
      await stranger.call('GET', `${path}/999999`),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    expect(await read(parent)).toEqual(stands);
  });

  test('a list holds itself and everyone below, in pages', async () => {
    const ids = (answer: { body: { response: { salesPartners: { id: number }[] } } }) =>
      answer.body.response.salesPartners.map(({ id }) => id);
    const all = await parent.call('GET', path);
    expect(all.body.response).toMatchObject({ offset: 0, max: 50, count: 3 });
    expect(ids(all)).toEqual([parent, child, grandchild].map(({ partner }) => partner.id));
    expect(ids(await parent.call('GET', `${path}?offset=1&max=1`))).toEqual([child.partner.id]);
    expect(ids(await parent.call('GET', `${path}?after=${child.partner.id}`))).toEqual([grandchild.partner.id]);
    expect(ids(await grandchild.call('GET', path))).toEqual([grandchild.partner.id]);
  });
});

test('an answer shows no private key and no trace of one', async () => {
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

describe('creating a child', () => {
  test('it comes with a key of its own, shown once', async () => {
    const created = await parent.call('POST', path, { identifier: 'new-child', name: 'New child' });
    expect(created).toMatchObject({
      code: 200,
      body: { response: { identifier: 'new-child', parent: parent.partner.id, apiVersion: '20260713' } },
    });
    const { id, privateKey } = created.body.response;
    const seen = await api.call('GET', `${path}/${id}`, undefined, { privateKey });
    expect(seen.body.response).not.toHaveProperty('privateKey');
    expect(seen.code).toBe(200);
  });

  test('an identifier is taken once, also by requests that race', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => parent.call('POST', path, { identifier: 'raced', name: 'Raced' })),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ code }) => code === 409)?.body).toMatchObject({
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
  ])('%j is refused', async (body, field) => {
    expect(await parent.call('POST', path, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });
});

describe('changing', () => {
  test('what is given changes, the rest stays', async () => {
    const before = await read(stranger);
    const answer = await stranger.call('PUT', at(stranger), { name: 'Renamed', apiVersion: '_20230407' });
    expect(answer).toMatchObject({ code: 200 });
    expect(await read(stranger)).toEqual({
      ...before,
      name: 'Renamed',
      apiVersion: '20230407',
      lastUpdated: expect.any(String),
    });
  });

  test.each([
    { pushUrl: 'https://example.com/hook' },
    { subscribedWebhookEventTypes: ['LOCATION_CREATED'] },
    { name: 'Other', pushUrl: null, subscribedWebhookEventTypes: [] },
  ])('the old way to configure webhooks is refused and changes nothing: %j', async (body) => {
    const before = await read(stranger);
    const answer = await stranger.call('PUT', at(stranger), body);
    expect(answer).toMatchObject({ code: 400, body: { status: 'INVALID_PARAMETER' } });
    expect(answer.body.message).toContain('POST /api/sales-partners/webhooks');
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(
      Object.keys(body).filter((field) => field !== 'name'),
    );
    expect(await read(stranger)).toEqual(before);
  });

  test.each([
    [{ name: '' }, 'INVALID_PARAMETER', 'name'],
    [{ identifier: null }, 'INVALID_PARAMETER', 'identifier'],
    [{ apiVersion: 'newest' }, 'INVALID_PARAMETER', 'apiVersion'],
    [{ apiVersion: 20230407 }, 'WRONG_PARAMETER_TYPE', 'apiVersion'],
  ])('%j is refused and changes nothing', async (body, status, field) => {
    const before = await read(stranger);
    expect(await stranger.call('PUT', at(stranger), body)).toMatchObject({
      code: 400,
      body: { status, errors: [{ field }] },
    });
    expect(await read(stranger)).toEqual(before);
  });

  test('an identifier of another partner cannot be taken', async () => {
    const answer = await stranger.call('PUT', at(stranger), { identifier: parent.partner.identifier });
    expect(answer).toMatchObject({ code: 409, body: { errorCode: 'IDENTIFIER_NOT_UNIQUE' } });
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

  test('both keys are valid until the overlap ends, and the old one signs until then', async () => {
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

  test('without a number the overlap is that of the configuration', async () => {
    const who = await api.addPartner();
    const { body } = await rotate(who);
    const hours = (Date.parse(body.response.signsFrom) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
  });

  test('overlap 0 switches at once', async () => {
    const who = await api.addPartner();
    const { body } = await rotate(who, { overlapHours: 0 });
    expect(await codeWith(who.privateKey)).toBe(401);
    expect(await codeWith(body.response.privateKey)).toBe(200);
    expect(Date.parse(body.response.signsFrom)).toBeLessThanOrEqual(Date.now());
  });

  test('a rotation under way must end before the next, or be ended', async () => {
    const who = await api.addPartner();
    const first = (await rotate(who, { overlapHours: 1 })).body.response.privateKey;
    expect(await rotate(who, { overlapHours: 1 })).toMatchObject({
      code: 409,
      body: { status: 'CONFLICT', message: expect.stringContaining('overlapHours 0') },
    });
    expect(await validKeys(who)).toEqual([who.privateKey, first]);
    const last = (await rotate(who, { overlapHours: 0 })).body.response.privateKey;
    expect(await validKeys(who)).toEqual([last]);
  });

  test('rotations that race leave one new key', async () => {
    const who = await api.addPartner();
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(who, { overlapHours: 1 })));
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await validKeys(who)).toHaveLength(2);
  });

  test("senders are told to load the keys of the partner's webhooks again", async () => {
    const who = await api.addPartner();
    const webhook = { pushUrl: 'http://127.0.0.1:9/', type: 'LOCATION_CREATED' };
    const { id } = (await who.call('POST', `${path}/webhooks`, webhook)).body.response;
    const revision = async () =>
      (await api.database.pool.query('select revision from webhooks where id = $1', [id])).rows[0].revision;
    const before = await revision();
    await rotate(who);
    expect(await revision()).toBe(before + 1);
  });

  test.each([-1, 721, '24', true])('an overlap of %j hours is refused', async (overlapHours) => {
    expect(await rotate(parent, { overlapHours })).toMatchObject({ code: 400 });
    expect(await validKeys(parent)).toEqual([parent.privateKey]);
  });

  test('keys are sealed in the database', async () => {
    const { rows } = await api.database.pool.query<{ sealed: Buffer; hash: Buffer }>(
      'select sealed, hash from partner_keys where partner_id = $1',
      [parent.partner.id],
    );
    const kept = rows.map(({ sealed, hash }) => sealed.toString('latin1') + hash.toString('latin1')).join();
    expect(kept).not.toContain(parent.privateKey);
    expect(() => new Sealer(Buffer.alloc(32)).open(rows[0]?.sealed as Buffer)).toThrow();
  });
});
