import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addAsset } from '../../../../test/support/assets.ts';
import { addLocation } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import type { Asset } from './asset.ts';
import { usesOf } from './change-asset.ts';

const path = '/api/dam/folders';
let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '1000000' });
});
afterAll(async () => {
  await api.close();
});
beforeEach(async () => {
  partner = await api.addPartner();
});

const create = (body: object) => partner.call('POST', path, body);
const createFolder = async (name: string, parentId?: number): Promise<{ id: number }> => {
  const { body } = await create({ name, ...(parentId !== undefined && { parentId }) });
  expect(body).toMatchObject({ status: 'SUCCESS' });
  return body.response;
};
const move = (id: number, parentId: number | null) => partner.call('PATCH', `${path}/${id}`, { parentId });
const read = async (id: number) => (await partner.call('GET', `${path}/${id}`)).body.response;
const listed = async (query = '') =>
  (await partner.call('GET', `${path}${query}`)).body.response.folders.map(({ name }: { name: string }) => name);

/** Whether every folder has a path to the top level. */
async function hasNoCycle(): Promise<boolean> {
  const { rows } = await api.database.pool.query<{ id: number; parent_id: number | null }>(
    'select id, parent_id from asset_folders where partner_id = $1',
    [partner.partner.id],
  );
  const parents = new Map(rows.map((row) => [row.id, row.parent_id]));
  return rows.every(({ id }) => {
    let at: number | null = id;
    for (let step = 0; step <= rows.length && at !== null; step++) at = parents.get(at) ?? null;
    return at === null;
  });
}

describe('folders', () => {
  test('can be nested and return their path', async () => {
    const outer = await createFolder('Marketing');
    const inner = await createFolder(' Campaigns 2026 ', outer.id);
    await addAsset(partner, { folderId: String(inner.id) });
    expect(await read(inner.id)).toEqual({
      id: inner.id,
      name: 'Campaigns 2026',
      parentId: outer.id,
      path: ['Marketing', 'Campaigns 2026'],
      foldersCount: 0,
      assetsCount: 1,
      createdBy: 'PRIVATE_TOKEN',
      dateCreated: expect.any(String),
      lastUpdated: expect.any(String),
    });
    expect(await read(outer.id)).toMatchObject({ path: ['Marketing'], foldersCount: 1, assetsCount: 0 });
  });

  test('are listed by name and parent, in pages', async () => {
    const b = await createFolder('beta');
    await createFolder('Alpha');
    await createFolder('Inner', b.id);
    expect(await listed()).toEqual(['Alpha', 'beta', 'Inner']);
    expect(await listed('?parentId=0')).toEqual(['Alpha', 'beta']);
    expect(await listed(`?parentId=${b.id}`)).toEqual(['Inner']);
    expect(await listed('?query=ET')).toEqual(['beta']);
    expect(await listed('?page=1&size=2')).toEqual(['Inner']);
    expect((await partner.call('GET', `${path}?size=2`)).body.response).toMatchObject({ page: 0, size: 2, count: 3 });
    expect((await partner.call('GET', `${path}?parentId=999999999`)).code).toBe(404);
  });

  test('have names that are unique per parent ignoring case, also concurrently', async () => {
    const responses = await Promise.all(['Menu', 'menu', 'MENU'].map((name) => create({ name })));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
    const [{ id }] = (await partner.call('GET', path)).body.response.folders;
    expect((await create({ name: 'Menu', parentId: id })).code).toBe(200);
    const other = await createFolder('Other');
    expect((await partner.call('PATCH', `${path}/${other.id}`, { name: 'mENU' })).code).toBe(409);
    expect((await partner.call('PATCH', `${path}/${id}`, { name: 'MENU!' })).code).toBe(200);
  });

  test.each([
    [{}, 400],
    [{ name: ' ' }, 400],
    [{ name: 'a/b' }, 400],
    [{ name: '..' }, 400],
    [{ name: '..\\x' }, 400],
    [{ name: 'a\u0000' }, 400],
    [{ name: 'x\u202ey' }, 400],
    [{ name: 'x'.repeat(256) }, 400],
    [{ name: 'Fine', parentId: 999999999 }, 400],
  ])('rejects %j', async (body, code) => {
    expect((await create(body)).code).toBe(code);
    expect(await listed()).toEqual([]);
  });
});

