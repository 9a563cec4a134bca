import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../../../test/support/api.ts';
import {
  addFeedback,
  addFeedbackBusiness,
  addFeedbackLocation,
  type FeedbackLocation,
} from '../../../../../test/support/feedback-rows.ts';
import { daysAfter, type Group } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/location-filter.ts';
import { readReviews } from '../dashboard-jobs.ts';
import {
  feedbackByPeriod,
  feedbackKeywords,
  feedbackTotals,
  responseTimes,
  responseTimesByPeriod,
} from './feedback-figures.ts';
import { beginRollUp, foldDeltas } from './feedback-source.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
const rowsOf = async (text: string, values: unknown[]): Promise<any[]> =>
  (await api.database.pool.query(text, values)).rows;

const span = { from: '2026-01-20', to: '2026-04-10' };
const words = ['bread', 'coffee', 'queue', 'cake', 'terrace'];

/** Expected figures without roll-ups, by the business of the location. */
const counted = `
  datapoints left_there join locations location on location.id = left_there.location_id
  where location.partner_id = $1 and location.status <> 'DELETED' and left_there.status = 'VALID'
    and left_there.action_date >= $2::date and left_there.action_date < $3::date + 1
    and ($4::text[] is null or left_there.directory_type = any ($4))
    and ($5::bigint[] is null or location.business_id = any ($5)) and ($6::bigint[] is null or location.id = any ($6))`;

const valuesOf = (scope: Scope, directories: readonly string[] | undefined) => [
  scope.partnerId,
  span.from,
  span.to,
  directories ?? null,
  scope.kind === 'businesses' ? scope.businessIds : null,
  scope.kind === 'locations' ? scope.locationIds : null,
];

async function compare(scope: Scope, group: Group, directoryTypes: readonly string[] | undefined): Promise<void> {
  const sql = api.database.pool;
  const selection = { scope, span, directoryTypes };
  const values = valuesOf(scope, directoryTypes);

  const [total] = await rowsOf(
    `select count(*) as count, count(rating) as ratings, coalesce(sum(rating), 0)::float8 as sum,
       count(owner_replied_at) as replied, count(*) filter (where not read) as unread from ${counted}`,
    values,
  );
  const totals = await feedbackTotals(sql, selection);
  expect(totals).toMatchObject({
    interactionCount: total.count,
    ratingCount: total.ratings,
    ratingSum: total.sum,
    repliedCount: total.replied,
    unreadInteractionCount: total.unread,
  });
  const stars = await rowsOf(
    `select rating, count(*) as count from ${counted} and rating is not null group by rating order by rating`,
    values,
  );
  expect(totals.countByRating.filter(({ count }) => count > 0)).toEqual(stars);

  const unit = group.toLowerCase();
  const periods = await rowsOf(
    `select to_char(date_trunc('${unit}', action_date), 'YYYY-MM-DD') as period, count(*) as "interactionCount",
       count(rating) as "ratingCount", coalesce(sum(rating), 0)::float8 as "ratingSum"
     from ${counted} group by 1 order by 1`,
    values,
  );
  const byPeriod = await feedbackByPeriod(sql, selection, group);
  expect(byPeriod.filter(({ interactionCount }) => interactionCount > 0)).toEqual(periods);

  const responses = `select case when owner_replied_at is not null
      then extract(epoch from greatest(owner_replied_at - action_date, interval '0')) end as took,
      date_trunc('${unit}', action_date) as period, owner_replied_at from ${counted} and type = 'REVIEW'`;
  const figures = `count(took) as responded, count(*) - count(took) as unresponded, avg(took)::float8 / 3600 as average,
      percentile_cont(0.5) within group (order by took) / 3600 as median,
      percentile_cont(0.9) within group (order by took) / 3600 as p90`;
  const [times] = await rowsOf(`select ${figures} from (${responses}) as reviews`, values);
  nearly(await responseTimes(sql, selection), times);
  const timesByPeriod = await rowsOf(
    `select to_char(period, 'YYYY-MM-DD') as period, ${figures} from (${responses}) as reviews group by period`,
    values,
  );
  const { byPeriod: slices, ...whole } = await responseTimesByPeriod(sql, selection, group);
  nearly(whole, times);
  for (const slice of timesByPeriod) {
    const found = slices.find(({ period }) => period === slice.period);
    if (!found) throw new Error(`There is no ${slice.period}.`);
    nearly(found, slice);
  }
}

/** In hours; times are stored in whole seconds. */
const halfASecond = 0.5 / 3600;

