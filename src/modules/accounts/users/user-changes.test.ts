import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser, signIn, type TestUser } from '../../../../test/support/users.ts';
import { defaultFeatures } from './user.ts';

const path = '/api/users';
const password = 'correct horse battery';
let api: TestApi;
let partner: TestPartner;
let admin: TestUser;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  admin = await addUser(api, partner, { role: 'ADMIN', email: 'admin@example.com', password });
});
afterAll(() => api.close());

const at = ({ user }: TestUser) => `${path}/${user.id}`;
const read = async (who: TestUser) => (await partner.call('GET', at(who))).body.response;

test('changes only the given fields; null restores the defaults of the role', async () => {
  const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  const before = await read(them);
  const change = { features: ['INBOX_READ'], featuresDetailed: { LOCATION_WRITE: ['MEDIA'] }, name: 'Bo' };
  expect(await admin.call('PATCH', at(them), change)).toMatchObject({ code: 200 });
  expect(await read(them)).toMatchObject({ features: ['INBOX_READ'], featuresDetailed: {}, name: 'Bo' });
  expect(await admin.call('PUT', at(them), { features: null })).toMatchObject({
    code: 200,
    body: {
      response: { features: defaultFeatures.LOCATION_MANAGER, featuresDetailed: { LOCATION_WRITE: ['MEDIA'] } },
    },
  });
  await admin.call('PATCH', at(them), { featuresDetailed: '', name: '' });
  expect(await read(them)).toEqual({ ...before, lastUpdated: expect.any(String) });
});

test.each(['PATCH', 'PUT'] as const)('a response sent back by %s changes nothing', async (method) => {
  for (const feature of ['INBOX_READ', 'LOCATION_WRITE'] as const) {
    const them = await addUser(api, partner, { role: 'LOCATION_MANAGER', features: [feature] });
    await admin.call('PATCH', at(them), { featuresDetailed: { LOCATION_WRITE: ['MEDIA'] } });
    const before = await read(them);
    expect(await admin.call(method, at(them), before)).toMatchObject({ code: 200 });
    expect(await read(them)).toEqual({ ...before, lastUpdated: expect.any(String) });
    await admin.call('PATCH', at(them), { features: ['LOCATION_WRITE'] });
    expect(await read(them)).toMatchObject({ featuresDetailed: { LOCATION_WRITE: ['MEDIA'] } });
  }
});

test('a change applies from the next request on', async () => {
  const them = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
  expect(await them.call('GET', path)).toMatchObject({ code: 403 });
  await admin.call('PATCH', at(them), { role: 'ADMIN' });
  expect(await them.call('GET', path)).toMatchObject({ code: 200 });
  await admin.call('PATCH', at(them), { role: 'LOCATION_MANAGER' });
  expect(await them.call('GET', path)).toMatchObject({ code: 403 });
  await admin.call('PATCH', at(them), { status: 'INACTIVE' });
  expect(await them.call('GET', at(them))).toMatchObject({ code: 401, body: { status: 'BAD_ACCESS_TOKEN' } });
  await admin.call('PATCH', at(them), { status: 'ACTIVE' });
  expect(await them.call('GET', at(them))).toMatchObject({ code: 401 });
});

test('concurrent changes of different fields are both kept', async () => {
  const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  await Promise.all([
    partner.call('PATCH', at(them), { name: 'Both' }),
    partner.call('PATCH', at(them), { language: 'fr' }),
    partner.call('PATCH', at(them), { features: ['INBOX_READ'] }),
  ]);
  expect(await read(them)).toMatchObject({ name: 'Both', language: 'fr', features: ['INBOX_READ'] });
});

test.each([
  [{}, 'MISSING_PARAMETER'],
  [{ currentPassword: password }, 'MISSING_PARAMETER'],
  [{ role: null }, 'INVALID_PARAMETER'],
  [{ email: '' }, 'INVALID_PARAMETER'],
  [{ password: null }, 'INVALID_PARAMETER'],
  [{ locationIds: [999_999] }, 'INVALID_PARAMETER'],
])('rejects %j and changes nothing', async (body, status) => {
  const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  const before = await read(them);
  expect(await admin.call('PATCH', at(them), body)).toMatchObject({ code: 400, body: { status } });
  expect(await read(them)).toEqual(before);
});

test('rejects the e-mail address of another user', async () => {
  const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  expect(await admin.call('PATCH', at(them), { email: 'ADMIN@example.com' })).toMatchObject({ code: 409 });
});

