import { expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
test('x', async () => {
  const api = await TestApi.start();
  const partner = await api.addPartner();
  await partner.call('GET', '/api/event-types');
  const blocker = await api.database.pool.connect();
  await blocker.query('begin; lock table webhooks in access exclusive mode');
  console.log(1);
  const underWay = partner.call('GET', '/api/sales-partners/webhooks');
  await expect
    .poll(async () => (await blocker.query("select from pg_locks where not granted and relation = 'webhooks'::regclass")).rowCount)
    .toBe(1);
  console.log(2);
  const t = Date.now();
  const closed = api.server.close().then(() => console.log('closed', Date.now()-t));
  await blocker.query('commit');
  blocker.release();
  console.log(3);
  console.log((await underWay).headers);
  console.log(4);
  await closed;
  console.log(5);
}, 15000);
