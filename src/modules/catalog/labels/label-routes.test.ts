import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addLocation } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import { readMigration } from '../../../database/schema-state.ts';
import { systemActor } from '../../accounts/actor.ts';
import { lockLocations } from '../../locations/location-store.ts';
import { ensureLabels, findLabels } from './label-store.ts';

const path = '/api/labels';
let api: TestApi;
let partner: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  stranger = await api.addPartner();
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
});

const create = async (body: object) => (await partner.call('POST', path, body)).body.response;
const names = async (caller: Pick<TestPartner, 'call'>, query = '') =>
  (await caller.call('GET', `${path}${query}`)).body.response.labels.map(({ name }: { name: string }) => name);
/** Statements that wait for a lock. */
const waiting = async () => {
  const inDatabase = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return (await api.database.pool.query(inDatabase)).rowCount;
};
const locationWriter = () =>
  addUser(api, partner, { role: 'LOCATION_MANAGER', features: ['LOCATION_READ', 'LOCATION_WRITE'] });

describe('creating', () => {
  test('a label is public by default', async () => {
    expect(await create({ name: ' Flagship ' })).toEqual({
      id: expect.any(Number),
      name: 'Flagship',
      adminOnly: false,
    });
    expect(await create({ name: 'Key account', adminOnly: true })).toMatchObject({ adminOnly: true });
  });

  test('a name is unique, ignoring case, even for concurrent requests', async () => {
    const responses = await Promise.all(
      ['Drive-in', 'drive-in', 'DRIVE-IN'].map((name) => partner.call('POST', path, { name })),
    );
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
    expect((await stranger.call('POST', path, { name: 'Drive-in' })).code).toBe(200);
  });

  test('a decomposed name is the same as the composed one', async () => {
    const [composed, decomposed] = ['Café', 'Cafe\u0301'];
    expect(await create({ name: decomposed })).toMatchObject({ name: composed });
    const again = await partner.call('POST', path, { name: composed });
    expect(again).toMatchObject({ code: 409, body: { errors: [{ field: 'name', rule: 'unique' }] } });
    for (const query of [composed, decomposed]) {
      expect(await names(partner, `?query=${encodeURIComponent(query)}`)).toEqual([composed]);
    }
    const { id } = await addLocation(partner, { name: decomposed, city: 'Ko\u0308ln', labels: [decomposed] });
    const location = { id, name: composed, city: 'Köln', labels: [{ name: composed }] };
    for (const query of ['city=Köln', 'city=Ko\u0308ln', 'query=Cafe\u0301', 'label=Cafe\u0301']) {
      const { body } = await partner.call('GET', `/api/locations?${encodeURI(query)}`);
      expect(body.response.locations, query).toMatchObject([location]);
    }
  });

  test('the migration composes stored texts without a composed twin', async () => {
    const [composed, decomposed] = ['Café', 'Cafe\u0301'];
    const { id } = await addLocation(partner, { name: 'Old', identifier: 'old', labels: ['old', composed] });
    const twins = [
      await addLocation(partner, { identifier: 'first' }),
      await addLocation(partner, { identifier: 'A' }),
    ];
    const query = (text: string, values: unknown[] = []) => api.database.pool.query(text, values);
    await query(`update labels set name = $2 where partner_id = $1 and name = 'old'`, [partner.partner.id, decomposed]);
    await query('update locations set name = $2, city = $2, identifier = $2 where id = $1', [id, decomposed]);
    const spellings = ['\u1eadx', 'a\u0323\u0302x', '\u1ea1\u0302x'] as const;
    for (const [index, twin] of twins.entries()) {
      await query('update locations set identifier = $2 where id = $1', [twin.id, spellings[index + 1]]);
    }
    const migration = await readMigration('0071-composed-texts.sql');
    const move = 'insert into partner_moves (partner_id, partner_ids, target_cell) values ($1, array[$1::bigint], 1)';
    await query(move, [partner.partner.id]);
    await expect(query(migration)).rejects.toThrow('is being moved to another cell');
    await query('delete from partner_moves');
    await query(migration);
    expect((await names(partner)).sort()).toEqual([decomposed, composed]);
    const byIdentifier = await partner.call('GET', `/api/locations?identifier=${encodeURIComponent(composed)}`);
    expect(byIdentifier.body.response.locations).toMatchObject([{ id, name: composed, city: composed }]);
    const { rows } = await query('select identifier from locations where id = any ($1) order by id', [
      twins.map((twin) => twin.id),
    ]);
    expect(rows.map(({ identifier }) => identifier)).toEqual([spellings[0], spellings[2]]);
  });

  test.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ adminOnly: true }, 'name'],
    [{ name: 'Fine', adminOnly: 'yes' }, 'adminOnly'],
  ])('rejects %j', async (body, field) => {
    expect(await partner.call('POST', path, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });
});

