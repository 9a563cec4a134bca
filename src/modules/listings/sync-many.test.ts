import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

const readTask = async (id: number) => (await partner.call('GET', `/api/tasks/${id}`)).body.response;

describe('a sync of many locations', () => {
  test('checks each location and reports progress', async () => {
    const first = await scene.addLocation(partner, ['BING']);
    const second = await scene.addLocation(partner, ['FOURSQUARE']);
    const { body } = await partner.call('POST', '/api/locations/sync', {
      locationIds: [first.id, second.id, second.id, 999_999],
    });
    expect(body).toMatchObject({
      status: 'PARTIAL_ERROR',
      response: { task: { status: 'CREATED', total: 2, done: 0 }, failed: [{ id: 999_999, status: 'NOT_FOUND' }] },
    });
    await scene.runJobs();
    expect(await readTask(body.response.task.id)).toMatchObject({
      status: 'FINISHED',
      progress: 100,
      done: 2,
      failed: 0,
    });
    expect(await scene.listing(partner, first.id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
    expect(await scene.listing(partner, second.id, 'FOURSQUARE')).toMatchObject({ syncStatus: 'IN_SYNC' });
  });

  test('selects by filter and skips locations that are no longer served', async () => {
    const cologne = await scene.addLocation(partner, ['BING']);
    const bonn = await scene.addLocation(partner, ['BING'], { city: 'Bonn' });
    const closed = await scene.addLocation(partner, ['BING'], { city: 'Bonn' });
    await scene.query(`update locations set status = 'CLOSED' where id = $1`, [closed.id]);
    const { body } = await partner.call('POST', '/api/locations/sync', { filter: { city: ['Bonn'] }, submit: false });
    await scene.runJobs();
    expect(await readTask(body.response.task.id)).toMatchObject({ status: 'FINISHED', total: 1, done: 1 });
    expect(await scene.listing(partner, bonn.id, 'BING')).toMatchObject({ syncStatus: 'NOT_FOUND' });
    expect(await scene.listing(partner, cologne.id, 'BING')).toBeUndefined();
    expect(await scene.listing(partner, closed.id, 'BING')).toBeUndefined();
  });

  test('counts locations that cannot be synced as failed and syncs the others', async () => {
    const bonn = await scene.addLocation(partner, ['BING'], { city: 'Bonn' });
    const lacking = await scene.addLocation(partner, ['YELP'], { city: 'Bonn', phone: null });
    const partly = await scene.addLocation(partner, ['YELP', 'BING'], { city: 'Bonn', phone: null });
    const named = await partner.call('POST', '/api/locations/sync', { locationIds: [lacking.id] });
    expect(named.body.response.failed).toMatchObject([
      { id: lacking.id, status: 'CONFLICT', message: expect.stringContaining('Yelp requires phone') },
    ]);
    const filter = { city: ['Bonn'] };
    const { failed } = named.body.response;
    const dry = await partner.call('POST', '/api/locations/sync', { filter, dryRun: true });
    expect(dry.body).toMatchObject({
      status: 'PARTIAL_ERROR',
      response: { acceptedCount: 2, failedCount: 1, failed },
    });
    const { body } = await partner.call('POST', '/api/locations/sync', { filter });
    await scene.runJobs();
    expect(await readTask(body.response.task.id)).toMatchObject({
      status: 'FINISHED',
      total: 3,
      done: 2,
      failed: 1,
      result: { locations: 3, failed },
    });
    expect(await scene.listing(partner, bonn.id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
    expect(await scene.listing(partner, partly.id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
    const { id: yelp } = await scene.listing(partner, partly.id, 'YELP');
    expect((await scene.events(partner, 'LISTING_UPDATE', yelp)).at(-1)).toMatchObject({
      updateResult: 'UNDEFINED',
      updateStatus: 'MANDATORY_FIELD_MISSING',
    });
    expect((await partner.call('GET', `/api/locations/${lacking.id}`)).body.response.status).toBe('CREATED');
  });

  test('without locations finishes immediately', async () => {
    const { body } = await partner.call('POST', '/api/locations/sync', { filter: { city: ['Atlantis'] } });
    await scene.runJobs();
    expect(await readTask(body.response.task.id)).toMatchObject({ status: 'FINISHED', total: 0, progress: 100 });
  });

  test('repeats a check after a temporary database error, and counts it as failed after the last attempt', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    const runSync = async (failures: number) => {
      await scene.query(`
        create sequence failures;
        create function deadlock() returns trigger language plpgsql as $$ begin
          if nextval('failures') <= ${failures} then raise exception 'deadlock' using errcode = '40P01'; end if;
          return new;
        end $$;
        update locations set listings_count = 0 where id = ${id};
        create trigger deadlock before update of listings_count on locations
          for each row when (old.id = ${id}) execute function deadlock()`);
      const { body } = await partner.call('POST', '/api/locations/sync', { locationIds: [id] });
      await scene.runJobs();
      const unfinished = await readTask(body.response.task.id);
      for (let retries = 1; retries <= 4; retries += 1) await scene.runJobs({ early: true });
      await scene.query('drop trigger deadlock on locations; drop function deadlock; drop sequence failures');
      return [unfinished, await readTask(body.response.task.id)];
    };
    expect(await runSync(1)).toMatchObject([
      { status: 'RUNNING', done: 0, failed: 0 },
      { status: 'FINISHED', done: 1, failed: 0 },
    ]);
    expect(await runSync(100)).toMatchObject([
      { status: 'RUNNING', done: 0, failed: 0 },
      { status: 'FINISHED', done: 0, failed: 1 },
    ]);
  });

  test('stops when cancelled', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    const { body } = await partner.call('POST', '/api/locations/sync', { locationIds: [id] });
    await partner.call('POST', `/api/tasks/${body.response.task.id}/cancel`);
    await scene.runJobs();
    expect(await readTask(body.response.task.id)).toMatchObject({ status: 'CANCELLED', done: 0 });
    expect(await scene.events(partner, 'LISTING_SYNC_CHECK')).toEqual([]);
  });

  test('requires a selection and reports an invalid filter', async () => {
    expect((await partner.call('POST', '/api/locations/sync', {})).code).toBe(400);
    const both = { locationIds: [1], filter: { city: ['Bonn'] } };
    expect((await partner.call('POST', '/api/locations/sync', both)).code).toBe(400);
    const odd = { filter: { updatedSince: 'yesterday' } };
    expect((await partner.call('POST', '/api/locations/sync', odd)).body.errors).toMatchObject([
      { field: 'updatedSince' },
    ]);
    for (const [filter, field] of [
      [{}, 'filter'],
      [{ cities: ['Bonn'] }, 'filter.cities'],
    ]) {
      const { body } = await partner.call('POST', '/api/locations/sync', { filter });
      expect(body).toMatchObject({ status: 'INVALID_PARAMETER', errors: [{ field }] });
    }
  });
});

describe('scheduled checks', () => {
  test('run once for locations that are due', async () => {
    const due = await scene.addLocation(partner, ['BING']);
    const later = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, due.id);
    await scene.sync(partner, later.id);
    const before = (await scene.events(partner, 'LISTING_SYNC_CHECK')).length;
    await scene.query(`update locations set next_check_at = now() - interval '1 minute' where id = $1`, [due.id]);
    await scene.query(
      `select graphile_worker.add_job('listings.schedule'), graphile_worker.add_job('listings.schedule')`,
    );
    await scene.runJobs();
    await scene.runJobs({ early: true });
    const checks = (await scene.events(partner, 'LISTING_SYNC_CHECK')).slice(before);
    expect(checks.map(({ location }) => location)).toEqual([due.id]);
    const { rows } = await scene.query(
      `select next_check_at > now() + interval '20 hours' as later from locations where id = $1`,
      [due.id],
    );
    expect(rows).toEqual([{ later: true }]);
  });
});

test('a scheduled check does not replace a requested sync', async () => {
  const { id } = await scene.addLocation(partner, ['BING'], { autoSync: false });
  await partner.call('POST', `/api/locations/${id}/sync`);
  await scene.query(`update locations set next_check_at = now() - interval '1 minute' where id = $1`, [id]);
  await scene.query(`select graphile_worker.add_job('listings.schedule', priority := -20)`);
  await scene.runJobs();
  expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
});

describe('concurrent processes', () => {
  test('never call a directory about the same listing concurrently or record twice', async () => {
    const { id } = await scene.addLocation(partner, ['BING', 'FOURSQUARE', 'GOLOCAL']);
    await scene.control.setLatency('BING', 100);
    const { body } = await partner.call('POST', `/api/locations/${id}/sync`);
    expect(body.status).toBe('SUCCESS');
    // The same check as three jobs in three processes.
    await scene.query(`select graphile_worker.add_job('listings.check-location', $1)`, [{ locationId: id }]);
    await scene.query(`select graphile_worker.add_job('listings.location-changed', $1)`, [{ locationId: id }]);
    for (const listing of body.response.listings) {
      await scene.query(`select graphile_worker.add_job('listings.check', $1)`, [{ listingId: listing.id }]);
    }
    await Promise.all([scene.runJobs(), scene.runJobs(), scene.runJobs()]);
    await scene.control.setLatency('BING', 0);
    await expect
      .poll(
        async () => {
          await scene.runJobs({ early: true });
          const { rows } = await scene.query(
            `select count(*) from graphile_worker.jobs where task_identifier like 'listings.%' and attempts < max_attempts`,
          );
          return rows[0].count;
        },
        { timeout: 20_000 },
      )
      .toBe(0);
    for (const type of ['BING', 'FOURSQUARE', 'GOLOCAL']) {
      const listing = await scene.listing(partner, id, type);
      expect(listing).toMatchObject({ syncStatus: 'IN_SYNC' });
      expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS']);
      expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toEqual([]);
      // Each event starts where the previous one ended, so there was no lost update.
      const checks = await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id);
      for (const [index, check] of checks.entries()) {
        if (index === 0) continue;
        expect(check.fromListingSyncStatus).toBe(checks[index - 1].toListingSyncStatus);
      }
      expect(await scene.directoryListings(partner, id, type)).toHaveLength(1);
    }
  });

  test('do not write after a lost lease', async () => {
    const { endLease, leaseListing } = await import('./listing-work.ts');
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'BING');
    const { database } = scene.api;
    const lost = await leaseListing(database.pool, listing.id);
    expect(await leaseListing(database.pool, listing.id)).toBeUndefined();
    await scene.query(`update listings set lease_until = now() - interval '1 second' where id = $1`, [listing.id]);
    const taken = await leaseListing(database.pool, listing.id);
    if (!lost || !taken) throw new Error('There was no lease.');
    await database.transaction(async (transaction) => {
      expect(await endLease(transaction, lost)).toBeUndefined();
      expect(await endLease(transaction, taken)).toMatchObject({ id: listing.id });
    });
  });
});
