import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addAsset, pdf, picture, uploadFile, video } from '../../../../test/support/assets.ts';
import { addBusiness, addLocation } from '../../../../test/support/locations.ts';
import { addUser, type TestUser } from '../../../../test/support/users.ts';

const path = '/api/dam/assets';
let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(async () => {
  await api.close();
});
beforeEach(async () => {
  partner = await api.addPartner();
});

type Client = Pick<TestPartner, 'call'>;
const names = async (client: Client, query = '') =>
  (await client.call('GET', `${path}${query}`)).body.response.assets.map(({ name }: { name: string }) => name);
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

describe('the list', () => {
  test('is paginated, newest first by default', async () => {
    for (const name of ['b', 'A', 'c']) await addAsset(partner, { name });
    expect((await partner.call('GET', path)).body.response).toMatchObject({ page: 0, size: 50, count: 3 });
    expect(await names(partner)).toEqual(['c', 'A', 'b']);
    expect(await names(partner, '?sort=name&order=ASC')).toEqual(['A', 'b', 'c']);
    expect(await names(partner, '?sort=name&order=asc&page=1&size=2')).toEqual(['c']);
    expect(await names(partner, '?page=7')).toEqual([]);
    expect(await names(partner, '?page=1000&size=500')).toEqual([]);
    expect((await partner.call('GET', `${path}?size=1001`)).body).toMatchObject({ response: { size: 1000 } });
    expect((await partner.call('GET', `${path}?sort=colour`)).code).toBe(400);
  });

  test('filters by type, status, words, folder and day', async () => {
    const folder = (await partner.call('POST', '/api/dam/folders', { name: 'Films' })).body.response;
    await addAsset(partner, { name: 'Terrace in summer', description: 'sunny' });
    await addAsset(partner, { folderId: String(folder.id) }, { name: 'kitchen-film.mp4', bytes: video() });
    await addAsset(partner, { status: 'HIDDEN' }, { name: 'menu.pdf', bytes: pdf() });
    await addAsset(partner, { name: 'Advent', startDate: '2026-12-01', endDate: '2026-12-24' });
    const sorted = async (query: string) => (await names(partner, query)).toSorted();
    expect(await sorted('?type=VIDEO,DOCUMENT')).toEqual(['kitchen-film.mp4', 'menu.pdf']);
    expect(await sorted('?status=HIDDEN')).toEqual(['menu.pdf']);
    expect(await sorted('?query=summ')).toEqual(['Terrace in summer']);
    expect(await sorted('?query=SUNNY')).toEqual(['Terrace in summer']);
    expect(await sorted('?query=film')).toEqual(['kitchen-film.mp4']);
    expect(await sorted(`?folderId=${folder.id}`)).toEqual(['kitchen-film.mp4']);
    expect(await sorted('?folderId=0')).toEqual(['Advent', 'Terrace in summer', 'menu.pdf']);
    for (const [on, isVisible] of [
      ['2026-11-30', false],
      ['2026-12-01', true],
      ['2026-12-24', true],
      ['2026-12-25', false],
    ] as const) {
      expect((await names(partner, `?visibleOn=${on}`)).includes('Advent')).toBe(isVisible);
    }
    expect((await partner.call('GET', `${path}?visibleOn=tomorrow`)).code).toBe(400);
    expect((await partner.call('GET', `${path}?folderId=999999999`)).code).toBe(404);
  });

  test('filters by target', async () => {
    const labels = (await partner.call('POST', '/api/labels', { name: 'Drive-in' })).body.response;
    const one = await addLocation(partner, { labels: [labels.id] });
    const other = await addLocation(partner);
    await addAsset(partner, { name: 'all' });
    await addAsset(partner, { name: 'one', locationIds: String(one.id) });
    await addAsset(partner, { name: 'business of one', businessIds: String(one.businessId) });
    await addAsset(partner, { name: 'label', labels: 'Drive-in' });
    await addAsset(partner, { name: 'other', locationIds: String(other.id) });
    const sorted = async (query: string) => (await names(partner, query)).toSorted();
    expect(await sorted(`?locationIds=${one.id}`)).toEqual(['all', 'business of one', 'label', 'one']);
    expect(await sorted(`?locationIds=${other.id}`)).toEqual(['all', 'other']);
    expect(await sorted(`?businessIds=${one.businessId}`)).toEqual(['all', 'business of one', 'label', 'one']);
    expect(await sorted('?labels=drive-in')).toEqual(['label']);
    expect(await sorted(`?labels=${labels.id}`)).toEqual(['label']);
    expect((await partner.call('GET', `${path}?locationIds=999999999`)).code).toBe(404);
  });
});

