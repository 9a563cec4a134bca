import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { runCli, startCli } from '../../test/support/cli.ts';
import { startWorker } from '../../test/support/delivery.ts';
import { ListingScene } from '../../test/support/listings.ts';
import { eventTypeNames, healthEventTypes } from '../events/catalogue/catalogue.ts';
import { Job } from '../jobs/job.ts';

let scene: ListingScene;
let partner: TestPartner;
let location: { id: number; businessId: number };
const directory = 'GOLOCAL';

beforeAll(async () => {
  scene = await ListingScene.open();
  partner = await scene.api.addPartner();
  location = await scene.addLocation(partner, [directory]);
  await scene.sync(partner, location.id);
  await scene.runJobs({ early: true });
});
afterAll(() => scene.close());

const credentials = (port = scene.api.port, by = partner) => ({
  WAYPOST_URL: `http://127.0.0.1:${port}`,
  WAYPOST_PRIVATE_KEY: by.privateKey,
});

const withSandbox = () => ({
  ...credentials(),
  WAYPOST_SANDBOX_URL: scene.sandbox.url,
  WAYPOST_SANDBOX_KEY: scene.sandbox.key,
});

const slowPageCheck = 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID';

/** Runs jobs until the command has ended. */
async function run(...args: string[]) {
  let hasEnded = false;
  const ended = runCli(['trigger', ...args], withSandbox()).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    if (args[0] === slowPageCheck) await enqueuePageChecks();
    await scene.runJobs();
  }
  await scene.runJobs();
  return ended;
}

/** The schedule enqueues these checks every 30 minutes. */
async function enqueuePageChecks(): Promise<void> {
  const { rows } = await scene.query(
    `select page.id from directory_business_pages as page join events on events.type = 'BRAND_DATAPOINT_CHECK'
     where (events.body::json ->> 'directoryBusinessPage')::bigint = page.id`,
  );
  for (const { id } of rows) {
    await new Job<{ pageId: number }>('datapoints.check-brand-page').enqueue(scene.api.database.pool, { pageId: id });
  }
}

/** What a run must not change. */
async function state() {
  const { lastUpdated, lastSyncStarted, lastSync, ...profile } = (
    await partner.call('GET', `/api/locations/${location.id}`)
  ).body.response;
  const { id, listingId, claimStatus, flowStatus, syncStatus } = await scene.listing(partner, location.id, directory);
  const { businesses } = (await partner.call('GET', '/api/businesses')).body.response;
  const { locations } = (await partner.call('GET', '/api/locations')).body.response;
  const { productPlans } = (await partner.call('GET', '/api/product-plans?status=ACTIVE')).body.response;
  const { suggestions } = (await partner.call('GET', `/api/locations/${location.id}/suggestions?status=PENDING`)).body
    .response;
  return {
    status: profile.status,
    descriptionShort: profile.descriptionShort,
    listing: { id, listingId, claimStatus, flowStatus, syncStatus },
    page: (await scene.control.listing(directory, listingId)).profile,
    reviews: (await scene.control.dataPoints(directory, { listing: listingId })).dataPoints.filter(
      (one) => !one.removed,
    ),
    businesses: businesses.map((business: { id: number }) => business.id),
    locations: locations.map((one: { id: number }) => one.id),
    plans: productPlans.map((plan: { id: number }) => plan.id),
    suggestions,
  };
}

test.each(eventTypeNames)('%s is recorded after a real change, which is undone', { timeout: 60_000 }, async (type) => {
  if (healthEventTypes.some((one) => one === type)) {
    const worker = startWorker(scene.api.services);
    onTestFinished(() => worker.stop());
  }
  const before = await state();
  const { code, stdout, stderr } = await run(type);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Not restored') });
  const [, id] = new RegExp(`^(\\d+) ${type}\\n$`).exec(stdout) ?? [];
  const { body } = await partner.call('GET', `/api/events/${id}`);
  expect(body.response).toMatchObject({ type, event: { type } });
  expect(await state()).toEqual(before);
});

test('changes the chosen location and prints each step', async () => {
  const other = await scene.addLocation(partner, [directory]);
  await scene.sync(partner, other.id);
  const { stdout, stderr } = await run('location-status-changed', '--location', `${other.id}`);
  expect(stdout).toMatch(/^\d+ LOCATION_STATUS_CHANGED\n$/);
  expect(stderr).toBe(`Location ${other.id} is NEEDS_REVIEW.\nLocation ${other.id} is ACTIVE again.\n`);
});

test('works with a server in demo mode, without a sandbox if the change needs none', async () => {
  const { code, stdout } = await runCli(['trigger', 'LOCATION_PROFILE_CHANGED'], credentials());
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ LOCATION_PROFILE_CHANGED\n$/) });
  const { code: failed, stderr } = await runCli(['trigger', 'LISTING_DATAPOINT_CHECK'], credentials());
  expect({ failed, stderr }).toEqual({ failed: 1, stderr: expect.stringContaining('No sandbox was found in') });
});

test('restores and fails if the event is not recorded in time, or on Ctrl-C', async () => {
  // No worker runs the check.
  const { code, stdout, stderr } = await runCli(
    ['trigger', 'LISTING_DATAPOINT_CHECK', '--timeout', '1s'],
    withSandbox(),
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/Review \S+ removed from GOLOCAL\.\n.*LISTING_DATAPOINT_CHECK was not recorded within 1 s\./);

  const running = startCli(['trigger', 'LISTING_DATAPOINT_CHECK'], withSandbox());
  await running.waitForOutput(/Review \S+ added/);
  const stopped = await running.interrupt();
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toMatch(/Review \S+ removed .*\n.*Stopped before LISTING_DATAPOINT_CHECK was recorded\.\n$/);
});

describe('refuses', () => {
  test('a server that is not in demo mode', async () => {
    const live = await TestApi.start({ WAYPOST_DEMO: 'off' }, scene.api.database);
    onTestFinished(() => live.server.close());
    const before = await state();
    const { code, stdout, stderr } = await runCli(['trigger', 'BUSINESS_CREATED'], credentials(live.port));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('is not in demo mode, and this command changes data.');
    expect(await state()).toEqual(before);
  });

  test('locations that are not suitable', async () => {
    const created = await scene.addLocation(partner, [directory]);
    const refused = (type: string) => runCli(['trigger', type, '--location', `${created.id}`], withSandbox());
    expect(await refused('LOCATION_STATUS_CHANGED')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Location ${created.id} is CREATED. Choose one that is ACTIVE or NEEDS_REVIEW`),
    });
    expect(await refused('LISTING_UPDATE')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Location ${created.id} has no linked listing on one of`),
    });
    const empty = await scene.api.addPartner();
    expect(
      await runCli(['trigger', 'LISTING_UPDATE'], { ...withSandbox(), ...credentials(undefined, empty) }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No active location has a linked listing'),
    });
  });

  test.each([
    [[], 'The event type is missing.'],
    [['LOCATION_CREATE'], 'Did you mean LOCATION_CREATED?'],
    [['LOCATION_CREATED', 'x'], '"x" is an unexpected argument.'],
    [['LOCATION_CREATED', '--location', 'x'], '--location is "x"'],
    [['LOCATION_CREATED', '--timeout', 'x'], '--timeout is "x": set it to a duration'],
  ])('%j', async (args, sentence) => {
    const { code, stderr } = await runCli(['trigger', ...args], withSandbox());
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
  });
});
