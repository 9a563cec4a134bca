import { expect } from 'vitest';
import { addFinder, addVisibleLocation, alwaysOpen } from '../support/store-finder.ts';
import type { Rows } from './clients.ts';

export const storeFinderRows: Rows = {
  '20230110 mapApiKey': async ({ partner, dayBefore, day, before, visitor }) => {
    const finder = await addFinder(partner, { mapApiKey: 'abc' });
    expect(await visitor(day, finder)('/settings')).toMatchObject({ mapApiKey: 'abc' });
    const old = await visitor(dayBefore, finder)('/settings');
    expect(old).toMatchObject({ googleAPIKey: 'abc', googleAPIVersion: '3' });
    expect(old).not.toHaveProperty('mapApiKey');
    const change = { googleAPIKey: 'def', googleAPIVersion: '3' };
    expect(await before('PATCH', `/api/store-finders/${finder.storeKey}`, change)).toMatchObject(change);
    expect(await visitor(day, finder)('/settings')).toMatchObject({ mapApiKey: 'def' });
  },

  '20211005 filters of the store finder have translations': async ({ partner, api, dayBefore, day, visitor }) => {
    await addVisibleLocation(api, partner);
    const finder = await addFinder(partner, { filters: ['categories'] });
    const { filters } = await visitor(day, finder)('/filters');
    expect(filters).toMatchObject([{ id: 'categories', translations: {}, values: [{ value: 'Bakery' }] }]);
    const old = (await visitor(dayBefore, finder)('/filters')).filters;
    expect(old).toEqual([{ id: 'categories', name: filters[0].name, values: ['Bakery'] }]);
  },

  '20210907 details show all photos': async ({ partner, api, dayBefore, day, visitor }) => {
    const photos = [
      { url: 'https://example.com/main.jpg', type: 'MAIN' },
      { url: 'https://example.com/a.jpg', type: 'PHOTO' },
    ];
    const { id } = await addVisibleLocation(api, partner, { photos });
    const finder = await addFinder(partner);
    expect((await visitor(day, finder)(`/locations/${id}`)).photos).toEqual(photos);
    expect((await visitor(dayBefore, finder)(`/locations/${id}`)).photos).toEqual([photos[0]]);
  },

  '20210824 openNow only if requested': async ({ partner, api, dayBefore, day, visitor }) => {
    const { businessId } = await addVisibleLocation(api, partner, { name: 'A', openingHours: alwaysOpen });
    await addVisibleLocation(api, partner, { name: 'B', businessId });
    const finder = await addFinder(partner, { businessIds: [businessId] });
    for (const path of ['/locations', '/locations/all']) {
      expect((await visitor(dayBefore, finder)(path)).locations).toMatchObject([{ openNow: true }, { openNow: false }]);
      expect((await visitor(day, finder)(path)).locations[0]).not.toHaveProperty('openNow');
    }
  },

  '20220222 openingDate in details and settings': async ({ partner, api, dayBefore, day, before, on, visitor }) => {
    const { id } = await addVisibleLocation(api, partner, { openingDate: '2031-03-01' });
    const finder = await addFinder(partner, { fields: ['openingDate', 'phone'] });
    expect(await visitor(day, finder)(`/locations/${id}`)).toMatchObject({ openingDate: '2031-03-01' });
    const old = await visitor(dayBefore, finder)(`/locations/${id}`);
    expect(old).toMatchObject({ futureOpeningDate: '2031-03-01' });
    expect(old).not.toHaveProperty('openingDate');

    const path = `/api/store-finders/${finder.storeKey}`;
    expect((await visitor(dayBefore, finder)('/settings')).fields).toEqual(['futureOpeningDate', 'phone']);
    const fields = ['email', 'futureOpeningDate'];
    expect((await before('PATCH', path, { fields })).fields).toEqual(fields);
    expect((await on('GET', path)).fields).toEqual(['email', 'openingDate']);
  },

  '20211102 services in details are objects': async ({ partner, api, dayBefore, day, visitor }) => {
    const { id } = await addVisibleLocation(api, partner, {
      services: [{ title: 'Catering', price: 5000, currency: 'EUR' }],
    });
    const finder = await addFinder(partner);
    expect((await visitor(day, finder)(`/locations/${id}`)).services).toEqual([
      { title: 'Catering', price: 5000, currency: 'EUR' },
    ]);
    expect((await visitor(dayBefore, finder)(`/locations/${id}`)).services).toEqual(['Catering']);
  },
};