// biome-ignore lint/suspicious/noExplicitAny: a row
function nearly(found: Awaited<ReturnType<typeof responseTimes>>, expected: any): void {
  expect([found.respondedCount, found.unrespondedCount]).toEqual([expected.responded, expected.unresponded]);
  const within = (value: number | null, exact: number | null, part: number) => {
    if (exact === null || value === null) return expect(value).toBe(exact);
    expect(Math.abs(value - exact)).toBeLessThanOrEqual(exact * part + halfASecond);
  };
  within(found.averageHours, expected.average, 0);
  within(found.medianHours, expected.median, 0.01);
  within(found.p90Hours, expected.p90, 0.01);
}

/** Texts are words separated by spaces, in a language without stemming. */
async function compareKeywords(scope: Scope, directoryTypes: readonly string[] | undefined): Promise<void> {
  const values = valuesOf(scope, directoryTypes);
  const read = `select left_there.id, rating, text from ${counted} and type = 'REVIEW' and text is not null`;
  const [{ analysed }] = await rowsOf(`select count(*) as analysed from (${read}) as reviews`, values);
  const expected = await rowsOf(
    `select word as keyword, round(count(*) * 100.0 / $7, 2)::float8 as share, coalesce(sum(rating), 0)::float8 as sum,
       round(avg(rating)::numeric, 2)::float8 as average
     from (${read}) as reviews
     cross join lateral (select distinct word from regexp_split_to_table(text, ' ') as word where word <> '') as said
     group by word order by count(*) desc, word`,
    [...values, analysed],
  );
  const found = await feedbackKeywords(api.database.pool, { scope, span, directoryTypes });
  expect(found.totalFeedbacksAnalyzed).toBe(analysed);
  expect(
    found.keywords.map(({ keyword, percentage, ratingSum, rating }) => ({
      keyword,
      share: percentage.current,
      sum: ratingSum.current,
      average: rating.current,
    })),
  ).toEqual(expected);
}

interface Scene {
  partnerId: number;
  businesses: number[];
  places: FeedbackLocation[];
  datapoints: number[];
}

async function openScene(): Promise<Scene> {
  const { partner } = await api.addPartner();
  const businesses = [
    await addFeedbackBusiness(api.database, partner.id),
    await addFeedbackBusiness(api.database, partner.id),
  ];
  const places: FeedbackLocation[] = [];
  for (const businessId of [...businesses, ...businesses]) {
    places.push(await addFeedbackLocation(api.database, partner.id, businessId));
  }
  return { partnerId: partner.id, businesses, places, datapoints: [] };
}

const at = <Of>(list: readonly Of[], index: number) => list[index % list.length] as Of;
const day = fc.nat({ max: 90 }).map((days) => daysAfter('2026-01-15', days));
const text = fc.option(fc.uniqueArray(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(' ')));
const rating = fc.option(fc.constantFrom(0, 1, 2, 3.5, 4, 5));

type Command = (scene: Scene) => Promise<unknown>;
const change =
  (set: string, ...values: unknown[]) =>
  async (scene: Scene, index: number) => {
    if (scene.datapoints.length === 0) return;
    const id = at(scene.datapoints, index);
    await api.database.pool.query(`update datapoints set ${set} where id = $1`, [id, ...values]);
  };
const index = fc.nat({ max: 1000 });

const adding = fc
  .record({
    place: index,
    at: day,
    directory: fc.constantFrom('GOOGLE', 'FACEBOOK'),
    type: fc.constantFrom('REVIEW', 'REVIEW', 'PHOTO', 'QUESTION'),
    rating,
    text,
    read: fc.boolean(),
    repliedAfter: fc.option(fc.double({ min: 0, max: 2000, noNaN: true })),
  })
  .map(
    ({ place, ...left }): Command =>
      async (scene) => {
        scene.datapoints.push(await addFeedback(api.database, at(scene.places, place), { ...left, language: 'xx' }));
      },
  );

const changing = fc
  .tuple(
    index,
    fc.oneof(
      fc.constant(change('read = not read')),
      fc.constant(change(`status = case status when 'VALID' then 'INVALID' else 'VALID' end`)),
      fc.constant(change('flagged = not flagged')),
      rating.map((value) => change('rating = $2', value)),
      text.map((value) => change('text = $2', value)),
      day.map((value) =>
        change(
          'action_date = $2::timestamptz, thread_action_date = greatest(thread_action_date, $2::timestamptz)',
          value,
        ),
      ),
      fc.constantFrom('REVIEW', 'COMMENT').map((value) => change('type = $2', value)),
      fc
        .option(fc.integer({ min: -50, max: 5000 }))
        .map((hours) => change(`owner_replied_at = action_date + make_interval(hours => $2::integer)`, hours)),
    ),
  )
  .map(
    ([which, apply]): Command =>
      (scene) =>
        apply(scene, which),
  );

