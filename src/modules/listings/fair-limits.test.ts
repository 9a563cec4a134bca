import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { jobContext } from '../../../test/support/jobs.ts';
import { ListingScene } from '../../../test/support/listings.ts';
import { startJobs } from '../../jobs/runner.ts';
import { platformJobs } from '../../service/service.ts';
import { defaultClientPolicyOptions } from '../directories/client-policy.ts';
import { connectDirectories, type OpenDirectories } from '../directories/open-directories.ts';

let scene: ListingScene;
let directories: OpenDirectories;
let jobs: { stop(): Promise<void> } | undefined;

beforeAll(async () => {
  scene = await ListingScene.open();
});
afterAll(() => scene.close());
beforeEach(() => {
  const { url, key } = scene.sandbox;
  // Like one request per second and a wait of two seconds, but twice as fast.
  const clientPolicy = { ...defaultClientPolicyOptions, maxWaitMs: 1_000 };
  const rateLimit = { requests: 1, perSeconds: 0.5 };
  directories = connectDirectories({ url: () => url, key }, { timeoutMs: 3_000, clientPolicy, rateLimit });
});
afterEach(async () => {
  await jobs?.stop();
  await directories.close();
  await scene.query('delete from graphile_worker._private_jobs');
});

async function startWorker(): Promise<void> {
  jobs = await startJobs(platformJobs, jobContext(scene.api.database, { directories }));
}

async function addLocations(partner: TestPartner, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await scene.addLocation(partner, ['BING'])).id);
  return ids;
}

const waitUntil = (condition: () => Promise<boolean>) =>
  vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 60_000, interval: 20 });

async function countLimited(partner: TestPartner): Promise<number> {
  const text = 'select count(*) from listings where partner_id = $1 and not_before > now()';
  return Number((await scene.query(text, [partner.partner.id])).rows[0].count);
}

const backlog = 20;
const timeout = 90_000;

test(
  'a sync of one partner does not wait for the bulk sync of another',
  async () => {
    const [bulk, other] = [await scene.api.addPartner(), await scene.api.addPartner()];
    const locationIds = await addLocations(bulk, backlog);
    const [id] = await addLocations(other, 1);
    /** Each event is the result of at least one call to the directory. */
    const results = async () => {
      const checks = await scene.events(bulk, 'LISTING_SYNC_CHECK');
      return checks.length + (await scene.events(bulk, 'LISTING_UPDATE')).length;
    };
    const isSubmitted = async () =>
      (await scene.events(other, 'LISTING_UPDATE')).some(({ updateResult }) => updateResult === 'SUCCESS');

    await bulk.call('POST', '/api/locations/sync', { locationIds });
    await startWorker();
    await waitUntil(async () => (await countLimited(bulk)) > backlog / 2);
    await other.call('POST', `/api/locations/${id}/sync`);
    const before = await results();
    await waitUntil(isSubmitted);
    // The rest of the bulk sync has more than 30 results.
    expect((await results()) - before).toBeLessThan(backlog);
  },
  timeout,
);

test(
  'a requested sync does not wait for scheduled checks',
  async () => {
    const partner = await scene.api.addPartner();
    const locationIds = await addLocations(partner, backlog);
    await partner.call('POST', '/api/locations/sync', { locationIds });
    await scene.runJobs();
    const checked = async () => (await scene.events(partner, 'LISTING_SYNC_CHECK')).map(({ location }) => location);
    const before = (await checked()).length;

    for (const locationId of locationIds)
      await scene.query(`select graphile_worker.add_job('listings.check-location', $1)`, [{ locationId }]);
    await startWorker();
    await waitUntil(async () => (await countLimited(partner)) > backlog / 2);
    const { rows } = await scene.query(
      'select location_id as id from listings where partner_id = $1 order by not_before desc nulls last limit 1',
      [partner.partner.id],
    );
    await partner.call('POST', `/api/locations/${rows[0].id}/sync`);
    await waitUntil(async () => (await checked()).slice(before).includes(rows[0].id));
    // In the order of the queue it would be the last one.
    expect((await checked()).length - before).toBeLessThan(backlog * 0.75);
  },
  timeout,
);
