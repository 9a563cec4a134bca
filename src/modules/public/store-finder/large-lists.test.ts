import { expect, onTestFinished, test } from 'vitest';
import { TestApi } from '../../../../test/support/api.ts';
import { addFinder, addVisibleLocation } from '../../../../test/support/store-finder.ts';

test('a large list is kept for a minute', async () => {
  const api = await TestApi.start();
  onTestFinished(() => api.close());
  const partner = await api.addPartner();
  const { storeKey } = await addFinder(partner);
  const { id } = await addVisibleLocation(api, partner);
  await api.database.pool.query(
    `insert into locations (partner_id, business_id, status, source, name, street, city, country, categories, profile)
     select partner_id, business_id, status, source, name, street, city, country, categories, profile
     from locations, generate_series(1, 800) where id = $1`,
    [id],
  );
  const path = `/api/store-finders/${storeKey}/locations/all`;
  const nameOf = async (query = '') => {
    const { code, body } = await api.call('GET', `${path}${query}`);
    return code === 200 ? body.response.locations[0].name : code;
  };
  const name = await nameOf();
  await api.database.pool.query('update locations set name = $2 where id = $1', [id, 'Renamed']);
  expect(await nameOf()).toBe(name);
  expect(await nameOf('?v=20210824')).toBe('Renamed');
  const { headers } = await api.call('GET', path);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    etag: expect.any(String),
  });
  // With openNow, also of a kept response.
  for (const query of ['?fieldMask=openNow', '?v=20200101', '?v=20200101'])
    expect((await api.call('GET', path + query)).headers.get('cache-control'), query).toBe('public, max-age=60');
  const unchanged = await fetch(`http://127.0.0.1:${api.port}${path}`, {
    headers: { 'if-none-match': String(headers.get('etag')) },
  });
  expect(unchanged.status).toBe(304);
});