const moving = fc.tuple(index, index).map(
  ([place, to]): Command =>
    ({ places, businesses }) =>
      api.database.pool.query('update locations set business_id = $2 where id = $1', [
        at(places, place).locationId,
        at(businesses, to),
      ]),
);
const deleting = index.map(
  (place): Command =>
    ({ places }) =>
      api.database.pool.query(`update locations set status = 'DELETED' where id = $1`, [at(places, place).locationId]),
);
const removing = index.map(
  (which): Command =>
    async (scene) => {
      if (scene.datapoints.length === 0) return;
      const [id] = scene.datapoints.splice(which % scene.datapoints.length, 1);
      await api.database.pool.query('delete from datapoints where id = $1', [id]);
    },
);
const folding = fc.integer({ min: 1, max: 30 }).map(
  (most): Command =>
    () =>
      foldDeltas(api.database.pool, most),
);
const reading = fc.integer({ min: 1, max: 10 }).map(
  (most): Command =>
    () =>
      readReviews(api.database, most),
);
const beginning = index.map(
  (business): Command =>
    ({ businesses }) =>
      api.database.transaction((transaction) => beginRollUp(transaction, at(businesses, business))),
);

const command = fc.oneof(
  { arbitrary: adding, weight: 10 },
  { arbitrary: changing, weight: 10 },
  { arbitrary: moving, weight: 2 },
  { arbitrary: deleting, weight: 1 },
  { arbitrary: removing, weight: 1 },
  { arbitrary: folding, weight: 4 },
  { arbitrary: reading, weight: 4 },
  { arbitrary: beginning, weight: 2 },
);

test('figures equal a full count of the datapoints, folded or not', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 10, maxLength: 45 }),
      fc.constantFrom<Group>('DAY', 'WEEK', 'MONTH', 'YEAR'),
      fc.constantFrom(undefined, ['GOOGLE'], ['FACEBOOK', 'GOOGLE']),
      async (commands, group, directories) => {
        const scene = await openScene();
        for (const apply of commands) await apply(scene);
        const { partnerId, businesses, places } = scene;
        const gone = await rowsOf(`select id from locations where partner_id = $1 and status = 'DELETED'`, [partnerId]);
        const locationIds = places.map((place) => place.locationId).filter((id) => !gone.some((row) => row.id === id));
        const scopes: Scope[] = [
          { kind: 'partner', partnerId },
          { kind: 'businesses', partnerId, businessIds: businesses },
          { kind: 'businesses', partnerId, businessIds: businesses.slice(1) },
          { kind: 'locations', partnerId, locationIds: locationIds.slice(1) },
        ];
        for (const scope of scopes) await compare(scope, group, directories);
        while ((await readReviews(api.database, 100)) > 0);
        for (const scope of scopes) await compareKeywords(scope, directories);
        while (await foldDeltas(api.database.pool, 1000));
        for (const scope of scopes) {
          await compare(scope, group, directories);
          await compareKeywords(scope, directories);
        }
      },
    ),
    { numRuns: 12 },
  );
});

test('concurrent writes during a fold are counted once', async () => {
  const { partnerId, businesses, places } = await openScene();
  const [business = 0] = businesses;
  const place = places[0] as FeedbackLocation;
  await Promise.all([
    ...Array.from({ length: 40 }, (_, n) =>
      addFeedback(api.database, place, { at: daysAfter('2026-02-01', n % 20), rating: 1 + (n % 5), text: 'bread' }),
    ),
    ...Array.from({ length: 10 }, () => foldDeltas(api.database.pool, 5)),
    ...Array.from({ length: 10 }, () => readReviews(api.database, 5)),
    api.database.transaction((transaction) => beginRollUp(transaction, business)),
    api.database.pool.query('update datapoints set read = true where partner_id = $1', [partnerId]),
  ]);
  while ((await readReviews(api.database, 100)) > 0);
  for (const scope of [
    { kind: 'partner', partnerId },
    { kind: 'businesses', partnerId, businessIds: [business] },
  ] as Scope[]) {
    await compare(scope, 'MONTH', undefined);
    await compareKeywords(scope, undefined);
  }
});
