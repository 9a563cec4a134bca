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

describe('key cache', () => {
  function remembering(find: FindKey) {
    const asked: string[] = [];
    const keys = new KeyCache((key) => {
      asked.push(key);
      return find(key);
    });
    return { keys, asked };
  }

  test('looks a valid key up once in five seconds', async () => {
    const { keys, asked } = remembering(async () => ({ caller, expiresAt: null }));
    await Promise.all([keys.callerBy('good', 0), keys.callerBy('good', 0), keys.callerBy('good', 4999)]);
    expect(asked).toHaveLength(1);
    expect(await keys.callerBy('good', 5001)).toEqual(caller);
    expect(asked).toHaveLength(2);
  });

  test('keeps a key in use while 10,000 others are added', async () => {
    const { keys } = remembering(async () => ({ caller, expiresAt: null }));
    for (let n = 0; n <= 10_000; n += 1) {
      await keys.callerBy('in use', n);
      await keys.callerBy(`other ${n}`, n);
      if (!keys.knows('in use')) expect.fail(`It was forgotten after ${n} others.`);
    }
    expect(keys.knows('other 0')).toBe(false);
  });

  test('rejects a key at its expiry', async () => {
    const { keys } = remembering(async () => ({ caller, expiresAt: new Date(3000) }));
    expect(await keys.callerBy('old', 2999)).toEqual(caller);
    expect(await keys.callerBy('old', 3000)).toBeUndefined();
  });

  test('looks keys up again after an invalidation', async () => {
    let isGood = true;
    const { keys } = remembering(async () => (isGood ? { caller, expiresAt: null } : undefined));
    await keys.callerBy('key', 0);
    isGood = false;
    keys.invalidate();
    expect(keys.knows('key')).toBe(true);
    expect(await keys.callerBy('key', 1)).toBeUndefined();
    expect(keys.knows('key')).toBe(false);
  });

  test('does not cache an invalid key', async () => {
    const { keys, asked } = remembering(async () => undefined);
    expect(await keys.callerBy('wrong', 0)).toBeUndefined();
    expect(keys.knows('wrong')).toBe(false);
    await keys.callerBy('wrong', 1);
    expect(asked).toHaveLength(2);
  });

  test('retries a failed lookup', async () => {
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

  test.each(['wrong', 'x'.repeat(2000), "' or 1=1 --", 'ünïcödé'])('an invalid key: %s', async (privateKey) => {
    const given = Buffer.from(privateKey).toString('latin1');
    expect(await api.call('GET', path, undefined, { privateKey: given })).toMatchObject({
      code: 401,
      body: { status: 'BAD_PRIVATE_KEY' },
    });
  });

  test('a valid key, in either header', async () => {
    for (const name of ['privateKey', 'PRIVATEKEY', 'X-API-KEY']) {
      expect(await api.call('GET', path, undefined, { [name]: partner.privateKey })).toMatchObject({ code: 200 });
    }
  });

  test('a public key is not accepted as a private key', async () => {
    expect(await api.call('GET', path, undefined, { privateKey: partner.partner.publicKey })).toMatchObject({
      code: 401,
    });
  });

  test('rejects a request without a key before parsing its body', async () => {
    expect(await api.call('POST', path, '{broken')).toMatchObject({ code: 401 });
  });

  test('a valid token, in either header', async () => {
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

  test('a token is not accepted as a key, nor a key as a token', async () => {
    expect(await api.call('GET', path, undefined, { privateKey: admin.accessToken })).toMatchObject({ code: 401 });
    expect(await api.call('GET', path, undefined, { accessToken: partner.privateKey })).toMatchObject({ code: 401 });
  });

  test('with a token and a key, the permissions of the user apply', async () => {
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

  test('rejects a user without the permission before validating the body', async () => {
    expect(await manager.call('POST', path, {})).toMatchObject({ code: 403, body: { status: 'FORBIDDEN' } });
  });

  test('changes by a user record their e-mail address', async () => {
    await admin.call('PATCH', `/api/users/${manager.user.id}`, { name: 'Named' });
    const { body } = await partner.call('GET', `/api/audit-trail?subjectId=${manager.user.id}&max=1`);
    expect(body.response.entries[0].actor).toBe(admin.user.email);
  });
});