describe('visibility', () => {
  let north: { id: number; businessId: number };
  let south: { id: number; businessId: number };
  let manager: TestUser;
  beforeEach(async () => {
    const label = (await partner.call('POST', '/api/labels', { name: 'Sea view', adminOnly: true })).body.response;
    north = await addLocation(partner, { labels: [label.id] });
    south = await addLocation(partner);
    manager = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['ASSET_READ', 'ASSET_WRITE'],
      locationIds: [north.id],
    });
  });

  test('users see assets for all locations and for their own', async () => {
    const targets = {
      everything: {},
      north: { locationIds: String(north.id) },
      'business of north': { businessIds: String(north.businessId) },
      'label of north': { labels: 'Sea view' },
      south: { locationIds: String(south.id) },
      'business of south': { businessIds: String(south.businessId) },
    };
    const ids: Record<string, number> = {};
    for (const [name, fields] of Object.entries(targets)) ids[name] = (await addAsset(partner, { name, ...fields })).id;
    const visible = ['business of north', 'everything', 'label of north', 'north'];
    expect((await names(manager)).toSorted()).toEqual(visible);
    expect((await manager.call('GET', path)).body.response.count).toBe(4);
    for (const [name, id] of Object.entries(ids)) {
      expect((await manager.call('GET', `${path}/${id}`)).code).toBe(visible.includes(name) ? 200 : 404);
    }
    const [labelled] = (await manager.call('GET', `${path}?query=label`)).body.response.assets;
    expect(labelled.labels).toEqual([]);
    const admin = await addUser(api, partner, { role: 'ADMIN' });
    expect(await names(admin)).toHaveLength(6);
    const southManager = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['ASSET_READ'],
      businessIds: [south.businessId],
    });
    expect((await names(southManager)).toSorted()).toEqual(['business of south', 'everything', 'south']);
  });

  test('responses contain only accessible targets', async () => {
    const { id } = await addAsset(partner, {
      locationIds: [String(north.id), String(south.id)],
      businessIds: [String(north.businessId), String(south.businessId)],
    });
    const own = { locationIds: [north.id], businessIds: [north.businessId] };
    expect((await manager.call('GET', `${path}/${id}`)).body.response).toMatchObject(own);
    expect((await manager.call('GET', path)).body.response.assets).toMatchObject([own]);
    const all = (await partner.call('GET', `${path}/${id}`)).body.response;
    expect(all).toMatchObject({ locationIds: [north.id, south.id] });
  });

  test('a conflict hides the id of an inaccessible resource', async () => {
    const own = await addAsset(manager, { name: 'own' });
    const shown = { photos: [{ url: own.url }] };
    expect((await partner.call('PATCH', `/api/locations/${south.id}`, shown)).code).toBe(200);
    const { code, body } = await manager.call('DELETE', `${path}/${own.id}`);
    expect(code).toBe(409);
    expect(body.message).toContain('by a location');
    expect(body.message).not.toContain(`location ${south.id}`);
  });

  test('users without ASSET_WRITE see assets that are visible today, others see all', async () => {
    const reader = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['ASSET_READ'],
      locationIds: [north.id],
    });
    const fields = {
      'from tomorrow': { startDate: day(1) },
      'until yesterday': { endDate: day(-1) },
      today: { startDate: day(0), endDate: day(0) },
      hidden: { status: 'HIDDEN' },
    };
    const ids: Record<string, number> = {};
    for (const [name, more] of Object.entries(fields)) ids[name] = (await addAsset(partner, { name, ...more })).id;
    expect(await names(reader)).toEqual(['today']);
    expect((await reader.call('GET', `${path}/${ids.hidden}`)).code).toBe(404);
    expect(await names(reader, '?status=HIDDEN')).toEqual([]);
    expect(await names(reader, `?visibleOn=${day(1)}`)).toEqual([]);
    expect(await names(manager)).toHaveLength(4);
  });

  test('users with partial access change only assets for their own locations', async () => {
    const own = await addAsset(manager, { name: 'own' });
    expect(own).toMatchObject({ allManagedResources: false, locationIds: [north.id], businessIds: [] });
    const common = await addAsset(partner, { name: 'common' });
    const both = await addAsset(partner, { name: 'both', locationIds: [String(north.id), String(south.id)] });
    expect((await manager.call('PATCH', `${path}/${own.id}`, { name: 'mine' })).code).toBe(200);
    for (const { id } of [common, both]) {
      expect((await manager.call('PATCH', `${path}/${id}`, { name: 'mine' })).code).toBe(403);
      expect((await manager.call('DELETE', `${path}/${id}`)).code).toBe(403);
    }
    const patch = (body: object) => manager.call('PATCH', `${path}/${own.id}`, body);
    expect((await patch({ locationIds: [south.id] })).code).toBe(400);
    expect((await patch({ allManagedResources: true })).code).toBe(403);
    expect((await patch({ labels: ['Sea view'] })).code).toBe(403);
    expect((await patch({ businessIds: [north.businessId] })).code).toBe(400);
    const userWithoutLocations = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['ASSET_READ', 'ASSET_WRITE'],
    });
    expect((await uploadFile(userWithoutLocations, { name: 'a.png', bytes: await picture() })).body.message).toContain(
      'has no target',
    );
    expect((await manager.call('DELETE', `${path}/${own.id}`)).code).toBe(200);
  });

  test('reading and writing require features', async () => {
    const { id } = await addAsset(partner);
    const userWithoutFeature = await addUser(api, partner, { role: 'BUSINESS_MANAGER', features: ['LOCATION_READ'] });
    const reader = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['ASSET_READ'] });
    expect((await userWithoutFeature.call('GET', path)).code).toBe(403);
    expect((await reader.call('GET', `${path}/${id}`)).code).toBe(200);
    expect((await reader.call('PATCH', `${path}/${id}`, { name: 'x' })).code).toBe(403);
    expect((await reader.call('DELETE', `${path}/${id}`)).code).toBe(403);
  });
});