describe('list', () => {
  test('sorts by name, searches and pages', async () => {
    const ids: Record<string, number> = {};
    for (const name of ['beta', 'Alpha', 'Gamma']) ids[name] = (await create({ name })).id;
    expect((await partner.call('GET', path)).body.response).toMatchObject({ offset: 0, max: 50, count: 3 });
    expect(await names(partner)).toEqual(['Alpha', 'beta', 'Gamma']);
    expect(await names(partner, '?query=A&max=1')).toEqual(['Alpha']);
    expect(await names(partner, '?query=GAM')).toEqual(['Gamma']);
    expect(await names(partner, '?offset=1&max=1')).toEqual(['beta']);
    expect(await names(partner, `?after=${ids.beta}`)).toEqual(['Gamma']);
    expect(await names(partner, `?after=${ids.Gamma}`)).toEqual([]);
    await partner.call('DELETE', `${path}/${ids.beta}`);
    expect(await partner.call('GET', `${path}?after=${ids.beta}`)).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'after' }] },
    });
  });

  test('shows adminOnly labels only to administrators and account managers', async () => {
    await create({ name: 'Public' });
    await create({ name: 'Secret', adminOnly: true });
    for (const role of ['ADMIN', 'ACCOUNT_MANAGER'] as const) {
      expect(await names(await addUser(api, partner, { role }))).toEqual(['Public', 'Secret']);
    }
    const other = await locationWriter();
    expect(await names(other)).toEqual(['Public']);
    expect(await names(other, '?adminOnly=true')).toEqual([]);
    expect((await other.call('GET', path)).body.response.count).toBe(1);
    expect(await names(partner, '?adminOnly=true')).toEqual(['Secret']);
  });
});

describe('permissions', () => {
  test('LOCATION_WRITE allows creating labels; changing and deleting requires an account manager', async () => {
    const writer = await locationWriter();
    const reader = await addUser(api, partner, { role: 'LOCATION_MANAGER', features: ['LOCATION_READ'] });
    const made = await writer.call('POST', path, { name: 'By a writer' });
    expect(made.code).toBe(200);
    expect((await writer.call('POST', path, { name: 'Hidden', adminOnly: true })).code).toBe(200);
    expect(await names(writer)).toEqual(['By a writer']);
    expect((await reader.call('POST', path, { name: 'By a reader' })).code).toBe(403);
    const at = `${path}/${made.body.response.id}`;
    expect((await writer.call('PATCH', at, { name: 'No' })).code).toBe(403);
    expect((await writer.call('DELETE', at)).code).toBe(403);
    const narrow = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups: ['CONTACT'] });
    expect((await narrow.call('POST', path, { name: 'No' })).code).toBe(403);
    expect((await narrow.call('DELETE', at)).code).toBe(403);
    const manager = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups: ['LABELS'] });
    expect((await manager.call('PATCH', at, { name: 'Yes' })).code).toBe(200);
    expect((await manager.call('DELETE', at)).code).toBe(200);
  });

  test('labels of other partners are not found', async () => {
    const { id } = await create({ name: 'Mine' });
    expect((await stranger.call('PATCH', `${path}/${id}`, { name: 'Theirs' })).code).toBe(404);
    expect((await stranger.call('DELETE', `${path}/${id}`)).code).toBe(404);
    expect(await names(stranger)).not.toContain('Mine');
    expect(await names(partner)).toEqual(['Mine']);
    expect(await findLabels(api.database.pool, stranger.partner.id, [id])).toEqual([]);
  });
});

