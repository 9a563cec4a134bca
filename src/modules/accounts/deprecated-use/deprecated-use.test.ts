import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser } from '../../../../test/support/users.ts';
import { addUses, deleteOldUses } from './deprecated-use.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api?.close());

const old = (who: TestPartner) => who.call('GET', '/api/data-points?onlyUnread=true&v=20190716');
const listUses = async (who: TestPartner, query = '') =>
  (await who.call('GET', `/api/deprecated-use${query}`)).body.response.uses;

test('counts deprecated fields by version and name', async () => {
  const before = Date.now();
  for (let count = 0; count < 3; count++) expect((await old(partner)).code).toBe(200);
  await partner.call('GET', '/api/data-points');
  const uses = await listUses(partner);
  expect(uses).toEqual([
    { name: 'onlyUnread', version: '20190716', replacedBy: '20191022', count: 3, lastUsed: expect.any(String) },
  ]);
  expect(Date.parse(uses[0].lastUsed)).toBeGreaterThanOrEqual(before);
  await old(partner);
  expect((await listUses(partner))[0].count).toBe(4);
});

test('shows each partner only its own uses', async () => {
  const other = await api.addPartner();
  await old(partner);
  expect(await listUses(other)).toEqual([]);
});

test('ignores uses of a partner that does not exist any more', async () => {
  const use = { name: 'onlyUnread', version: '20190716', replacedBy: '20191022', count: 2, lastUsed: new Date() };
  const fourth = await api.addPartner();
  const partnerIds = [987_654_321, fourth.partner.id];
  await addUses(
    api.database.pool,
    partnerIds.map((partnerId) => ({ ...use, partnerId })),
  );
  expect(await listUses(fourth)).toMatchObject([{ count: 2 }]);
});

test('sums the requested days and deletes uses after 90 days', async () => {
  const third = await api.addPartner();
  await old(third);
  await listUses(third);
  for (const [age, count] of [
    [10, 5],
    [40, 7],
    [100, 11],
  ]) {
    await api.database.pool.query(
      `insert into deprecated_use select partner_id, current_date - $2::int, version, name, replaced_by, $3, now() - make_interval(days => $2)
       from deprecated_use where partner_id = $1 and day = current_date`,
      [third.partner.id, age, count],
    );
  }
  const counts = async (days: number) => (await listUses(third, `?days=${days}`))[0].count;
  expect([await counts(7), await counts(30), await counts(90)]).toEqual([1, 6, 13]);
  expect(await deleteOldUses(api.database.pool)).toBe(1);
  expect(await third.call('GET', '/api/deprecated-use?days=91')).toMatchObject({ code: 400 });
});

test('requires the role ADMIN', async () => {
  const manager = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
  expect(await manager.call('GET', '/api/deprecated-use')).toMatchObject({ code: 403 });
});
