import { expect } from 'vitest';
import { addUser } from '../support/users.ts';
import { clientOf, type Rows } from './clients.ts';

export const userRows: Rows = {
  '20200128 the inbox has two features': async ({ before, on }) => {
    const input = { email: 'inbox@example.com', role: 'LOCATION_MANAGER', features: ['INBOX'] };
    const { id, features } = await before('POST', '/api/users', input);
    expect(features).toEqual(['INBOX']);
    expect((await on('GET', `/api/users/${id}`)).features.sort()).toEqual(['INBOX_READ', 'INBOX_WRITE']);
    await on('PATCH', `/api/users/${id}`, { features: ['INBOX_READ'] });
    const echoed = (await before('GET', `/api/users/${id}`)).features;
    await before('PATCH', `/api/users/${id}`, { features: echoed });
    expect((await on('GET', `/api/users/${id}`)).features).toEqual(['INBOX_READ']);
    const names = (await before('GET', '/api/features')).features.map(({ name }: { name: string }) => name);
    expect(names).toContain('INBOX');
    expect(names).not.toContain('INBOX_READ');
  },

  '20190702 featuresDetailed': async ({ partner, api, dayBefore, day }) => {
    const { call } = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
    expect(await clientOf(day, call)('GET', '/api/users/me')).toHaveProperty('featuresDetailed');
    expect(await clientOf(dayBefore, call)('GET', '/api/users/me')).not.toHaveProperty('featuresDetailed');
  },

  '20190423 locations have two features': async ({ partner, before, on }) => {
    const input = { email: 'listing@example.com', role: 'LOCATION_MANAGER', features: ['LISTING', 'INBOX'] };
    const { id, features } = await before('POST', '/api/users', input);
    expect(features.sort()).toEqual(['INBOX', 'LISTING']);
    const now = (await partner.call('GET', `/api/users/${id}`)).body.response.features;
    expect(now.sort()).toEqual(['INBOX_READ', 'INBOX_WRITE', 'LOCATION_READ', 'LOCATION_WRITE']);
    expect((await on('GET', `/api/users/${id}`)).features.sort()).toEqual(['INBOX', 'LOCATION_READ', 'LOCATION_WRITE']);
  },
};