describe('moving', () => {
  test('moves the content too', async () => {
    const [a, b] = [await createFolder('a'), await createFolder('b')];
    const inner = await createFolder('inner', a.id);
    expect((await move(a.id, b.id)).code).toBe(200);
    expect((await read(inner.id)).path).toEqual(['b', 'a', 'inner']);
    expect((await move(a.id, null)).code).toBe(200);
    expect((await read(inner.id)).path).toEqual(['a', 'inner']);
  });

  test('is rejected if the new parent is the folder itself or a subfolder', async () => {
    const a = await createFolder('a');
    const b = await createFolder('b', a.id);
    const c = await createFolder('c', b.id);
    for (const into of [a, b, c]) {
      const { code, body } = await move(a.id, into.id);
      expect(code).toBe(409);
      expect(body.message).toContain('cannot be moved into itself');
    }
    expect((await move(c.id, a.id)).code).toBe(200);
  });

  test('is limited to a depth of ten including subfolders', async () => {
    let at: number | undefined;
    const chain: number[] = [];
    for (let depth = 1; depth <= 10; depth++) {
      at = (await createFolder(`${depth}`, at)).id;
      chain.push(at);
    }
    expect(await create({ name: 'too deep', parentId: at })).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'parentId', rule: 'depth' }] },
    });
    const pair = await createFolder('pair');
    await createFolder('within', pair.id);
    expect((await move(pair.id, chain[8] as number)).code).toBe(400);
    expect((await move(pair.id, chain[7] as number)).code).toBe(200);
  });

  test('succeeds once when two folders are moved into each other concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await createFolder(`a${round}`), await createFolder(`b${round}`)];
      const responses = await Promise.all([move(a.id, b.id), move(b.id, a.id)]);
      expect(responses.map(({ code }) => code).sort()).toEqual([200, 409]);
    }
    expect(await hasNoCycle()).toBe(true);
  });

  test('never creates a cycle, also concurrently', async () => {
    const ids = (await Promise.all(Array.from({ length: 6 }, (_, index) => createFolder(`f${index}`)))).map(
      ({ id }) => id,
    );
    const parentIndex = fc.option(fc.integer({ min: 0, max: 5 }), { nil: null });
    const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), parentIndex), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(moves, async (requested) => {
        const responses = await Promise.all(
          requested.map(([folder, parent]) =>
            move(ids[folder] as number, parent === null ? null : (ids[parent] as number)),
          ),
        );
        expect(responses.every(({ code }) => code === 200 || code === 409)).toBe(true);
        expect(await hasNoCycle()).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});

