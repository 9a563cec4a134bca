import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../../test/support/database.ts';
import type { Database } from '../../../../database/connection.ts';
import { findLikelyKeywords } from './feedback-figures.ts';
import { frequentWords } from './keyword-store.ts';

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `insert into feedback_keywords (language, stem) select 'en', 'word' || n from generate_series(1, 600) as n`,
  );
  await database.pool.query(
    `insert into feedback_words (keyword_id, form)
     select id, stem || ending from feedback_keywords cross join unnest(array['', 's']) as ending`,
  );
});
afterAll(() => database.close());

const span = { from: '2026-01-30', to: '2026-04-03' };

/** Fills a roll-up: each form of the nth keyword has the count `count`, by day and month. */
async function rollUp(partnerId: number, count: string): Promise<void> {
  await database.pool.query(
    `insert into feedback_word_figures
     select $1, 0, '', grain, start, keyword_id, word.id, size, size, size * 4
     from (
       select 'D' as grain, day::date as start, 30 as part from generate_series('2026-01-01'::date, '2026-04-30', '1 day') as day
       union all select 'M', month::date, 1 from generate_series('2026-01-01'::date, '2026-04-01', '1 month') as month
     ) as cells
     cross join (select *, row_number() over (partition by right(form, 1) = 's' order by id) as n from feedback_words) as word
     cross join lateral (select (${count}) / part as size) as counted
     where size > 0`,
    [partnerId],
  );
}

const askedOf = (partnerId: number) => ({ source: { partnerId, owners: [0], locationIds: [] }, span });

/** The 100 most frequent keywords by plain SQL. */
async function topHundred(partnerId: number): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select keyword_id as id, sum(count) as count from feedback_word_figures
     where partner_id = $1 and (grain, start) in (
       select 'M', month::date from generate_series('2026-02-01'::date, '2026-03-01', '1 month') as month
       union all select 'D', day::date from unnest('{2026-01-30,2026-01-31,2026-04-01,2026-04-02,2026-04-03}'::date[]) as day)
     group by 1 order by 2 desc, 1 limit 100`,
    [partnerId],
  );
  return rows;
}

const hundredOf = (words: Awaited<ReturnType<typeof frequentWords>>) =>
  [...Map.groupBy(words, ({ keywordId }) => keywordId)]
    .map(([id, forms]) => ({ id, count: forms.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => b.count - a.count || a.id - b.id)
    .slice(0, 100);

test('finds the most frequent keywords without reading rare ones', async () => {
  await rollUp(1, '100000 / n');
  const found = await findLikelyKeywords(database.pool, askedOf(1), 500_000);
  const expected = await topHundred(1);
  expect(found && hundredOf(found)).toEqual(expected);
  expect(hundredOf(await frequentWords(database.pool, askedOf(1), 200))).toEqual(expected);
});

test('returns undefined when a skipped keyword could be among the top 100', async () => {
  await rollUp(2, '300 - n / 10');
  expect(await findLikelyKeywords(database.pool, askedOf(2), 500_000)).toBeUndefined();
  expect(hundredOf(await frequentWords(database.pool, askedOf(2), 200))).toEqual(await topHundred(2));
});
