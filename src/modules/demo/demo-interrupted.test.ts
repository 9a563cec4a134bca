import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { createDemoData } from '../../../test/support/demo.ts';
import { startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import type { Directories } from '../directories/open-directories.ts';
import { SandboxControl } from '../directories/sandbox-control.ts';

const patience = { timeout: 180_000 };
let api: TestApi;
let partner: TestPartner;
let network: TestSandbox;

beforeEach(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  network = await startSandbox();
});
afterEach(async () => {
  await api.close();
  await network.close();
});

/** A sandbox network with a different control client. */
const withControl = (sandbox: SandboxControl): Directories => ({
  list: network.directories.list,
  connector: (type, caller) => network.directories.connector(type, caller),
  sandbox,
});

const count = async (table: string, where = 'true') =>
  (
    await api.database.pool.query(`select count(*) from ${table} where partner_id = $1 and ${where}`, [
      partner.partner.id,
    ])
  ).rows[0].count;

test('continues after a crash without creating anything twice', patience, async () => {
  // Crashes before and after the sandbox is populated.
  const crashes = ['before', 'after'];
  class CrashingControl extends SandboxControl {
    override populate: SandboxControl['populate'] = async (places, brands) => {
      const crash = places.length > 0 ? crashes.shift() : undefined;
      const populated = crash === 'before' ? undefined : await network.control.populate(places, brands);
      if (populated && !crash) return populated;
      throw Object.assign(new Error('The process was killed.'), { code: '57P01' });
    };
  }
  const crashing = withControl(new CrashingControl({ url: () => network.url, key: network.key }));
  const task = await createDemoData(api.database, crashing, partner.partner, { locations: 4 });
  expect(crashes).toEqual([]);
  expect(task).toMatchObject({ status: 'FINISHED', done: 8, result: { locations: 4 } });
  expect({ businesses: await count('businesses'), locations: await count('locations') }).toEqual({
    businesses: 3,
    locations: 4,
  });
  expect(await count('events', `type in ('LOCATION_CREATED', 'BUSINESS_CREATED')`)).toBe(7);
  const { listings } = await network.control.listings();
  const addresses = listings
    .filter(({ duplicateOf }) => duplicateOf === undefined)
    .map(({ directory, profile }) => `${directory} ${profile.street} ${profile.streetNo}`);
  expect(addresses.filter((door, at) => addresses.indexOf(door) < at)).toEqual([]);
});

test('waits for a sandbox that is not running yet', patience, async () => {
  let refusals = 3;
  const url = () => (refusals-- > 0 ? 'http://127.0.0.1:1' : network.url);
  const late = withControl(new SandboxControl({ url, key: network.key }));
  const task = await createDemoData(api.database, late, partner.partner, { locations: 1 });
  expect(task).toMatchObject({ status: 'FINISHED', done: 2 });
});

test('fails without a sandbox network and names the setting', async () => {
  const none: Directories = { list: [], connector: () => expect.unreachable() };
  const task = await createDemoData(api.database, none, partner.partner);
  expect(task).toMatchObject({ status: 'FAILED', error: expect.stringContaining('WAYPOST_SANDBOX') });
});
