import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { nameServer } from '../../../test/support/loopback-name-server.ts';

const path = '/api/sales-partners/webhooks';
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

const webhooks = async () => (await api.database.pool.query('select * from webhooks order by id')).rows;

const check = async (pushUrl: string) => {
  const { code, body } = await partner.call('POST', `${path}/check-url`, { pushUrl });
  expect(code).toBe(200);
  return body.response;
};

test('check-url reports a usable URL and stores nothing', async () => {
  const before = await webhooks();
  expect(await check('http://127.0.0.1:9/hook')).toEqual({ usable: true });
  expect(await webhooks()).toEqual(before);
});

test('check-url reports an internal name as one that does not exist', async () => {
  await nameServer({ 'db.internal.example': [['10.0.0.7']] });
  const [inside, missing] = [await check('https://db.internal.example/'), await check('https://xx.internal.example/')];
  expect(inside).toEqual({ usable: true, message: expect.stringContaining('has no public address') });
  expect(missing.message).toBe(inside.message.replace('db.', 'xx.'));
  expect({ ...missing, message: '' }).toEqual({ ...inside, message: '' });
});

test('check-url explains each violated rule', async () => {
  expect(await check('https://10.0.0.1/')).toEqual({
    usable: false,
    rule: 'address',
    message: expect.stringContaining('10.0.0.1 is'),
  });
  expect(await check('hook')).toMatchObject({ usable: false, rule: 'syntax' });
  expect(await check('https://user:secret@example.com/')).toMatchObject({ usable: false, rule: 'credentials' });
  expect(await check(`https://example.com/${'x'.repeat(2048)}`)).toMatchObject({ usable: false, rule: 'length' });
});

test('check-url warns about a name that does not resolve yet', async () => {
  const response = await check('https://not-there-yet.invalid/hook');
  expect(response).toEqual({ usable: true, message: expect.stringContaining('not-there-yet.invalid') });
});
