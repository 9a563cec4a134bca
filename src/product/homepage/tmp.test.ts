import { test } from 'vitest';
import { HomeScene } from '../../../test/support/homepage.ts';
import { addBusiness } from '../../../test/support/places.ts';
import { refreshHomepage } from './refresh-homepage.ts';
test('x', { timeout: 580_000 }, async () => {
  const scene = await HomeScene.open();
  const partner = await scene.api.addPartner();
  const p = partner.partner.id;
  const b = (await addBusiness(partner)).id;
  const log = (...a: unknown[]) => console.log(...a);
  let t = Date.now();
  const lap = (n: string) => { log(n, Date.now() - t); t = Date.now(); };
  await scene.query(`insert into locations (partner_id, business_id, source, status, name, street, city, country, zip, phone, categories, profile, profile_completeness, last_sync_started, visibility_index, ratings_count, ratings_sum)
    select $1, $2, 'API', 'ACTIVE', 'L ' || n, 'S', 'C', 'DE', '50823', '+49', '{1}', jsonb_build_object('descriptionLong', repeat('x', 300)), n % 101, now(), n % 101, n % 7, (n % 7) * (n % 5) from generate_series(1, 50000) n`, [p, b]);
  lap('locations');
  await scene.query(`insert into listings (partner_id, location_id, directory_type, connect_status, sync_status, external_id)
    select $1, id, d, 'CONNECTED', 'IN_SYNC', 'x' || id from locations, unnest(array['GOOGLE','FACEBOOK','YELP','BING']) d where partner_id = $1`, [p]);
  lap('listings');
  await scene.query(`insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, rating, author, action_date, thread_action_date, fingerprint)
    select $1, $2, location_id, id, directory_type, 'd' || n, 'REVIEW', 4, 'A', now() - interval '3 days', now() - interval '3 days', '' from listings, generate_series(1,5) n where partner_id = $1 and directory_type = 'GOOGLE'`, [p, b]);
  lap('datapoints');
  await scene.query('analyze');
  lap('analyze');
  let n = 0; let some = 1;
  while (some > 0) { some = await refreshHomepage(scene.api.database, p, new Date()); n += some; if (Date.now() - t > 300_000) break; }
  lap(`refreshed ${n}`);
  log(await scene.query('select count(*) from home_waiting where partner_id = $1', [p]));
  await scene.query('analyze');
  t = Date.now();
  for (const path of ['/api/home/tasks', '/api/home/tasks/locations?type=LOCATION_ADD_PHOTOS', '/api/home/tasks/locations?type=LOCATION_ADD_PHOTOS&page=900', '/api/home/locations/ranks', '/api/home/locations/ranks?page=900','/api/home/locations/ranks?order=WORST_FIRST&rankBy=AVERAGE_RATING', `/api/home/locations/ranks?businessIds=${b}`, '/api/home/locations/score', '/api/home/locations/score?page=900', '/api/home/suggestions', '/api/home/key-metrics', '/api/home/tasks?textFilter=L', '/api/home/locations/score?textFilter=L', '/api/home/key-metrics?textFilter=L']) {
    for (let k = 0; k < 3; k++) {
      t = Date.now();
      const a = await partner.call('GET', path);
      if (k === 2) lap(`${path} ${a.code} ${JSON.stringify(a.body).slice(0, 160)}`);
    }
  }
  await scene.query('update datapoints set read = true where location_id = (select min(id) from locations where partner_id = $1)', [p]);
  t = Date.now();
  await partner.call('GET', '/api/home/tasks');
  lap('after a change');
  await scene.close();
});
