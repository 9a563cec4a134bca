import { expect } from 'vitest';
import { addLocation, bakery } from '../support/locations.ts';
import { addUser } from '../support/users.ts';
import { clientOf, newPost, type Rows } from './clients.ts';

export const labelRows: Rows = {
  '20191203 labels are objects': async ({ partner, before, on }) => {
    const { id } = await addLocation(partner);
    const path = `/api/locations/${id}`;
    const old = await before('PATCH', path, { labels: ['Flagship'] });
    expect(old.labels).toEqual(['Flagship']);
    expect(old).not.toHaveProperty('classification');
    const today = await on('GET', path);
    expect(today).toMatchObject({ labels: [{ name: 'Flagship', adminOnly: false }], classification: 'BASIC' });
    const post = await newPost(partner);
    const labelled = await before('PATCH', `/api/social-posts/${post.id}`, { labels: ['flagship'] });
    expect(labelled.labels).toEqual(['Flagship']);
    expect((await on('GET', `/api/social-posts/${post.id}`)).labels).toEqual(today.labels);
    expect((await before('GET', '/api/labels?query=Flagship')).labels).toEqual(['Flagship']);
    expect((await on('GET', '/api/labels?query=Flagship')).labels).toEqual(today.labels);
  },

  '20191203 all users can create labels': async ({ api, partner, before, dayBefore, day }) => {
    const { id, businessId } = await addLocation(partner);
    await before('PATCH', `/api/locations/${id}`, { labels: ['Known'] });
    const { call } = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    const path = `/api/locations/${id}`;
    const then = { 'x-api-version': dayBefore };
    const input = { name: 'Lindner', street: 'Ring', city: 'Köln', country: 'DE', categories: [bakery], businessId };
    for (const [method, url, body] of [
      ['PATCH', path, { labels: ['Known', 'New'] }],
      ['PUT', path, { labels: ['Known', 'New'] }],
      ['POST', path, { labels: ['Known', 'New'] }],
      ['POST', '/api/locations', { ...input, labels: ['Known', 'New'] }],
    ] as const) {
      const rejected = await call(method, url, body, then);
      expect(rejected, `${method} ${url}`).toMatchObject({
        code: 400,
        body: { errors: [{ field: 'labels[1]', rule: 'known' }] },
      });
      expect(rejected.body.message).toContain(
        'must be an existing label, not New. In this API version only administrators can create labels',
      );
    }
    const many = await call('PATCH', '/api/locations', { ids: [id], changes: { labels: ['New'] } }, then);
    expect(many.body.response).toMatchObject({ updatedCount: 0, failed: [{ errors: [{ rule: 'known' }] }] });
    expect(await call('POST', '/api/labels', { name: 'New' }, then)).toMatchObject({ code: 403 });

    expect((await clientOf(dayBefore, call)('PATCH', path, { labels: ['Known'] })).labels).toEqual(['Known']);
    const admin = await addUser(api, partner, { role: 'ADMIN' });
    const byAdmin = await clientOf(dayBefore, admin.call)('PATCH', path, { labels: ['By an administrator'] });
    expect(byAdmin.labels).toEqual(['By an administrator']);
    const today = await clientOf(day, call)('PATCH', path, { labels: [{ name: 'New' }] });
    expect(today.labels).toMatchObject([{ name: 'New', adminOnly: false }]);
  },
};
