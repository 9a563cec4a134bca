import { expect } from 'vitest';
import { addLocation } from '../support/locations.ts';
import { newPost, type Rows } from './clients.ts';

export const socialPostRows: Rows = {
  '20230115 several calls to action': async ({ partner, before, on }) => {
    const { id } = await addLocation(partner);
    const single = { callToAction: 'BOOK', url: 'https://example.com/book' };
    const input = { directories: ['GOOGLE', 'FACEBOOK'], description: 'Book now', locationIds: [id], ...single };
    const post = await before('POST', '/api/social-posts', { ...input, publicationDate: '2031-01-01T00:00:00Z' });
    const path = `/api/social-posts/${post.id}`;
    const action = { type: 'BOOK', url: 'https://example.com/book' };
    const both = [
      { directory: 'GOOGLE', ...action },
      { directory: 'FACEBOOK', ...action },
    ];
    // From _20210824 to _20230115, responses have both forms and can be sent back.
    expect(post).toMatchObject({ ...single, callToActions: both });
    const { callToAction, url, callToActions } = post;
    expect(await before('PATCH', path, { callToAction, url, callToActions })).toMatchObject({ callToActions: both });
    const oldest = await partner.call('GET', `${path}?v=20210823`);
    expect(oldest.body.response).toMatchObject(single);
    expect(oldest.body.response).not.toHaveProperty('callToActions');
    const contradicting = { callToAction: 'ORDER', callToActions: both };
    expect(await partner.call('PATCH', `${path}?v=20230114`, contradicting)).toMatchObject({ code: 400 });
    expect((await on('GET', path)).callToActions).toEqual(both);

    const other = { directory: 'FACEBOOK', type: 'ORDER', url: 'https://example.com/order' };
    await on('PATCH', path, { callToActions: [both[0], other] });
    await before('PATCH', path, { url: 'https://example.com/new' });
    expect((await on('GET', path)).callToActions).toEqual([{ ...both[0], url: 'https://example.com/new' }, other]);
  },

  '20221208 photos of posts have descriptions': async ({ partner, before, on }) => {
    const [a, b] = ['https://example.com/a.jpg', 'https://example.com/b.jpg'];
    const { id } = await newPost(partner, { photos: [{ photo: a, description: 'Rolls' }] });
    const path = `/api/social-posts/${id}`;
    expect((await before('GET', path)).photos).toEqual([a]);
    expect((await before('PATCH', path, { photos: [b, a] })).photos).toEqual([b, a]);
    expect((await on('GET', path)).photos).toEqual([{ photo: b }, { photo: a, description: 'Rolls' }]);
  },

  '20210804 publicationDate': async ({ partner, before, on, dayBefore }) => {
    const { id: locationId } = await addLocation(partner);
    const words = { directories: ['GOOGLE'], description: 'Fresh rolls', locationIds: [locationId] };
    const dateStart = '2031-06-01T08:00:00.000Z';
    const rejected = await partner.call('POST', `/api/social-posts?v=${dayBefore}`, words);
    expect(rejected).toMatchObject({ code: 400, body: { errors: [{ field: 'dateStart', rule: 'required' }] } });
    const { id, ...old } = await before('POST', '/api/social-posts', { ...words, dateStart });
    expect(old).toMatchObject({ dateStart });
    expect(old).not.toHaveProperty('publicationDate');
    const today = await on('GET', `/api/social-posts/${id}`);
    expect(today).toMatchObject({ publicationDate: dateStart });
    expect(today).not.toHaveProperty('dateStart');

    const dates = { publicationDate: '2031-07-01T08:00:00.000Z', dateStart: '2031-07-10T08:00:00.000Z' };
    const offer = await on('POST', '/api/social-posts', { ...words, type: 'OFFER', title: 'Half price', ...dates });
    const later = '2031-07-11T08:00:00.000Z';
    expect(await before('PATCH', `/api/social-posts/${offer.id}`, { dateStart: later })).toMatchObject({
      dateStart: later,
    });
    expect(await on('GET', `/api/social-posts/${offer.id}`)).toMatchObject({ ...dates, dateStart: later });
  },

  '20200728 isStoreLocator': async ({ partner, before, on }) => {
    const { id } = await newPost(partner, { isStoreLocator: false });
    const path = `/api/social-posts/${id}`;
    expect(await before('PATCH', path, { title: 'Rolls' })).not.toHaveProperty('isStoreLocator');
    expect(await on('GET', path)).toMatchObject({ isStoreLocator: false, title: 'Rolls' });
  },
};
