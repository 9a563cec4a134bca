import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../src/database/statement.ts';
import { claimStalledTasks } from '../src/jobs/tasks/task-store.ts';
import { findBusinessesToRollUp, foldDeltas } from '../src/modules/analytics/dashboard/feedback/feedback-source.ts';
import { claimUnreadReviews } from '../src/modules/analytics/dashboard/feedback/keyword-store.ts';
import { visibilityRollUp } from '../src/modules/analytics/dashboard/health/health-figures.ts';
import { detachExpiredFiles } from '../src/modules/analytics/exports/export.ts';
import { claimDuePageChecks } from '../src/modules/feedback/brand-pages/brand-page-store.ts';
import { claimDueDatapointChecks, claimDueInsights } from '../src/modules/listings/index.ts';
import { claimDueForCheck } from '../src/modules/locations/index.ts';
import { deleteExpiredReports } from '../src/modules/public/near-me/report-store.ts';
import type { TestPartner } from './support/api.ts';
import { FeedbackScene, type LinkedLocation } from './support/feedback.ts';

/** The rows of a partner in a move stay due: they must not use up the limit of the jobs for all partners. */

let scene: FeedbackScene;
let moving: LinkedLocation;
let other: LinkedLocation;
let movingId: number;
let otherId: number;

beforeAll(async () => {
  scene = await FeedbackScene.open();
  const add = async (partner: TestPartner) => [partner.partner.id, await scene.addLinkedLocation(partner)] as const;
  [movingId, moving] = await add(await scene.api.addPartner());
  [otherId, other] = await add(await scene.api.addPartner());
  await scene.query('insert into partner_moves (partner_id, partner_ids, target_cell) values ($1, $2, 1)', [
    movingId,
    [movingId],
  ]);
});
afterAll(() => scene.close());

/** The rows of the moving partner are due first. */
const due = (table: string, column: string) =>
  scene.query(
    `update ${table} set ${column} = now() - case partner_id when $1 then interval '2 d' else interval '1 d' end`,
    [movingId],
  );

test('checks of locations', async () => {
  await due('locations', 'next_check_at');
  const claimed = await claimDueForCheck(scene.api.database.pool, { limit: 1, intervalSeconds: 60 });
  expect(claimed).toMatchObject([{ id: other.locationId }]);
});

test('reading datapoints of listings', async () => {
  await due('listings', 'datapoints_due');
  expect(await claimDueDatapointChecks(scene.api.database.pool, 1, 60)).toEqual([other.listingId]);
});

test('collecting insights', async () => {
  await due('listings', 'insights_due');
  expect(await claimDueInsights(scene.api.database.pool, 'GOOGLE', 1, 60)).toEqual([other.listingId]);
});

test('reading datapoints of brand pages', async () => {
  for (const [partnerId, { businessId }] of [
    [movingId, moving],
    [otherId, other],
  ] as const) {
    await scene.query(
      `insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name)
       values ($1::bigint, $2, 'GOOGLE', $1::bigint::text, 'Page')`,
      [partnerId, businessId],
    );
  }
  await due('directory_business_pages', 'datapoints_due');
  const [claimed] = await claimDuePageChecks(scene.api.database.pool, 1, 60);
  const { rows } = await scene.query('select partner_id from directory_business_pages where id = $1', [claimed]);
  expect(rows).toEqual([{ partner_id: otherId }]);
});

test('deleting expired reports', async () => {
  await scene.query(
    `insert into near_me_reports (partner_id, name, street_and_no, city, country, category_id, token_hash, expires_at)
     select id, 'Report', 'Street 1', 'City', 'DE', 1, sha256(id::text::bytea), now() - interval '1 d'
     from unnest($1::bigint[]) as id`,
    [[movingId, otherId]],
  );
  expect(await deleteExpiredReports(scene.api.database.pool, 1)).toBe(1);
  expect((await scene.query('select partner_id from near_me_reports')).rows).toEqual([{ partner_id: movingId }]);
});

test('restarting tasks and deleting export files', async () => {
  const { pool } = scene.api.database;
  const { rows } = await scene.query(
    `insert into tasks (partner_id, type, created_by, status, job, date_created)
     select id, 'EXCEL_EXPORT', 'test', 'RUNNING', 'exports.make', now() - interval '1 h'
     from unnest($1::bigint[]) as id returning id, partner_id`,
    [[movingId, otherId]],
  );
  await scene.query(
    `insert into exports (id, partner_id, name, format, file_name, expires_at)
     select id, partner_id, 'Export', 'xlsx', 'file-' || partner_id, now() - interval '1 d' from tasks where id = any ($1)`,
    [rows.map(({ id }) => id)],
  );
  expect((await claimStalledTasks(pool, 60)).map(({ partnerId }) => partnerId)).toEqual([otherId]);
  expect(await detachExpiredFiles(pool, 1)).toEqual([`file-${otherId}`]);
});

test('folding figures', async () => {
  await scene.query('delete from visibility_deltas');
  await scene.query(
    `insert into visibility_deltas (partner_id, business_id, day, directory_type, matching_fields, comparable_fields)
     select id, 1, now(), 'GOOGLE', 1, 1 from unnest($1::bigint[]) as id`,
    [[movingId, otherId]],
  );
  expect(await run(scene.api.database.pool, visibilityRollUp.fold, [1])).toEqual([{ count: 1 }]);
  expect((await scene.query('select partner_id from visibility_deltas')).rows).toEqual([{ partner_id: movingId }]);
});

test('folding feedback', async () => {
  await scene.query('delete from feedback_deltas');
  await scene.query(
    `insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread, analysed)
     select id, 1, now(), 'GOOGLE', 'REVIEW', 5, 1, 0, 0, 0 from unnest($1::bigint[]) as id`,
    [[movingId, otherId]],
  );
  expect(await foldDeltas(scene.api.database.pool, 1)).toBe(1);
  expect((await scene.query('select partner_id from feedback_deltas')).rows).toEqual([{ partner_id: movingId }]);
});

test('beginning roll-ups of businesses', async () => {
  expect(await findBusinessesToRollUp(scene.api.database.pool, 1, 10)).toEqual([other.businessId]);
});

test('analyzing reviews', async () => {
  const { rows } = await scene.query(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, text,
       action_date, thread_action_date, fingerprint)
     select listing.partner_id, business_id, location_id, listing.id, directory_type, 'review', 'REVIEW', 'Text', now(),
       now(), ''
     from listings listing join locations on locations.id = location_id where listing.id = any ($1) order by listing.id
     returning id`,
    [[moving.listingId, other.listingId]],
  );
  const claim = () => scene.api.database.transaction((transaction) => claimUnreadReviews(transaction, 1));
  expect(await claim()).toEqual([rows[1].id]);
  expect(await claim()).toEqual([]);
});
