import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser, signIn, type TestUser } from '../../../../test/support/users.ts';

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
