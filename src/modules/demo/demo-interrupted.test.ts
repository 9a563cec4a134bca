import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { makeDemoData } from '../../../test/support/demo.ts';
import { startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import type { Directories } from '../directories/directories.ts';
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
const toldBy = (sandbox: SandboxControl): Directories => ({
  list: network.directories.list,
  connector: (type) => network.directories.connector(type),
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
  const deaths = ['before', 'after'];
  class Mortal extends SandboxControl {
    override populate: SandboxControl['populate'] = async (places, brands) => {
      const death = places.length > 0 ? deaths.shift() : undefined;
      const shown = death === 'before' ? undefined : await network.control.populate(places, brands);
      if (shown && !death) return shown;
      throw Object.assign(new Error('The process was killed.'), { code: '57P01' });
    };
  }
  const mortal = toldBy(new Mortal({ url: () => network.url, key: network.key }));
  const task = await makeDemoData(api.database, mortal, partner.partner, { locations: 4 });
  expect(deaths).toEqual([]);
  expect(task).toMatchObject({ status: 'FINISHED', done: 8, result: { locations: 4 } });
  expect({ businesses: await count('businesses'), locations: await count('locations') }).toEqual({
    businesses: 3,
    locations: 4,
  });
  expect(await count('events', `type in ('LOCATION_CREATED', 'BUSINESS_CREATED')`)).toBe(7);
  const { listings } = await network.control.listings();
  const doors = listings
    .filter(({ duplicateOf }) => duplicateOf === undefined)
    .map(({ directory, profile }) => `${directory} ${profile.street} ${profile.streetNo}`);
  expect(doors.filter((door, at) => doors.indexOf(door) < at)).toEqual([]);
});

test('waits for a sandbox that is not running yet', patience, async () => {
  let refusals = 3;
  const url = () => (refusals-- > 0 ? 'http://127.0.0.1:1' : network.url);
  const late = toldBy(new SandboxControl({ url, key: network.key }));
  const task = await makeDemoData(api.database, late, partner.partner, { locations: 1 });
  expect(task).toMatchObject({ status: 'FINISHED', done: 2 });
});

test('fails without a sandbox network and names the setting', async () => {
  const none: Directories = { list: [], connector: () => expect.unreachable() };
  const task = await makeDemoData(api.database, none, partner.partner);
  expect(task).toMatchObject({ status: 'FAILED', error: expect.stringContaining('WAYPOST_SANDBOX') });
});
