import { test } from 'vitest';
import { HomeScene } from '../../../test/support/homepage.ts';
import { addBusiness } from '../../../test/support/places.ts';
import { refreshHomepage } from './refresh-homepage.ts';
test('x', { timeout: 280_000 }, async () => {
  const scene = await HomeScene.open();
  const partner = await scene.api.addPartner();
  const p = partner.partner.id;
  const b = (await addBusiness(partner)).id;
  const log = (...a: unknown[]) => console.log(...a);
  let t = Date.now();
  const lap = (n: string) => { log(n, Date.now() - t); t = Date.now(); };
  await scene.query(`insert into locations (partner_id, business_id, source, status, name, street, city, country, zip, phone, categories, profile, profile_completeness, last_sync_started, visibility_index, ratings_count, ratings_sum)
    select $1, $2, 'API', 'ACTIVE', 'L ' || n, 'S', 'C', 'DE', '50823', '+49', '{1}', jsonb_build_object('descriptionLong', repeat('x', 300)), n % 101, now(), n % 101, n % 7, (n % 7) * (n % 5) from generate_series(1, 8000) n`, [p, b]);
  await scene.query(`insert into listings (partner_id, location_id, directory_type, connect_status, sync_status, external_id)
    select $1, id, d, 'CONNECTED', 'IN_SYNC', 'x' || id from locations, unnest(array['GOOGLE','FACEBOOK','YELP','BING']) d where partner_id = $1`, [p]);
  await scene.query(`insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, rating, author, action_date, thread_action_date, fingerprint)
    select $1, $2, location_id, id, directory_type, 'd' || n, 'REVIEW', 4, 'A', now() - interval '3 days', now() - interval '3 days', '' from listings, generate_series(1,5) n where partner_id = $1 and directory_type = 'GOOGLE'`, [p, b]);
  await scene.query('analyze');
  lap('seeded');
  for (let some = 1; some > 0; ) { some = await refreshHomepage(scene.api.database, p, new Date()); lap(`refreshed ${some}`); }
  await scene.query('update locations set ratings_count = ratings_count + 1 where partner_id = $1', [p]);
  lap('changed');
  for (let some = 1; some > 0; ) { some = await refreshHomepage(scene.api.database, p, new Date()); lap(`again ${some}`); }
  await scene.close();
});