describe('changing', () => {
  test('changes given fields, deletes on null and "", keeps absent fields', async () => {
    const folder = (await partner.call('POST', '/api/dam/folders', { name: 'Winter' })).body.response;
    const location = await addLocation(partner);
    const asset = await addAsset(partner, { description: 'Old', startDate: '2026-01-01', endDate: '2026-02-01' });
    const patch = async (body: object) => (await partner.call('PATCH', `${path}/${asset.id}`, body)).body.response;
    expect(await patch({ name: 'New', folderId: folder.id, status: 'HIDDEN' })).toMatchObject({
      name: 'New',
      description: 'Old',
      folderId: folder.id,
      status: 'HIDDEN',
      url: asset.url,
    });
    const cleared = await patch({ description: '', endDate: null, folderId: null });
    expect(cleared).not.toHaveProperty('description');
    expect(cleared).not.toHaveProperty('endDate');
    expect(cleared).not.toHaveProperty('folderId');
    expect(cleared).toMatchObject({ startDate: '2026-01-01' });
    expect(await patch({ locationIds: [location.id] })).toMatchObject({
      allManagedResources: false,
      locationIds: [location.id],
    });
    expect(await patch({ businessIds: [location.businessId], locationIds: null })).toMatchObject({
      locationIds: [],
      businessIds: [location.businessId],
    });
    expect(await patch({ allManagedResources: true })).toMatchObject({ allManagedResources: true, businessIds: [] });
  });

  test('a deleted label is not a target', async () => {
    const location = await addLocation(partner);
    const label = (await partner.call('POST', '/api/labels', { name: 'Short-lived' })).body.response;
    const asset = await addAsset(partner, { locationIds: String(location.id), labels: String(label.id) });
    expect((await partner.call('DELETE', `/api/labels/${label.id}`)).code).toBe(200);
    const { code, body } = await partner.call('PATCH', `${path}/${asset.id}`, { locationIds: [] });
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ rule: 'audience' }] });
  });

  test.each([
    [{}, 400],
    [{ name: null }, 400],
    [{ name: '  ' }, 400],
    [{ name: 'a\u202eb' }, 400],
    [{ folderId: 999999999 }, 400],
    [{ startDate: '2026-05-05', endDate: '2026-05-04' }, 400],
    [{ endDate: 'never' }, 400],
    [{ status: 'GONE' }, 400],
    [{ allManagedResources: false }, 400],
    [{ businessIds: [999999999] }, 400],
    [{ labels: [999999999] }, 400],
    [{ locationIds: 'all' }, 400],
  ])('rejects %j without changes', async (body, code) => {
    const asset = await addAsset(partner, { startDate: '2026-01-01' });
    expect((await partner.call('PATCH', `${path}/${asset.id}`, body)).code).toBe(code);
    expect((await partner.call('GET', `${path}/${asset.id}`)).body.response).toEqual(asset);
  });
});

