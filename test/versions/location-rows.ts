import { expect } from 'vitest';
import { allCategories, currentCategory } from '../../src/modules/catalog/categories/categories.ts';
import { addBusiness, addLocation, bakery } from '../support/locations.ts';
import { clientOf, type Rows } from './clients.ts';

export const locationRows: Rows = {
  '20230721 service items have an id and translations': async ({ partner, before, on }) => {
    const item = { identifier: 'cut', title: 'Cut', translations: { de: { title: 'Schnitt' } } };
    const { id, services } = await addLocation(partner, { services: [item] });
    expect((await on('GET', `/api/locations/${id}`)).services).toEqual(services);
    expect((await before('GET', `/api/locations/${id}`)).services).toEqual([{ identifier: 'cut', title: 'Cut' }]);
    await before('PATCH', `/api/locations/${id}`, { services: [{ id: 1, identifier: 'cut', title: 'Haircut' }] });
    expect((await on('GET', `/api/locations/${id}`)).services).toEqual([{ ...services[0], title: 'Haircut' }]);
  },

  '20230407 UTM parameters for each directory': async ({ partner, before, on }) => {
    const utms = [
      { type: 'BING', parameters: 'utm_source=bing' },
      { type: 'GOOGLE', parameters: 'utm_source=google' },
    ];
    const { id } = await addLocation(partner, { utms });
    const old = await before('GET', `/api/locations/${id}`);
    expect(old).toMatchObject({ websiteExtra: 'utm_source=google' });
    expect(old).not.toHaveProperty('utms');
    await before('PATCH', `/api/locations/${id}`, { websiteExtra: '?utm_source=maps' });
    const updated = await on('GET', `/api/locations/${id}`);
    expect(updated.utms).toEqual([utms[0], { type: 'GOOGLE', parameters: 'utm_source=maps' }]);
    expect(updated.websiteExtra).toBe('utm_source=maps');
    await on('PATCH', `/api/locations/${id}`, { websiteExtra: null });
    expect((await on('GET', `/api/locations/${id}`)).utms).toEqual([utms[0]]);
  },

  '20220222 futureOpeningDate was renamed to openingDate': async ({ partner, before, on }) => {
    const { id } = await addLocation(partner, { openingDate: '2031-03-01' });
    const path = `/api/locations/${id}`;
    expect(await on('GET', path)).toMatchObject({ openingDate: '2031-03-01' });
    const old = await before('PATCH', path, { futureOpeningDate: '2031-04-01' });
    expect(old).toMatchObject({ futureOpeningDate: '2031-04-01' });
    expect(old).not.toHaveProperty('openingDate');
    const masked = `/api/locations?ids=${id}&fieldMask=name,futureOpeningDate`;
    expect((await before('GET', masked)).locations).toEqual([
      { id, name: expect.any(String), futureOpeningDate: '2031-04-01' },
    ]);
    expect(await partner.call('GET', masked)).toMatchObject({ code: 400 });
    expect((await on('GET', path)).openingDate).toBe('2031-04-01');
  },

  '20211102 services are items': async ({ partner, before, on }) => {
    const { id, services } = await addLocation(partner, {
      services: [{ title: 'Cut', price: 2500, currency: 'EUR' }, { title: 'Shave' }],
    });
    const path = `/api/locations/${id}`;
    expect((await before('GET', path)).services).toEqual(['Cut', 'Shave']);
    expect((await before('PATCH', path, { services: ['Colour', 'Cut'] })).services).toEqual(['Colour', 'Cut']);
    expect((await on('GET', path)).services).toMatchObject([{ title: 'Colour' }, { title: 'Cut', price: 2500 }]);
    expect((await partner.call('GET', path)).body.response.services[1]).toEqual(services[0]);
  },

  '20200518 merged categories': async ({ partner, before, on }) => {
    const merged = [...allCategories().values()].find(
      ({ id, mergedInto }) => mergedInto !== undefined && currentCategory(id)?.selectable,
    );
    const categories = [merged?.id as number, bakery];
    const successor = currentCategory(categories[0] as number)?.id as number;
    const { id } = await addLocation(partner, { categories });
    expect(await on('GET', `/api/locations/${id}`)).toMatchObject({ categories: [successor, bakery] });
    expect(await before('GET', `/api/locations/${id}`)).toMatchObject({ categories });
    const listed = await before('GET', `/api/locations?ids=${id}&fieldMask=categories`);
    expect(listed.locations).toEqual([{ id, categories }]);
    for (const client of [before, on]) {
      for (const category of [merged?.id, successor]) {
        const found = await client('GET', `/api/locations?categories=${category}&fieldMask=name`);
        expect(found.locations).toMatchObject([{ id }]);
      }
    }
    const counts = [await before('GET', '/api/categories'), await on('GET', '/api/categories')];
    expect(counts[0].count).toBeGreaterThan(counts[1].count);
  },

  '20200430 at most 50 locations without a field mask': async ({ api, dayBefore, day }) => {
    const own = await api.addPartner();
    const { id: businessId } = await addBusiness(own);
    for (let number = 1; number <= 52; number++) await addLocation(own, { businessId, streetNo: `${number}` });
    const path = '/api/locations?max=1000';
    expect((await clientOf(dayBefore, own.call)('GET', path)).locations).toHaveLength(52);
    expect((await clientOf(day, own.call)('GET', '/api/locations?max=100')).locations).toHaveLength(50);
    expect((await own.call('GET', `${path}&v=${day}`)).body).toMatchObject({
      response: { max: 50 },
      warnings: [expect.stringContaining('capped at 50')],
    });
  },

  '20230721 an id and translations need Collections in a product plan': async ({ api, day }) => {
    const own = await api.addPartner();
    const items = [{ identifier: 'cut', title: 'Cut', translations: { de: { title: 'Schnitt' } } }];
    const { id } = await addLocation(own);
    const path = `/api/locations/${id}`;
    const client = clientOf(day, own.call);
    const written = await own.call('PATCH', `${path}?v=${day}`, { services: items });
    expect(written.body.response.services).toEqual([{ identifier: 'cut', title: 'Cut' }]);
    expect(written.body.warnings).toEqual([
      'translations of ServiceItem was ignored: it needs _20230721 and a product plan with COLLECTIONS.',
    ]);
    // Old clients match by identifier, not by id.
    await client('PATCH', path, { services: [{ id: 999_999_999, identifier: 'cut', title: 'Haircut' }] });
    expect((await client('GET', path)).services).toEqual([{ identifier: 'cut', title: 'Haircut' }]);

    const input = { name: 'Presence', price: 2900, currency: 'EUR', features: ['COLLECTIONS'] };
    const plan = await client('POST', '/api/product-plans', input);
    expect((await client('GET', path)).services[0]).not.toHaveProperty('id');
    await client('PATCH', `/api/product-plans/${plan.id}`, { status: 'ACTIVE' });
    await expect
      .poll(async () => (await client('GET', path)).services)
      .toEqual([{ id: expect.any(Number), identifier: 'cut', title: 'Haircut' }]);
    const [service] = (await client('PATCH', path, { services: items })).services;
    expect(service).toEqual({ id: expect.any(Number), ...items[0] });

    // An inactive plan keeps its features.
    await client('PATCH', `/api/product-plans/${plan.id}`, { status: 'INACTIVE' });
    await client('PATCH', `/api/product-plans/${plan.id}`, { features: [] });
    await expect.poll(async () => (await client('GET', path)).services).toEqual([{ identifier: 'cut', title: 'Cut' }]);
  },

  '20230407 the history and the list of fields contain websiteExtra': async ({ partner, before, on }) => {
    const { id } = await addLocation(partner);
    await on('PATCH', `/api/locations/${id}`, { utms: [{ type: 'GOOGLE', parameters: 'utm_source=google' }] });
    const path = `/api/locations/${id}/history`;
    expect((await on('GET', path)).changes).toMatchObject([{ fields: ['utms'] }]);
    expect((await before('GET', path)).changes).toMatchObject([{ fields: ['websiteExtra'] }]);
    const names = async (client: typeof before) => namesOf((await client('GET', '/api/locations/fields')).fields);
    expect(await names(on)).toEqual(expect.arrayContaining(['utms', 'websiteExtra']));
    expect((await names(before)).filter((name) => /^(utms|websiteExtra)$/.test(name))).toEqual(['websiteExtra']);
  },

  '20220222 the history and the list of fields contain futureOpeningDate': async ({ partner, before, on }) => {
    const { id } = await addLocation(partner);
    await on('PATCH', `/api/locations/${id}`, { openingDate: '2031-03-01' });
    const path = `/api/locations/${id}/history`;
    expect((await on('GET', path)).changes).toMatchObject([{ fields: ['openingDate'] }]);
    expect((await before('GET', path)).changes).toMatchObject([{ fields: ['futureOpeningDate'] }]);
    const earlier = namesOf((await before('GET', '/api/locations/fields')).fields);
    expect(earlier).toContain('futureOpeningDate');
    expect(earlier).not.toContain('openingDate');
    expect(namesOf((await on('GET', '/api/locations/fields')).fields)).toContain('openingDate');
  },

  '20191203 fields are classified': async ({ before, on }) => {
    expect((await on('GET', '/api/locations/fields')).fields).toContainEqual({
      name: 'phone',
      classification: 'REQUIRED',
    });
    expect((await before('GET', '/api/locations/fields')).fields).toContainEqual({ name: 'phone' });
  },
};

const namesOf = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);