test('the audit log records the change without the password', async () => {
  const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  await admin.call('PATCH', at(them), { role: 'BUSINESS_MANAGER', language: 'en', password: 'a new password 1' });
  await admin.call('PATCH', at(them), { role: 'BUSINESS_MANAGER' });
  await admin.call('DELETE', at(them));
  const { body } = await admin.call(
    'GET',
    `/api/audit-trail?subject=USER&subjectId=${them.user.id}&actor=admin@example.com`,
  );
  expect(body.response.entries).toMatchObject([
    { action: 'DELETED', details: { email: them.user.email, role: 'BUSINESS_MANAGER' } },
    {
      action: 'UPDATED',
      details: { changed: { role: { from: 'LOCATION_MANAGER', to: 'BUSINESS_MANAGER' }, password: 'changed' } },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain('a new password 1');
  expect(JSON.stringify(api.logLines)).not.toContain('a new password 1');
  expect(JSON.stringify(body)).not.toContain('argon2');
});

const logInWith = (email: string, given: string) => api.call('POST', `${path}/login`, { email, password: given });

describe('changing the password', () => {
  const next = 'another long secret';

  test('requires the current password and ends all other sessions', async () => {
    const them = await addUser(api, partner, { role: 'LOCATION_MANAGER', password });
    const other = await signIn(api, them.user.email);
    expect(await other.call('GET', at(them))).toMatchObject({ code: 200 });
    expect(await them.call('PATCH', at(them), { password: next })).toMatchObject({
      code: 400,
      body: { status: 'MISSING_PARAMETER', errors: [{ field: 'currentPassword' }] },
    });
    const wrong = await them.call('PATCH', at(them), { password: next, currentPassword: 'not the password' });
    expect(wrong).toMatchObject({ code: 400, body: { errors: [{ field: 'currentPassword', rule: 'wrong' }] } });
    expect(await logInWith(them.user.email, password)).toMatchObject({ code: 200 });
    const right = await them.call('PATCH', at(them), { password: next, currentPassword: password });
    expect(right.code).toBe(200);
    expect(JSON.stringify(right.body)).not.toMatch(/password|argon2/i);
    expect(await them.call('GET', at(them))).toMatchObject({ code: 200 });
    expect(await other.call('GET', at(them))).toMatchObject({ code: 401 });
    expect(await logInWith(them.user.email, password)).toMatchObject({ code: 401 });
    expect(await logInWith(them.user.email, next)).toMatchObject({ code: 200 });
  });

  test('limits attempts to guess the current password', async () => {
    const them = await addUser(api, partner, { role: 'ADMIN', password });
    const guess = (currentPassword: string) => them.call('PATCH', at(them), { password: next, currentPassword });
    for (let attempts = 0; attempts < 10; attempts++) expect((await guess(`guess ${attempts}`)).code).toBe(400);
    expect(await guess(password)).toMatchObject({ code: 429, headers: expect.any(Headers) });
  });

  test('an administrator or the partner needs no current password; all sessions end', async () => {
    for (const who of [admin, partner]) {
      const them = await addUser(api, partner, { role: 'LOCATION_MANAGER', password });
      expect(await them.call('GET', at(them))).toMatchObject({ code: 200 });
      expect(await who.call('PATCH', at(them), { password: next })).toMatchObject({ code: 200 });
      expect(await them.call('GET', at(them))).toMatchObject({ code: 401 });
    }
  });

  test('a user without a password cannot set the first one', async () => {
    const them = await addUser(api, partner, { role: 'ADMIN' });
    expect(await them.call('PATCH', at(them), { password: next, currentPassword: next })).toMatchObject({ code: 403 });
  });
});

describe('the last administrator', () => {
  const withAdmins = async (count: number) => {
    const who = await api.addPartner();
    const admins: TestUser[] = [];
    while (admins.length < count) admins.push(await addUser(api, who, { role: 'ADMIN' }));
    return { who, admins };
  };

  test('cannot be deleted, deactivated or given another role', async () => {
    const { who, admins } = await withAdmins(1);
    const last = admins[0] as TestUser;
    await addUser(api, who, { role: 'ACCOUNT_MANAGER' });
    for (const by of [who, last]) {
      for (const response of [
        await by.call('DELETE', at(last)),
        await by.call('PATCH', at(last), { status: 'INACTIVE' }),
        await by.call('PATCH', at(last), { role: 'ACCOUNT_MANAGER' }),
      ]) {
        expect(response).toMatchObject({ code: 409, body: { message: expect.stringContaining('last active admin') } });
      }
    }
    expect(await last.call('GET', path)).toMatchObject({ code: 200 });
  });

  test('remains after concurrent requests', async () => {
    const { who, admins } = await withAdmins(4);
    const [first, second, third, fourth] = admins as [TestUser, TestUser, TestUser, TestUser];
    const responses = await Promise.all([
      who.call('DELETE', at(first)),
      who.call('PATCH', at(second), { status: 'INACTIVE' }),
      who.call('PATCH', at(third), { role: 'LOCATION_MANAGER' }),
      who.call('DELETE', at(fourth)),
    ]);
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 200, 200, 409]);
    const { body } = await who.call('GET', `${path}?role=ADMIN&status=ACTIVE`);
    expect(body.response.count).toBe(1);
  });
});
