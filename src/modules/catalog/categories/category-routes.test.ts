import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { allCategories, findCategoryByPath } from './categories.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

const list = async (query = '') => (await partner.call('GET', `/api/categories${query}`)).body.response;
const bakery = findCategoryByPath('shop/bakery')?.id;

describe('list', () => {
  test('pages without gaps by offset and by after', async () => {
    const first = await list('?max=500&selectable=true');
    expect(first).toMatchObject({ offset: 0, max: 500, count: expect.any(Number) });
    const ids = first.categories.map(({ id }: { id: number }) => id);
    let after = '';
    for (;;) {
      const page = await list(`?max=500&selectable=true${after}`);
      if (after !== '') ids.push(...page.categories.map(({ id }: { id: number }) => id));
      const last = page.categories.at(-1);
      if (!last) break;
      after = `&after=${last.id}`;
    }
    expect(ids).toHaveLength(first.count);
    expect(new Set(ids).size).toBe(first.count);
    expect(first.count).toBe([...allCategories().values()].filter(({ selectable }) => selectable).length);
    const tail = await list(`?max=500&selectable=true&offset=500`);
    expect(tail.categories.map(({ id }: { id: number }) => id)).toEqual(ids.slice(500));
  });

  test('returns names in the requested languages', async () => {
    const { categories } = await list('?query=backerei&language=de&languages=fr,en');
    expect(categories.find(({ id }: { id: number }) => id === bakery)).toEqual({
      id: bakery,
      name: 'Bäckerei',
      names: { fr: 'Boulangerie', en: 'Bakery' },
      path: 'shop/bakery',
      parent: findCategoryByPath('shop')?.id,
      selectable: true,
    });
  });

  test.each([
    ['?language=klingon', 'language'],
    ['?languages=de,klingon', 'languages'],
    ['?after=1', 'after'],
    ['?parent=-1', 'parent'],
    ['?max=0', 'max'],
  ])('rejects %s and names the field', async (query, field) => {
    expect(await partner.call('GET', `/api/categories${query}`)).toMatchObject({
      code: 400,
      body: { errors: [{ field }] },
    });
  });
});

describe('single category', () => {
  test('is read by id, with mergedInto if it was merged', async () => {
    const school = findCategoryByPath('amenity/school');
    expect((await partner.call('GET', `/api/categories/${bakery}`)).body.response).toMatchObject({ name: 'Bakery' });
    expect((await partner.call('GET', `/api/categories/${school?.id}?language=es`)).body.response).toMatchObject({
      selectable: false,
      mergedInto: school?.mergedInto,
    });
  });

  test('an unknown id is not found', async () => {
    expect(await partner.call('GET', '/api/categories/1')).toMatchObject({ code: 404 });
  });

  test('requires a key', async () => {
    expect(await api.call('GET', `/api/categories/${bakery}`)).toMatchObject({ code: 401 });
  });
});
