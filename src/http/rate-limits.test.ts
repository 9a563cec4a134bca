import { afterEach, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { addUser, signIn } from '../../test/support/users.ts';

const path = '/api/event-types';
let api: TestApi;
afterEach(() => api.close());

test('limits each key separately', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '3' });
  const [busy, idle] = [await api.addPartner(), await api.addPartner()];
  const responses = [];
  for (let request = 0; request < 4; request++) responses.push(await busy.call('GET', path));
  expect(responses.map(({ code }) => code)).toEqual([200, 200, 200, 429]);
  expect(responses.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0']);
  expect(responses[3]?.body).toMatchObject({
    status: 'QUOTA_LIMIT_EXCEED',
    message: expect.stringMatching(/^More than 3 requests /),
  });
  expect(Number(responses[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await idle.call('GET', path)).toMatchObject({ code: 200 });
});

test('limits a user across sessions, separately from other users and the key', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '4' });
  const partner = await api.addPartner();
  const busy = await addUser(api, partner, { role: 'ADMIN' });
  const again = await signIn(api, busy.user.email);
  const idle = await addUser(api, partner, { role: 'ADMIN' });
  const codes = [];
  for (const { call } of [busy, again, busy, again, busy]) codes.push((await call('GET', path)).code);
  expect(codes).toEqual([200, 200, 200, 200, 429]);
  expect(await idle.call('GET', path)).toMatchObject({ code: 200 });
  expect(await partner.call('GET', path)).toMatchObject({ code: 200 });
});

test('limits invalid tokens by address without affecting signed-in users', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '3' });
  const user = await addUser(api, await api.addPartner(), { role: 'ADMIN' });
  expect(await user.call('GET', path)).toMatchObject({ code: 200 });
  const codes = [];
  for (const guess of ['one', 'two', 'three']) {
    codes.push((await api.call('GET', path, undefined, { accessToken: guess })).code);
  }
  expect(codes).toEqual([401, 401, 429]);
  expect(await user.call('GET', path)).toMatchObject({ code: 200 });
});

test('limits requests without a valid key by address without affecting valid keys', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '3' });
  const partner = await api.addPartner();
  expect(await partner.call('GET', path)).toMatchObject({ code: 200 });
  const invalid = [];
  invalid.push(await api.call('GET', path, undefined, { privateKey: 'guess' }));
  invalid.push(await api.call('GET', path));
  invalid.push(await api.call('GET', '/nowhere'));
  invalid.push(await api.call('GET', path, undefined, { privateKey: 'another guess' }));
  expect(invalid.map(({ code }) => code)).toEqual([401, 401, 429, 429]);
  expect(await partner.call('GET', path)).toMatchObject({ code: 200 });
});

test('does not limit health checks', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '1' });
  for (let request = 0; request < 3; request++) {
    expect(await api.call('GET', '/health/live')).toMatchObject({ code: 200 });
  }
});

test('limits documentation pages by address', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '3' });
  const partner = await api.addPartner();
  // The first use of a key also counts for the address.
  await partner.call('GET', '/api/sales-partners');
  for (const path of ['/docs/changes', '/docs/openapi/latest.json']) {
    expect(await partner.call('GET', path)).toMatchObject({ code: 200 });
  }
  expect(await partner.call('GET', '/docs')).toMatchObject({ code: 429 });
});

test('console files have a separate limit, ten times as high', async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '1' });
  const codes: number[] = [];
  for (let request = 0; request < 11; request++) codes.push((await api.call('GET', '/console/x')).code);
  expect(codes.filter((code) => code === 429)).toHaveLength(1);
});