describe('deleting', () => {
  test('requires recursive for non-empty folders', async () => {
    const outer = await createFolder('outer');
    const inner = await createFolder('inner', outer.id);
    const asset = await addAsset(partner, { folderId: String(inner.id) });
    for (const { id } of [outer, inner]) {
      const { code, body } = await partner.call('DELETE', `${path}/${id}`);
      expect(code).toBe(409);
      expect(body.message).toContain('recursive=true');
    }
    const empty = await createFolder('empty', outer.id);
    expect((await partner.call('DELETE', `${path}/${empty.id}`)).body.response).toMatchObject({ success: true });
    const deleted = await partner.call('DELETE', `${path}/${outer.id}?recursive=true`);
    expect(deleted.body.response).toEqual({ success: true, foldersCount: 2, assetsCount: 1 });
    expect((await partner.call('GET', `${path}/${inner.id}`)).code).toBe(404);
    expect((await partner.call('GET', `/api/dam/assets/${asset.id}`)).code).toBe(404);
    expect((await fetch(asset.url)).status).toBe(404);
  });

  test('reports assets in use and requires force', async () => {
    const location = await addLocation(partner);
    const { id } = await createFolder('in use');
    const asset = await addAsset(partner, { folderId: String(id) });
    await partner.call('PATCH', `/api/locations/${location.id}`, { photos: [{ url: asset.url }] });
    const rejected = await partner.call('DELETE', `${path}/${id}?recursive=true`);
    expect(rejected.code).toBe(409);
    expect(rejected.body.message).toContain(`location ${location.id}`);
    expect(rejected.body.details).toMatchObject({ uses: [{ assetId: asset.id, type: 'LOCATION', id: location.id }] });
    expect(await read(id)).toMatchObject({ assetsCount: 1 });
    expect((await partner.call('DELETE', `${path}/${id}?recursive=true&force=true`)).code).toBe(200);
  });

  test('counts all uses and does not read resources that use other assets', async () => {
    const { id } = await createFolder('many');
    const [used, unused, other] = [
      await addAsset(partner, { folderId: String(id) }),
      await addAsset(partner, { folderId: String(id) }),
      await addAsset(partner),
    ];
    const photos = [{ url: used.url }, { url: used.thumbnailUrl }];
    for (let number = 0; number < 7; number += 1) await addLocation(partner, { identifier: `used-${number}`, photos });
    await addLocation(partner, { identifier: 'other', photos: [{ url: other.url }] });
    const { body } = await partner.call('DELETE', `${path}/${id}?recursive=true`);
    expect(body.message).toContain(' and 2 more');
    expect(body.details).toMatchObject({ usesCount: 7, uses: Array(7).fill({ assetId: used.id, type: 'LOCATION' }) });
    const rowsOf = (assets: { id: number; url: string }[]) =>
      api.database.transaction(async (transaction) => {
        let rows = 0;
        const query = async (...given: Parameters<typeof transaction.query>) => {
          const result = (await transaction.query(...given)) as unknown as { rows: unknown[] };
          rows += result.rows.length;
          return result;
        };
        const counting = { ...transaction, query: query as unknown as typeof transaction.query };
        const deleted = assets.map(
          (asset) => ({ id: asset.id, accessToken: asset.url.split('/').at(-1)?.slice(0, 32) }) as Asset,
        );
        await usesOf(counting, partner.partner.id, deleted);
        return rows;
      });
    expect(await rowsOf([used, unused])).toBe(7);
  });

  test('leaves no assets of concurrent uploads', async () => {
    const { id } = await createFolder('busy');
    const uploads = Array.from({ length: 4 }, () => addAsset(partner, { folderId: String(id) }).catch(() => undefined));
    const { code } = await partner.call('DELETE', `${path}/${id}?recursive=true`);
    await Promise.all(uploads);
    expect(code).toBe(200);
    const { rows } = await api.database.pool.query('select count(*) from assets where partner_id = $1', [
      partner.partner.id,
    ]);
    expect(rows[0].count).toBe(0);
  });

  test('is rejected if the folder contains assets for other locations', async () => {
    const location = await addLocation(partner);
    const manager = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['ASSET_READ', 'ASSET_WRITE'],
      locationIds: [location.id],
    });
    const { id } = await createFolder('common');
    await addAsset(manager, { folderId: String(id) });
    const elsewhere = await addLocation(partner);
    const foreign = await addAsset(partner, { folderId: String(id), locationIds: String(elsewhere.id) });
    expect((await manager.call('GET', `${path}/${id}`)).body.response.assetsCount).toBe(1);
    expect((await manager.call('DELETE', `${path}/${id}?recursive=true`)).code).toBe(403);
    expect((await manager.call('PATCH', `${path}/${id}`, { name: 'mine' })).code).toBe(403);
    await partner.call('DELETE', `/api/dam/assets/${foreign.id}`);
    expect((await manager.call('PATCH', `${path}/${id}`, { name: 'mine' })).code).toBe(200);
    expect((await manager.call('DELETE', `${path}/${id}?recursive=true`)).code).toBe(200);
  });
});

test('changes require ASSET_WRITE', async () => {
  const { id } = await createFolder('fixed');
  const reader = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['ASSET_READ'] });
  expect((await reader.call('GET', path)).code).toBe(200);
  expect((await reader.call('POST', path, { name: 'x' })).code).toBe(403);
  expect((await reader.call('PATCH', `${path}/${id}`, { name: 'x' })).code).toBe(403);
  expect((await reader.call('DELETE', `${path}/${id}`)).code).toBe(403);
});

test('a manager without a business or location sees no folders', async () => {
  const { id } = await createFolder('Campaigns');
  const manager = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
  expect((await manager.call('GET', path)).body.response).toMatchObject({ count: 0, folders: [] });
  expect((await manager.call('GET', `${path}/${id}`)).code).toBe(404);
});
