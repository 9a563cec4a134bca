import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser } from '../../../../test/support/users.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api?.close());

const keysOf = (who: Pick<TestPartner, 'call'>, id = partner.partner.id) =>
  who.call('GET', `/api/sales-partners/${id}/private-keys`);

test('lists one signing key without the key itself', async () => {
  const { body } = await keysOf(partner);
  expect(body.response.privateKeys).toEqual([{ id: expect.any(Number), dateCreated: expect.any(String), signs: true }]);
  expect(JSON.stringify(body)).not.toContain(partner.privateKey);
});

test('during an overlap, lists both keys, and the old key signs', async () => {
  const rotated = await partner.call('POST', `/api/sales-partners/${partner.partner.id}/rotate-private-key`, {
    overlapHours: 2,
  });
  const [fresh, old] = (await keysOf(partner)).body.response.privateKeys;
  const { signsFrom, ...lasting } = fresh;
  expect(fresh).toMatchObject({ signs: false, signsFrom: rotated.body.response.signsFrom });
  expect(fresh).not.toHaveProperty('expires');
  expect(old).toMatchObject({
    signs: true,
    signsUntil: rotated.body.response.signsUntil,
    expires: rotated.body.response.previousKeyValidUntil,
  });
  expect(signsFrom).toBe(old.signsUntil);
  await api.database.pool.query("update partner_keys set expires_at = now() - interval '1 s' where id = $1", [old.id]);
  const after = await api.call('GET', `/api/sales-partners/${partner.partner.id}/private-keys`, undefined, {
    privateKey: rotated.body.response.privateKey,
  });
  expect(after.body.response.privateKeys).toEqual([{ ...lasting, signs: true }]);
});

test('ending the overlap makes the new key sign and expires the old key', async () => {
  const own = await api.addPartner();
  const path = `/api/sales-partners/${own.partner.id}`;
  expect(await own.call('POST', `${path}/switch-private-key`)).toMatchObject({ code: 409 });
  const { privateKey } = (await own.call('POST', `${path}/rotate-private-key`, { overlapHours: 2 })).body.response;
  const switched = await api.call('POST', `${path}/switch-private-key`, undefined, { privateKey });
  expect(switched.body.response.privateKeys).toEqual([
    { id: expect.any(Number), dateCreated: expect.any(String), signs: true },
  ]);
  expect((await keysOf(own, own.partner.id)).code).toBe(401);
  expect((await api.call('GET', `${path}/private-keys`, undefined, { privateKey })).code).toBe(200);
});

test('requires ADMIN and finds only keys of the partner and its descendants', async () => {
  const other = await api.addPartner();
  const child = await api.addPartner(other);
  const manager = await addUser(api, other, { role: 'ACCOUNT_MANAGER' });
  expect(await keysOf(manager, other.partner.id)).toMatchObject({ code: 403 });
  expect(await keysOf(other, child.partner.id)).toMatchObject({ code: 200 });
  expect(await keysOf(other, partner.partner.id)).toMatchObject({ code: 404 });
});