describe('changing and deleting', () => {
  test('changes only the given fields', async () => {
    const { id } = await create({ name: 'Old' });
    expect((await partner.call('PATCH', `${path}/${id}`, { name: 'New' })).body.response).toEqual({
      id,
      name: 'New',
      adminOnly: false,
    });
    expect((await partner.call('PATCH', `${path}/${id}`, { adminOnly: true })).body.response).toMatchObject({
      name: 'New',
      adminOnly: true,
    });
    expect((await partner.call('PATCH', `${path}/${id}`, { name: 'NEW' })).code).toBe(200);
    expect((await partner.call('PATCH', `${path}/${id}`, {})).code).toBe(400);
    expect((await partner.call('PATCH', `${path}/${id}`, { name: null })).code).toBe(400);
    await create({ name: 'Taken' });
    expect((await partner.call('PATCH', `${path}/${id}`, { name: 'taken' })).code).toBe(409);
  });

  test('deleting a label removes it from all locations', async () => {
    const gone = await create({ name: 'Gone' });
    const stays = await create({ name: 'Stays' });
    const location = await addLocation(partner, { labels: [gone.id, stays.id] });
    expect((await partner.call('DELETE', `${path}/${gone.id}`)).body.response).toEqual({ success: true });
    const { labels } = (await partner.call('GET', `/api/locations/${location.id}`)).body.response;
    expect(labels).toEqual([stays]);
    expect((await partner.call('DELETE', `${path}/${gone.id}`)).code).toBe(404);
  });

  test('deleting a label waits for a location that is being written with it', async () => {
    const autumn = await create({ name: 'Autumn' });
    const { id } = await addLocation(partner, { labels: [autumn.id] });
    const deleting = await api.database.transaction(async (transaction) => {
      await lockLocations(transaction, partner.partner.id, [id]);
      const deletion = partner.call('DELETE', `${path}/${autumn.id}`);
      await expect.poll(waiting).toBe(1);
      expect(await ensureLabels(transaction, systemActor(partner.partner), ['Autumn'])).toEqual([autumn]);
      return { deletion };
    });
    expect((await deleting.deletion).code).toBe(200);
  });

  test('deleting a label records an event and history for each location and updates lastUpdated', async () => {
    const { id } = await create({ name: 'Gone' });
    const labelled = [await addLocation(partner, { labels: [id] }), await addLocation(partner, { labels: [id] })];
    await addLocation(partner);
    const deleted = await addLocation(partner, { labels: [id] });
    await api.database.pool.query(`update locations set status = 'DELETED' where id = $1`, [deleted.id]);
    const since = new Date().toISOString();
    expect((await partner.call('DELETE', `${path}/${id}`)).code).toBe(200);

    const ids = labelled.map((location) => location.id);
    const { rows } = await api.database.pool.query(
      `select body::json as event from events
       where partner_id = $1 and type = 'LOCATION_PROFILE_CHANGED' order by id`,
      [partner.partner.id],
    );
    expect(rows.map(({ event }) => event)).toMatchObject(
      ids.map((location) => ({ location, comment: 'Changed: labels', user: 'PRIVATE_TOKEN' })),
    );
    const found = await partner.call('GET', `/api/locations?updatedSince=${since}&sort=id`);
    expect(found.body.response.locations.map((location: { id: number }) => location.id)).toEqual(ids);
    expect(found.body.response.locations[0].lastUpdated >= since).toBe(true);
    const { body } = await partner.call('GET', `/api/locations/${ids[0]}/history`);
    expect(body.response.changes[0]).toMatchObject({ fields: ['labels'], changedBy: 'PRIVATE_TOKEN' });
  });

  test('rejects the deletion of a label that is the only target of a post, and names the post', async () => {
    const needed = await create({ name: 'Needed' });
    const other = await create({ name: 'Other' });
    const location = await addLocation(partner, { labels: [needed.id] });
    const post = async (places: object) => {
      const publicationDate = new Date(Date.now() + 3600_000).toISOString();
      const words = { description: `Hello ${JSON.stringify(places)}`, directories: ['FACEBOOK'], publicationDate };
      const { body } = await partner.call('POST', '/api/social-posts', { ...words, ...places });
      return body.response.id;
    };
    await post({ labels: [needed.id], locationIds: [location.id] });
    await post({ labels: [needed.id, other.id] });
    const only = await post({ labels: [needed.id] });
    const refused = await partner.call('DELETE', `${path}/${needed.id}`);
    expect(refused.code).toBe(409);
    expect(refused.body.message).toContain(`unpublished social posts: ${only}. `);
    const kept = (await partner.call('GET', `/api/locations/${location.id}`)).body.response;
    expect(kept.labels).toEqual([needed]);
    await partner.call('PATCH', `/api/social-posts/${only}`, { locationIds: [location.id] });
    expect((await partner.call('DELETE', `${path}/${needed.id}`)).code).toBe(200);

    const third = await create({ name: 'Third' });
    const rejected = await post({ labels: [third.id] });
    await api.database.pool.query(`update social_posts set status = 'REJECTED' where id = $1`, [rejected]);
    const { code, body } = await partner.call('DELETE', `${path}/${third.id}`);
    expect(code).toBe(409);
    expect(body.message).toContain(`unpublished social posts: ${rejected}. `);
  });

  test('rejects the deletion of a label that is the only target of an asset or a store finder', async () => {
    const needed = await create({ name: 'Needed' });
    const other = await create({ name: 'Other' });
    const template = async (labels: number[]) => {
      const { body } = await partner.call('POST', '/api/social-templates', {
        name: 'Sale',
        content: { description: 'Sale' },
        labels,
      });
      return body.response.id;
    };
    const finder = async (name: string, labelIds: number[]) =>
      (await partner.call('POST', '/api/store-finders', { name, labelIds })).body.response.storeKey;
    await template([needed.id, other.id]);
    const only = await template([needed.id]);
    await finder('Both', [needed.id, other.id]);
    const storeKey = await finder('Shops', [needed.id]);
    const remove = () => partner.call('DELETE', `${path}/${needed.id}`);
    expect(await remove()).toMatchObject({
      code: 409,
      body: { message: expect.stringContaining(`only target of digital assets: ${only}. `) },
    });
    await partner.call('DELETE', `/api/dam/assets/${only}`);
    expect(await remove()).toMatchObject({
      code: 409,
      body: { message: expect.stringContaining('only target of store finders: "Shops". ') },
    });
    await partner.call('PATCH', `/api/store-finders/${storeKey}`, { labelIds: [] });
    expect((await remove()).code).toBe(200);
  });
});

