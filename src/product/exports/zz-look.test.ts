import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addReview, downloadFile } from '../../../test/support/exports.ts';
import { addBusinessRow, addCountedPlace, countDays, dayAfter } from '../../../test/support/figures.ts';
import { runJobs } from '../../../test/support/jobs.ts';

let api: TestApi;
let partner: TestPartner;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'look-'));
  api = await TestApi.start({ WAYPOST_DATA_DIR: dir });
  partner = await api.addPartner();
  await api.database.pool.query(`update sales_partners set name='Bäckerei Lindner Gruppe' where id=$1`, [
    partner.partner.id,
  ]);
  const b = await addBusinessRow(api.database, partner);
  await api.database.pool.query(`update businesses set name='Bäckerei Lindner' where id=$1`, [b]);
  const cities = [
    'Köln',
    'Düsseldorf',
    'Münster',
    'Göttingen',
    'Łódź',
    'Île-de-Bréhat',
    'São Paulo',
    'Zürich',
    'Örebro',
    'Αθήνα',
  ];
  let seed = 7;
  const rnd = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 46; i++) {
    const p = await addCountedPlace(api.database, partner, b, ['GOOGLE', 'FACEBOOK', 'APPLE_MAPS']);
    await api.database.pool.query(
      `update locations set name=$2, identifier=$3, city=$4, street=$5, street_no=$6, zip=$7, profile_completeness=$8, visibility_index=$9, listings_count=$10, listings_in_sync=$11, ratings_count=$12, ratings_sum=$13, data_points_count=$12 where id=$1`,
      [
        p.locationId,
        i === 3
          ? '=HYPERLINK("http://x","Göttingen")'
          : `Bäckerei Lindner ${cities[i % 10]} ${['Nord', 'Süd', 'Mitte', 'Hafen', 'Altstadt'][i % 5]}`,
        `DE-${1000 + i}`,
        cities[i % 10],
        'Venloer Straße',
        String(10 + i),
        '50823',
        55 + Math.floor(rnd() * 45),
        60 + Math.floor(rnd() * 40),
        12,
        6 + Math.floor(rnd() * 6),
        40,
        40 * (3.4 + rnd() * 1.5),
      ],
    );
    const start = '2026-07-01';
    const series = (base: number) =>
      Array.from({ length: 137 }, (_, d) =>
        Math.round(base * (1 + 0.35 * Math.sin((d / 7) * 2 * Math.PI) + d / 300) * (0.8 + rnd() * 0.4)),
      );
    for (const [m, base] of [
      ['BUSINESS_IMPRESSIONS_DESKTOP_MAPS', 20],
      ['BUSINESS_IMPRESSIONS_DESKTOP_SEARCH', 35],
      ['BUSINESS_IMPRESSIONS_MOBILE_MAPS', 60],
      ['BUSINESS_IMPRESSIONS_MOBILE_SEARCH', 80],
      ['CALL_CLICKS', 6],
      ['WEBSITE_CLICKS', 9],
      ['BUSINESS_DIRECTION_REQUESTS', 14],
    ] as const)
      await countDays(api.database, p, m, start, series(base));
    const {
      rows: [fb],
    } = await api.database.pool.query(`select id from listings where location_id=$1 and directory_type='FACEBOOK'`, [
      p.locationId,
    ]);
    for (const [m, base] of [
      ['PAGE_IMPRESSIONS', 40],
      ['PAGE_CONSUMPTIONS', 4],
    ] as const)
      await countDays(api.database, { ...p, listingId: fb.id, directoryType: 'FACEBOOK' }, m, start, series(base));
    for (let r = 0; r < 30; r++)
      await addReview(api, p, {
        day: dayAfter(start, Math.floor(rnd() * 137)),
        rating: [5, 5, 5, 4, 4, 3, 2, 1, 5][Math.floor(rnd() * 9)] ?? 5,
        ...(rnd() < 0.7 && { answeredAfterHours: 1 + rnd() * 60 }),
      });
  }
}, 120_000);
afterAll(() => api.close());

test('look', { timeout: 120_000 }, async () => {
  const span = 'startDate=2026-08-01&endDate=2026-10-31&group=WEEK';
  await writeFile('/tmp/look-dashboard.xlsx', await downloadFile(api, partner, `/api/dashboard/excel-export?${span}`));
  await writeFile(
    '/tmp/look-insights.xlsx',
    await downloadFile(
      api,
      partner,
      `/api/dashboard/export-insights-data?startDate=2026-10-16&endDate=2026-11-14&language=de`,
    ),
  );
  const { body } = await partner.call('POST', '/api/dashboardExports', {
    start: '2026-08-01',
    end: '2026-10-31',
    group: 'WEEK',
    language: 'de',
  });
  console.log(JSON.stringify(body));
  await runJobs(api.database, { env: { WAYPOST_DATA_DIR: dir } });
  console.log(JSON.stringify((await partner.call('GET', '/api/dashboardExports')).body));
  await writeFile(
    '/tmp/look.pdf',
    await downloadFile(api, partner, `/api/dashboardExports/${body.response.id}/download`),
  );
});
