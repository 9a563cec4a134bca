import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { createDemoData } from '../../../test/support/demo.ts';
import { startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import { SandboxControl, SandboxError } from '../directories/sandbox-control.ts';
import { findDemoData } from './demo-task.ts';

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

/** A database constraint that one location violates. */
const refuse = (table: string, condition: string) =>
  api.database.pool.query(`
    create function refuse_${table}() returns trigger language plpgsql as $$
      begin
        if ${condition} then raise exception 'refused by the test'; end if;
        return new;
      end $$;
    create trigger refuse_${table} before insert on ${table} for each row execute function refuse_${table}();
  `);
const allow = (table: string) => api.database.pool.query(`drop trigger refuse_${table} on ${table}`);

const order = (directories = network.directories) =>
  createDemoData(api.database, directories, partner.partner, { locations: 4 });

const statuses = async (): Promise<Record<string, string>> => {
  const { locations } = (await partner.call('GET', '/api/locations')).body.response;
  return Object.fromEntries(
    locations.map((location: Record<string, string>) => [location.identifier, location.status]),
  );
};

const allActive = {
  'demo-bakery-00001': 'ACTIVE',
  'demo-bakery-00002': 'ACTIVE',
  'demo-coffee-00001': 'ACTIVE',
  'demo-fitness-00001': 'ACTIVE',
};

class Picky extends SandboxControl {
  override populate: SandboxControl['populate'] = async (places, brands) => {
    if (places.some(({ key }) => key.endsWith('demo-fitness-00001'))) {
      throw new SandboxError('places[0]: name is required.', 400);
    }
    return network.control.populate(places, brands);
  };
}

test('a failing location does not affect others, and the next request completes the demo data', patience, async () => {
  await refuse('locations', `new.identifier = 'demo-coffee-00001'`);
  await refuse(
    'listings',
    `exists (select from locations where id = new.location_id and identifier = 'demo-bakery-00002')`,
  );
  const task = await order({
    list: network.directories.list,
    connector: (type, caller) => network.directories.connector(type, caller),
    sandbox: new Picky({ url: () => network.url, key: network.key }),
  });
  expect(task).toMatchObject({ status: 'FINISHED', result: { locations: 3 } });
  expect(task.result.problems).toEqual([
    { identifier: 'demo-coffee-00001', message: 'demo-coffee-00001: refused by the test' },
    { identifier: 'demo-fitness-00001', message: 'places[0]: name is required.' },
    { identifier: 'demo-bakery-00002', message: 'demo-bakery-00002: refused by the test' },
  ]);
  const { 'demo-coffee-00001': _, ...others } = allActive;
  expect(await statuses()).toEqual({ ...others, 'demo-bakery-00002': 'CREATED' });
  expect(await findDemoData(api.database.pool, partner.partner.id)).toEqual({
    state: 'INCOMPLETE',
    progress: 100,
    message:
      'Demo data is incomplete: 3 of 4 locations were created. demo-coffee-00001: refused by the test (and 2 more). ' +
      'Run "bin/waypost demo" to create the rest.',
  });

  const posts = (await partner.call('GET', '/api/social-posts')).body.response.count;
  await allow('locations');
  await allow('listings');
  expect((await order()).result).toMatchObject({ locations: 4, problems: [] });
  expect(await statuses()).toEqual(allActive);
  expect(await findDemoData(api.database.pool, partner.partner.id)).toMatchObject({ state: 'COMPLETE' });
  // The first request already created the posts.
  expect((await partner.call('GET', '/api/social-posts')).body.response.count).toBe(posts);
});
