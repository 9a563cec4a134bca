import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { directoryList } from './directory-list.ts';

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

test('lists every directory with its capabilities', async () => {
  const { code, body } = await partner.call('GET', '/api/directories');
  expect(code).toBe(200);
  expect(body.response.count).toBe(directoryList.length);
  expect(body.response.directories).toEqual(JSON.parse(JSON.stringify(directoryList)));
});

test.each(['GOOGLE', 'google', 'TRIP_ADVISOR', 'trip-advisor'])(
  '%s is found by its name in any spelling',
  async (type) => {
    const { code, body } = await partner.call('GET', `/api/directories/${type}`);
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ type: type.toUpperCase().replace('-', '_'), supports: { replies: true } });
  },
);

test('an unknown directory is 404 and the message lists the known ones', async () => {
  const { code, body } = await partner.call('GET', '/api/directories/MYSPACE');
  expect(code).toBe(404);
  expect(body.message).toMatch(/Directory "MYSPACE" not found\. Use one of GOOGLE, /);
});

test('requires a key', async () => {
  expect((await api.call('GET', '/api/directories')).code).toBe(401);
});

test('an installation without the sandbox network has no directories', async () => {
  const alone = await TestApi.start({ WAYPOST_SANDBOX: 'off' });
  const { call } = await alone.addPartner();
  expect((await call('GET', '/api/directories')).body.response).toEqual({ count: 0, directories: [] });
  expect((await call('GET', '/api/directories/GOOGLE')).code).toBe(404);
  await alone.close();
});
