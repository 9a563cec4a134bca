import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addUser, type TestUser } from '../../test/support/users.ts';
import { type FindKey, KeyCache } from './authenticate.ts';

const caller = {
  partnerId: 1,
  partnerIdentifier: 'a',
  apiVersion: '20260713',
  planFeatures: [],
  countedAs: 'key 1',
  by: 'PRIVATE_TOKEN' as const,
};

describe('what is remembered of keys', () => {
  function remembering(find: FindKey) {
    const asked: string[] = [];
    const keys = new KeyCache((key) => {
      asked.push(key);
      return find(key);
    });
    return { keys, asked };
  }

  test('a good key is looked up once in five seconds, however many requests it makes', async () => {
    const { keys, asked } = remembering(async () => ({ caller, expiresAt: null }));
    await Promise.all([keys.callerBy('good', 0), keys.callerBy('good', 0), keys.callerBy('good', 4999)]);
    expect(asked).toHaveLength(1);
    expect(await keys.callerBy('good', 5001)).toEqual(caller);
    expect(asked).toHaveLength(2);
  });

  test('a key in use stays known while ten thousand others come', async () => {
    const { keys } = remembering(async () => ({ caller, expiresAt: null }));
    for (let n = 0; n <= 10_000; n += 1) {
      await keys.callerBy('in use', n);
      await keys.callerBy(`other ${n}`, n);
      if (!keys.knows('in use')) expect.fail(`It was forgotten after ${n} others.`);
    }
    expect(keys.knows('other 0')).toBe(false);
  });

  test('a key that expires stops at that moment', async () => {
    const { keys } = remembering(async () => ({ caller, expiresAt: new Date(3000) }));
    expect(await keys.callerBy('old', 2999)).toEqual(caller);
    expect(await keys.callerBy('old', 3000)).toBeUndefined();
  });

  test('a key that may have changed is looked up again', async () => {
    let isGood = true;
    const { keys } = remembering(async () => (isGood ? { caller, expiresAt: null } : undefined));
    await keys.callerBy('key', 0);
    isGood = false;
    keys.doubt();
    expect(keys.knows('key')).toBe(true);
    expect(await keys.callerBy('key', 1)).toBeUndefined();
    expect(keys.knows('key')).toBe(false);
  });

  test('a wrong key is not remembered', async () => {
    const { keys, asked } = remembering(async () => undefined);
    expect(await keys.callerBy('wrong', 0)).toBeUndefined();
    expect(keys.knows('wrong')).toBe(false);
    await keys.callerBy('wrong', 1);
    expect(asked).toHaveLength(2);
  });

  test('a look-up that failed is tried again', async () => {
    let isAway = true;
    const { keys } = remembering(async () => {
      if (isAway) throw new Error('away');
      return { caller, expiresAt: null };
    });
    await expect(keys.callerBy('good', 0)).rejects.toThrow('away');
    isAway = false;
    expect(await keys.callerBy('good', 1)).toEqual(caller);
  });
});

describe('requests', () => {
  let api: TestApi;
  let partner: TestPartner;
  let admin: TestUser;
  let manager: TestUser;
  const path = '/api/sales-partners/webhooks';

  beforeAll(async () => {
    api = await TestApi.start();
    partner = await api.addPartner();
    admin = await addUser(api, partner, { role: 'ADMIN' });
    manager = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  });
  afterAll(() => api.close());

  test('no key', async () => {
    for (const headers of [{}, { privateKey: '' }, { privateKey: '  ' }]) {
      expect(await api.call('GET', path, undefined, headers)).toMatchObject({
        code: 401,
        body: { status: 'NOT_AUTHORIZED', message: expect.stringContaining('privateKey') },
      });
    }
  });

  test.each(['wrong', 'x'.repeat(2000), "' or 1=1 --", 'ünïcödé'])('a wrong key: %s', async (privateKey) => {
    const given = Buffer.from(privateKey).toString('latin1');
    expect(await api.call('GET', path, undefined, { privateKey: given })).toMatchObject({
      code: 401,
      body: { status: 'BAD_PRIVATE_KEY' },
    });
  });

  test('a good key, under either name', async () => {
    for (const name of ['privateKey', 'PRIVATEKEY', 'X-API-KEY']) {
      expect(await api.call('GET', path, undefined, { [name]: partner.privateKey })).toMatchObject({ code: 200 });
    }
  });

  test('a public key is not a private one', async () => {
    expect(await api.call('GET', path, undefined, { privateKey: partner.partner.publicKey })).toMatchObject({
      code: 401,
    });
  });

  test('without a key a request is refused before its body is looked at', async () => {
    expect(await api.call('POST', path, '{broken')).toMatchObject({ code: 401 });
  });

  test('a good token, under either name', async () => {
    const { accessToken } = admin;
    const ways = [
      { accessToken },
      { ACCESSTOKEN: ` ${accessToken} ` },
      { Authorization: `Bearer ${accessToken}` },
      { authorization: `bearer ${accessToken}` },
      { accessToken: '', authorization: `Bearer ${accessToken}` },
      { accessToken, authorization: 'Basic YTpi' },
    ];
    for (const headers of ways) expect(await api.call('GET', path, undefined, headers)).toMatchObject({ code: 200 });
  });

  test.each([
    { accessToken: 'wrong' },
    { accessToken: 'x'.repeat(2000) },
    { authorization: 'Bearer wrong' },
    { accessToken: "' or 1=1 --" },
  ])('a wrong token: %j', async (headers) => {
    expect(await api.call('GET', path, undefined, headers)).toMatchObject({
      code: 401,
      body: { status: 'BAD_ACCESS_TOKEN' },
    });
  });

  test.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Token abc'])(
    '"Authorization: %s" is no token',
    async (authorization) => {
      expect(await api.call('GET', path, undefined, { authorization })).toMatchObject({
        code: 401,
        body: { status: 'NOT_AUTHORIZED', message: expect.stringContaining('accessToken') },
      });
    },
  );

  test('a token is not a key, and a key not a token', async () => {
    expect(await api.call('GET', path, undefined, { privateKey: admin.accessToken })).toMatchObject({ code: 401 });
    expect(await api.call('GET', path, undefined, { accessToken: partner.privateKey })).toMatchObject({ code: 401 });
  });

  test('with a token and a key the user acts, with no more right than his own', async () => {
    const { accessToken } = manager;
    expect(await partner.call('GET', path, undefined, { accessToken })).toMatchObject({ code: 403 });
    expect(await partner.call('GET', '/api/users/me', undefined, { accessToken })).toMatchObject({
      code: 200,
      body: { response: { id: manager.user.id } },
    });
    expect(await partner.call('GET', path, undefined, { accessToken: 'wrong' })).toMatchObject({
      code: 401,
      body: { status: 'BAD_ACCESS_TOKEN' },
    });
    expect(await admin.call('GET', path, undefined, { privateKey: 'wrong' })).toMatchObject({ code: 200 });
  });

  test('a user without the right is refused before his body is checked', async () => {
    expect(await manager.call('POST', path, {})).toMatchObject({ code: 403, body: { status: 'FORBIDDEN' } });
  });

  test('what a user changes carries his address', async () => {
    await admin.call('PATCH', `/api/users/${manager.user.id}`, { name: 'Named' });
    const { body } = await partner.call('GET', `/api/audit-trail?subjectId=${manager.user.id}&max=1`);
    expect(body.response.entries[0].actor).toBe(admin.user.email);
  });
});