describe('deleting assets in use', () => {
  const post = (photo: string, locationId: number) => ({
    description: 'Come and see',
    directories: ['GOOGLE'],
    locationIds: [locationId],
    publicationDate: '2099-01-01T00:00:00Z',
    photos: [{ photo }],
  });

  test('is rejected while a post, location, collection or template uses the asset, unless forced', async () => {
    const location = await addLocation(partner);
    const [inPost, inLocation, inTemplate] = [
      await addAsset(partner),
      await addAsset(partner),
      await addAsset(partner),
    ];
    const [inCollection, inButton] = [await addAsset(partner), await addAsset(partner)];
    const button = { directory: 'GOOGLE', type: 'LEARN_MORE', url: inButton.url };
    const createdPost = await partner.call('POST', '/api/social-posts', {
      ...post(inPost.url, location.id),
      callToActions: [button],
    });
    expect(createdPost.code).toBe(200);
    const shown = { photos: [{ url: inLocation.url }] };
    expect((await partner.call('PATCH', `/api/locations/${location.id}`, shown)).code).toBe(200);
    const template = { name: 'Draft', content: { description: 'Hello', photos: [{ photo: inTemplate.thumbnailUrl }] } };
    const createdTemplate = await partner.call('POST', '/api/social-templates', template);
    const menu = {
      businessId: location.businessId,
      type: 'MENU',
      name: 'Menu',
      items: [{ name: 'Rye', image: inCollection.url }],
    };
    const createdCollection = await partner.call('POST', '/api/content-collections', menu);
    expect(createdCollection.code).toBe(200);
    for (const [{ id, name }, type, resource, resourceId] of [
      [inCollection, 'CONTENT_COLLECTION', 'content collection', createdCollection.body.response.id],
      [inButton, 'SOCIAL_POST', 'social post', createdPost.body.response.id],
      [inPost, 'SOCIAL_POST', 'social post', createdPost.body.response.id],
      [inLocation, 'LOCATION', 'location', location.id],
      [inTemplate, 'SOCIAL_TEMPLATE', 'social template', createdTemplate.body.response.id],
    ] as const) {
      const { code, body } = await partner.call('DELETE', `${path}/${id}`);
      expect(code).toBe(409);
      expect(body.message).toContain(`${resource} ${resourceId}`);
      const use = { assetId: id, assetName: name, type, id: resourceId };
      expect(body.details).toEqual({ uses: [use], usesCount: 1 });
      expect((await partner.call('GET', `${path}/${id}`)).code).toBe(200);
    }
    // A rejected post can be scheduled again.
    await api.database.pool.query("update social_posts set status = 'REJECTED' where id = $1", [
      createdPost.body.response.id,
    ]);
    expect((await partner.call('DELETE', `${path}/${inPost.id}`)).code).toBe(409);
    expect((await partner.call('DELETE', `/api/social-posts/${createdPost.body.response.id}`)).code).toBe(200);
    const emptied = await partner.call('PATCH', `/api/content-collections/${createdCollection.body.response.id}`, {
      items: [],
    });
    expect(emptied.code).toBe(200);
    expect((await partner.call('DELETE', `${path}/${inCollection.id}`)).code).toBe(200);
    expect((await partner.call('DELETE', `${path}/${inPost.id}`)).code).toBe(200);
    expect((await partner.call('DELETE', `${path}/${inLocation.id}?force=true`)).code).toBe(200);
    expect((await partner.call('DELETE', `${path}/${inTemplate.id}?force=true`)).code).toBe(200);
    expect((await partner.call('DELETE', `${path}/${inTemplate.id}`)).code).toBe(404);
  });
});

test('records changes in the audit trail', async () => {
  const { id } = await addAsset(partner);
  await partner.call('PATCH', `${path}/${id}`, { name: 'Renamed' });
  await partner.call('DELETE', `${path}/${id}`);
  const { rows } = await api.database.pool.query(
    "select action, details from audit_trail where partner_id = $1 and subject = 'ASSET' and subject_id = $2 order by id",
    [partner.partner.id, id],
  );
  expect(rows).toEqual([
    { action: 'CREATED', details: { name: 'terrace.png', type: 'IMAGE' } },
    { action: 'UPDATED', details: { fields: ['name'] } },
    { action: 'DELETED', details: { name: 'Renamed' } },
  ]);
});

test('assets of another partner are not found', async () => {
  const otherPartner = await api.addPartner();
  const theirs = await addBusiness(otherPartner);
  const bytes = await picture();
  const asset = await addAsset(partner, {}, { bytes });
  expect((await otherPartner.call('GET', `${path}/${asset.id}`)).code).toBe(404);
  expect(await names(otherPartner)).toEqual([]);
  expect((await partner.call('PATCH', `${path}/${asset.id}`, { businessIds: [theirs.id] })).code).toBe(400);
});