test('rejects the deletion of a label that becomes the only target while it is removed from locations', async () => {
  const { id } = await create({ name: 'Late' });
  const location = await addLocation(partner, { labels: [id] });
  const { removal } = await api.database.transaction(async (transaction) => {
    await lockLocations(transaction, partner.partner.id, [location.id]);
    const removal = partner.call('DELETE', `${path}/${id}`);
    await expect.poll(waiting).toBe(1);
    expect((await partner.call('POST', '/api/store-finders', { name: 'Shops', labelIds: [id] })).code).toBe(200);
    return { removal };
  });
  expect(await removal).toMatchObject({
    code: 409,
    body: { message: expect.stringContaining('store finders: "Shops"') },
  });
  expect(await names(partner)).toEqual(['Late']);
  expect((await partner.call('GET', `/api/locations/${location.id}`)).body.response.labels).toMatchObject([{ id }]);
});

test('keeps one of two labels of a store finder that are deleted at the same time', async () => {
  const labels = [await create({ name: 'North' }), await create({ name: 'South' })];
  const labelIds = labels.map(({ id }) => id);
  expect((await partner.call('POST', '/api/store-finders', { name: 'Shops', labelIds })).code).toBe(200);
  const { removals } = await api.database.transaction(async (transaction) => {
    // A deletion is recorded at its end.
    await transaction.query('lock table audit_trail in exclusive mode');
    const removals = labelIds.map((id) => partner.call('DELETE', `${path}/${id}`));
    await expect.poll(waiting).toBe(2);
    return { removals };
  });
  expect((await Promise.all(removals)).map(({ code }) => code).sort()).toEqual([200, 409]);
  expect(await names(partner)).toHaveLength(1);
});

test('rejects the deletion of a label in the filter of a webhook, and names the webhook', async () => {
  const { id } = await create({ name: 'Filtered' });
  const webhooks = '/api/sales-partners/webhooks';
  let destinations = 0;
  const subscribe = async (by: TestPartner, filter: object) => {
    const pushUrl = `https://example.com/hook/${++destinations}`;
    return (await by.call('POST', webhooks, { type: 'LISTING_UPDATE', pushUrl, filter })).body.response.id;
  };
  await subscribe(stranger, { field: 'labels', equals: id });
  await subscribe(partner, {
    any: [
      { field: 'location', equals: id },
      { field: 'labels', in: [id + 1] },
    ],
  });
  const remove = () => partner.call('DELETE', `${path}/${id}`);
  for (const condition of [{ equals: id }, { in: [id + 1, id] }]) {
    const other = { field: 'listing', exists: true };
    const webhook = await subscribe(partner, { all: [{ not: { field: 'labels', ...condition } }, other] });
    expect(await remove()).toMatchObject({
      code: 409,
      body: { message: expect.stringContaining(`filters of webhooks: ${webhook}. `) },
    });
    await partner.call('DELETE', `${webhooks}/${webhook}`);
  }
  expect((await remove()).code).toBe(200);
});

describe('labels by name', () => {
  test('are matched ignoring case and created if missing', async () => {
    const known = await create({ name: 'Known' });
    const actor = { partner: partner.partner, by: 'SYSTEM' };
    const labels = await api.database.transaction((transaction) =>
      ensureLabels(transaction, actor, ['KNOWN', ' fresh ', 'Fresh', '']),
    );
    expect(labels.map(({ name }) => name.toLowerCase())).toEqual(['fresh', 'known']);
    expect(labels).toContainEqual(known);
    expect(
      await findLabels(
        api.database.pool,
        partner.partner.id,
        labels.map(({ id }) => id),
      ),
    ).toEqual(labels);
  });

  test('concurrent requests create each label once', async () => {
    const actor = { partner: partner.partner, by: 'SYSTEM' };
    const wanted = Array.from({ length: 20 }, (_, index) => `Label ${index}`);
    await Promise.all(
      [wanted, wanted.toReversed(), wanted].map((list) =>
        api.database.transaction((transaction) => ensureLabels(transaction, actor, list)),
      ),
    );
    expect((await partner.call('GET', path)).body.response.count).toBe(20);
  });
});
