import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseNow } from '../src/database/database-clock.ts';
import type { TestPartner } from './support/api.ts';
import { shiftClock, shiftedClockEnv } from './support/clock.ts';
import { Fleet } from './support/fleet.ts';
import { ListingScene } from './support/listings.ts';
import { SocialScene } from './support/social-posts.ts';

const hourMs = 3_600_000;

describe.for([-1, +1])('a process whose clock is off by %i h', (hours) => {
  let scene: ListingScene;
  let partner: TestPartner;
  beforeAll(async () => {
    scene = await ListingScene.open();
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    partner = await scene.api.addPartner();
    await scene.query('truncate graphile_worker._private_jobs');
    shiftClock(hours * hourMs);
  });

  const listingOn = async (directory: string) => {
    const { id: locationId } = await scene.addLocation(partner, [directory]);
    await scene.sync(partner, locationId);
    return { locationId, listing: await scene.listing(partner, locationId, directory) };
  };

  /** By the clock of the database. */
  const minutesUntil = async (moment: string, source: string, values: unknown[]): Promise<number> => {
    const { rows } = await scene.query(
      `select (extract(epoch from ${moment} - now()) / 60)::float8 as minutes from ${source}`,
      values,
    );
    expect(rows).toHaveLength(1);
    return rows[0].minutes;
  };
  const minutesUntilJob = (key: string) => minutesUntil('run_at', 'graphile_worker.jobs where key = $1', [key]);
  const expectBetween = async (min: number, max: number, minutes: Promise<number>) => {
    const found = await minutes;
    expect(found).toBeGreaterThan(min);
    expect(found).toBeLessThan(max);
  };

  test('checks a directory again after the pause for its outage', async () => {
    const { locationId, listing } = await listingOn('BING');
    await scene.control.simulateOutage('BING');
    await scene.sync(partner, locationId, { submit: false });
    await scene.control.endFailure('BING');
    const ofListing = 'listings where id = $1';
    await expectBetween(1, 3, minutesUntil('not_before', ofListing, [listing.id]));
    await expectBetween(1, 3, minutesUntilJob(`listings.check-${listing.id}-compare-requested`));
  });

  test('schedules datapoints and insights at their intervals', async () => {
    const { pages } = await new SocialScene(scene).addLinkedLocation(partner, { directories: ['GOOGLE'] });
    const ofListing = 'listings where external_id = $1';
    await scene.query('update listings set datapoints_due = now() where external_id = $1', [pages.GOOGLE]);
    await scene.query(
      "select graphile_worker.add_job('insights.schedule'), graphile_worker.add_job('datapoints.schedule')",
    );
    await scene.runJobs();
    await expectBetween(715, 725, minutesUntil('insights_due', ofListing, [pages.GOOGLE]));
    await expectBetween(1, 59, minutesUntil('datapoints_due', ofListing, [pages.GOOGLE]));
  });

  test('retries soon if another process has leased the listing', async () => {
    const { listing } = await listingOn('BING');
    await scene.query(`update listings set lease_until = now() + interval '1 hour' where id = $1`, [listing.id]);
    await partner.call('POST', `/api/listings/${listing.id}/submit`);
    await scene.runJobs();
    await expectBetween(0, 1, minutesUntilJob(`listings.submit-${listing.id}-requested`));
  });

  test('publishes a post without a publication date immediately', async () => {
    const social = new SocialScene(scene);
    const { locationId } = await social.addLinkedLocation(partner, { directories: ['GOOGLE'] });
    const post = { description: 'Open on Sunday', directories: ['GOOGLE'], locationIds: [locationId] };
    const { id } = await social.create(partner, post);
    await scene.runJobs();
    expect(await social.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  });
});

test('runs scheduled jobs on time with a clock that is an hour fast, and does not delay other processes', {
  timeout: 120_000,
}, async () => {
  const fleet = await Fleet.create();
  // Shortly before a full minute, so that the schedule is soon due.
  const second = (await databaseNow(fleet.database.pool)).getTime() % 60_000;
  const worker = fleet.start('work', shiftedClockEnv(hourMs + 50_000 - second));
  await worker.waitForOutput(/worker is running/);
  const schedules = () =>
    fleet.rows<{ early: boolean }>(
      `select last_execution > now() + interval '2 minutes' as early from graphile_worker._private_known_crontabs
       where last_execution is not null`,
    );
  const soon = { timeout: 90_000, interval: 50 };
  await expect.poll(async () => (await schedules()).length, soon).toBeGreaterThan(0);
  expect(await fleet.rows(`select from graphile_worker.jobs where run_at > now() + interval '2 minutes'`)).toEqual([]);
  await expect.poll(schedules, soon).not.toContainEqual({ early: true });
});
