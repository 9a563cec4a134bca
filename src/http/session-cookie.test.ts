import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addUser, type TestUser } from '../../test/support/users.ts';

const password = 'a long enough password';
const ours = { 'x-waypost-console': '1', 'sec-fetch-site': 'same-origin' };

let api: TestApi;
let partner: TestPartner;
let admin: TestUser;

beforeAll(async () => {
  // The test is a trusted proxy, so that it can set the protocol and the client address.
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000', WAYPOST_TRUSTED_PROXY: '127.0.0.1/32' });
  partner = await api.addPartner();
  admin = await addUser(api, partner, { role: 'ADMIN', password });
});
afterAll(() => api?.close());

let visitors = 0;
/** Sign-ins are limited by address. */
const newVisitor = () => ({ 'x-forwarded-for': `198.51.100.${++visitors}` });

const signIn = (headers: Record<string, string> = ours, body: object = {}) =>
  api.call(
    'POST',
    '/api/users/login',
    { email: admin.user.email, password, session: 'cookie', ...body },
    { ...newVisitor(), ...headers },
  );

const cookieOf = (response: { headers: Headers }) => response.headers.get('set-cookie') ?? '';
const pairOf = (response: { headers: Headers }) => cookieOf(response).split(';')[0] ?? '';

const me = (headers: Record<string, string>) => api.call('GET', '/api/users/me', undefined, headers);
const rename = (headers: Record<string, string>) =>
  api.call('PATCH', `/api/users/${admin.user.id}`, { name: 'Renamed' }, headers);

test('a console sign-in returns an HttpOnly cookie and no token', async () => {
  const response = await signIn();
  expect(response.code).toBe(200);
  expect(response.body.response).toMatchObject({ user: { email: admin.user.email }, expires: expect.any(String) });
  expect(response.body.response).not.toHaveProperty('accessToken');
  expect(response.body.response).not.toHaveProperty('access_token');
  expect(cookieOf(response)).toMatch(/^waypost-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(await me({ cookie: pairOf(response) })).toMatchObject({
    code: 200,
    body: { response: { id: admin.user.id } },
  });
});

test('over HTTPS the cookie is Secure and has the prefix __Host-', async () => {
  const https = { 'x-forwarded-proto': 'https' };
  const response = await signIn({ ...ours, ...https });
  expect(cookieOf(response)).toMatch(/^__Host-waypost-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  expect(await me({ cookie: pairOf(response), ...https })).toMatchObject({ code: 200 });
  const copied = pairOf(response).replace('__Host-', '');
  expect(await me({ cookie: copied, ...https })).toMatchObject({ code: 401 });
});

test('programs get a token and no cookie', async () => {
  for (const body of [{ session: undefined }, { session: 'token' }]) {
    const response = await signIn({}, body);
    expect(response.body.response.accessToken).toEqual(expect.any(String));
    expect(response.body.response.access_token).toBe(response.body.response.accessToken);
    expect(cookieOf(response)).toBe('');
  }
});

test('rejects a cross-site sign-in', async () => {
  expect(await signIn({})).toMatchObject({ code: 403, body: { status: 'FORBIDDEN' } });
  const strangers = await signIn({ ...ours, 'sec-fetch-site': 'cross-site' });
  expect(strangers.code).toBe(403);
  expect(cookieOf(strangers)).toBe('');
});

test('a change with the cookie requires the console header', async () => {
  const cookie = pairOf(await signIn());
  expect(await rename({ cookie })).toMatchObject({ code: 401, body: { status: 'NOT_AUTHORIZED' } });
  expect(await rename({ cookie, ...ours })).toMatchObject({ code: 200 });
});

test('ignores the cookie of cross-site requests', async () => {
  const cookie = pairOf(await signIn());
  for (const site of ['cross-site', 'same-site']) {
    expect(await me({ cookie, 'sec-fetch-site': site })).toMatchObject({ code: 401 });
    expect(await rename({ cookie, ...ours, 'sec-fetch-site': site })).toMatchObject({ code: 401 });
  }
  for (const site of ['same-origin', 'none'])
    expect(await me({ cookie, 'sec-fetch-site': site })).toMatchObject({ code: 200 });
});

test('preflight does not allow the console header', async () => {
  const asked = { origin: 'https://elsewhere.example', 'access-control-request-headers': 'x-waypost-console' };
  const response = await api.call('OPTIONS', '/api/users/login', undefined, asked);
  expect(response.headers.get('access-control-allow-headers')).toBeNull();
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

test('a token or key in a header takes precedence over the cookie', async () => {
  const other = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
  const cookie = pairOf(await signIn());
  expect((await me({ cookie, accessToken: other.accessToken })).body.response.id).toBe(other.user.id);
  expect(await me({ cookie, privateKey: partner.privateKey })).toMatchObject({ code: 401 });
  const refused = await me({ cookie, accessToken: 'wrong' });
  expect(refused.code).toBe(401);
  expect(cookieOf(refused)).toBe('');
});

test('signing out ends the session and clears the cookie', async () => {
  const cookie = pairOf(await signIn());
  const response = await api.call('POST', '/api/users/logout', undefined, { cookie, ...ours });
  expect(response).toMatchObject({ code: 200, body: { response: { success: true } } });
  expect(cookieOf(response)).toBe('waypost-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
  expect(await me({ cookie })).toMatchObject({ code: 401, body: { status: 'BAD_ACCESS_TOKEN' } });
});

test('clears the cookie of an expired session', async () => {
  const cookie = pairOf(await signIn());
  await admin.call('DELETE', `/api/users/${admin.user.id}/all-sessions`);
  const response = await me({ cookie });
  expect(response).toMatchObject({ code: 401, body: { status: 'BAD_ACCESS_TOKEN' } });
  expect(cookieOf(response)).toContain('Max-Age=0');
});

test('limits cookie sign-ins to ten per minute and address', async () => {
  const from = newVisitor();
  const codes: number[] = [];
  for (let count = 0; count < 11; count++)
    // A new account each time: the back-off of an account would apply before the limit of the address.
    codes.push((await signIn({ ...ours, ...from }, { email: `unknown-${count}@example.com` })).code);
  expect(codes.slice(0, 10)).toEqual(Array(10).fill(401));
  expect(codes[10]).toBe(429);
});

test('does not log the cookie or its token', async () => {
  const cookie = pairOf(await signIn());
  await me({ cookie });
  await rename({ cookie, ...ours });
  const token = cookie.split('=')[1] ?? '';
  expect(token.length).toBe(43);
  expect(JSON.stringify(api.logLines)).not.toContain(token);
});
