import { expect } from 'vitest';
import { addBusiness, addLocation } from '../support/locations.ts';
import type { Rows } from './clients.ts';

export const contentRows: Rows = {
  '20220222 content objects have one image': async ({ partner, before, on }) => {
    const { id: businessId } = await addBusiness(partner);
    const collection = { businessId, type: 'MENU', name: 'Cakes' };
    const [a, b] = ['https://example.com/a.jpg', 'https://example.com/b.jpg'];
    const { id, items } = await before('POST', '/api/content-collections', {
      ...collection,
      items: [{ name: 'Cheesecake', images: [a] }],
    });
    expect(items).toMatchObject([{ images: [a] }]);
    const path = `/api/content-collections/${id}/items/${items[0].id}`;
    expect(await on('GET', path)).toMatchObject({ image: a });
    expect(await before('PATCH', path, { images: [b] })).toMatchObject({ images: [b] });
    const two = await partner.call('PATCH', `${path}?v=20220221`, { images: [b, a] });
    expect(two.body).toMatchObject({
      response: { images: [b] },
      warnings: expect.arrayContaining([expect.stringContaining('The first of 2 images was stored')]),
    });
    expect(await before('PATCH', path, { images: [] })).toMatchObject({ images: [] });
    expect(await on('GET', path)).not.toHaveProperty('image');
  },

  '20210214 items are in collections': async ({ partner, before, on }) => {
    const { id } = await addLocation(partner);
    const path = `/api/locations/${id}/content-lists`;
    const items = [{ name: 'Espresso', images: ['https://example.com/e.jpg'] }];
    const written = await before('PUT', path, { contentLists: [{ name: 'Drinks', type: 'MENU', items }] });
    const [list] = written.contentLists;
    expect(list).toMatchObject({ name: 'Drinks', type: 'MENU', items });
    expect(list).not.toHaveProperty('collectionId');
    const [today] = (await on('GET', path)).contentLists;
    expect(today).toMatchObject({ collectionId: expect.any(Number), items: [{ name: 'Espresso' }] });

    const more = [...list.items, { name: 'Tea' }];
    await before('PUT', path, { contentLists: [{ ...list, items: more }] });
    expect((await on('GET', path)).contentLists).toMatchObject([
      { id: list.id, collectionId: today.collectionId, items: [{ id: list.items[0].id }, { name: 'Tea' }] },
    ]);
    const { items: kept } = await on('GET', `/api/content-collections/${today.collectionId}`);
    expect(kept).toHaveLength(2);

    const location = await before('GET', `/api/locations/${id}`);
    expect(location.contentLists).toMatchObject([{ id: list.id, items: [{ name: 'Espresso' }, { name: 'Tea' }] }]);
    expect(await before('PUT', `/api/locations/${id}`, location)).toEqual(location);
    const [first] = location.contentLists;
    const fewer = [{ ...first, items: first.items.slice(1) }];
    expect((await before('PATCH', `/api/locations/${id}`, { contentLists: fewer })).contentLists).toEqual(fewer);
  },
};
