import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../../test/support/api.ts';
import { addBusinessRow, addDailyCounts, addListedLocation } from '../../../../test/support/figures.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { Job } from '../../../jobs/job.ts';
import { figuresJobs } from './dashboard-jobs.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

test('two concurrent folds process each delta once', async () => {
  const { database } = api;
  const partner = await api.addPartner();
  const business = await addBusinessRow(database, partner);
  for (let number = 0; number < 5; number++) {
    const place = await addListedLocation(database, partner, business, ['GOOGLE', 'BING']);
    await addDailyCounts(database, place, 'CALL_CLICKS', '2026-03-01', [10, 1]);
  }
  for (const { name } of figuresJobs) {
    for (let times = 0; times < 2; times++) await new Job(name).enqueue(database.pool, {});
  }
  await Promise.all([runJobs(database), runJobs(database)]);
  const { rows } = await database.pool.query(
    `select (select count(*) from insight_deltas) + (select count(*) from listing_deltas)
         + (select count(*) from location_deltas) as waiting,
       (select json_agg(json_build_array(business_id, total, counts[1], known[2]) order by business_id)
         from insight_figures) as insights,
       (select json_object_agg(business_id || directory_type, listings) from listing_figures) as listings,
       (select json_object_agg(business_id, locations) from location_figures) as locations`,
  );
  expect(rows[0]).toEqual({
    waiting: 0,
    insights: [
      [0, 55, 50, 5],
      [business, 55, 50, 5],
    ],
    listings: { '0GOOGLE': 5, '0BING': 5, [`${business}GOOGLE`]: 5, [`${business}BING`]: 5 },
    locations: { 0: 5, [business]: 5 },
  });
});
