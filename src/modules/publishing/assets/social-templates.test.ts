import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addAsset } from '../../../../test/support/assets.ts';
import { addLocation } from '../../../../test/support/locations.ts';

const path = '/api/social-templates';
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

const offer = {
  type: 'OFFER',
  title: 'Two for one',
  description: 'Every Tuesday',
  directories: ['GOOGLE', 'FACEBOOK'],
  callToActions: [{ type: 'GET_OFFER', url: 'https://example.com/offer' }],
  couponCode: 'TUESDAY',
  termsAndConditions: 'One per guest',
};

describe('a template', () => {
  test('is an asset with the content of a post', async () => {
    const photo = await addAsset(partner);
    const content = { ...offer, photos: [{ photo: photo.url, description: 'Our terrace' }] };
    const { code, body } = await partner.call('POST', path, { name: 'Tuesday', description: 'For slow days', content });
    expect(code).toBe(200);
    expect(body.response).toMatchObject({
      name: 'Tuesday',
      description: 'For slow days',
      type: 'SOCIAL_POST_TEMPLATE',
      status: 'VISIBLE',
      allManagedResources: true,
      content: {
        ...content,
        callToActions: [
          { directory: 'GOOGLE', type: 'GET_OFFER', url: 'https://example.com/offer' },
          { directory: 'FACEBOOK', type: 'GET_OFFER', url: 'https://example.com/offer' },
        ],
        isStoreLocator: true,
        videos: [],
      },
    });
    for (const absent of ['url', 'thumbnailUrl', 'mimeType', 'sizeBytes'])
      expect(body.response).not.toHaveProperty(absent);
    const { id } = body.response;
    expect((await partner.call('GET', `/api/dam/assets/${id}`)).body.response).toEqual(body.response);
    const list = await partner.call('GET', '/api/dam/assets?type=SOCIAL_POST_TEMPLATE');
    expect(list.body.response.assets).toEqual([body.response]);
  });

  test('can be used to create a post', async () => {
    const location = await addLocation(partner);
    const { content } = (await partner.call('POST', path, { name: 'Tuesday', content: offer })).body.response;
    const when = { publicationDate: '2099-01-01T00:00:00Z', dateStart: '2099-01-02T00:00:00Z' };
    const post = await partner.call('POST', '/api/social-posts', { ...content, ...when, locationIds: [location.id] });
    expect(post.body).toMatchObject({ status: 'SUCCESS', response: { title: 'Two for one', couponCode: 'TUESDAY' } });
  });

  test('is updated field by field, including its content', async () => {
    const { id } = (await partner.call('POST', path, { name: 'Tuesday', content: offer })).body.response;
    const patch = (body: object) => partner.call('PATCH', `${path}/${id}`, body);
    const changed = await patch({ status: 'HIDDEN', content: { title: 'Three for two', couponCode: null } });
    expect(changed.body.response).toMatchObject({
      name: 'Tuesday',
      status: 'HIDDEN',
      content: { type: 'OFFER', title: 'Three for two', description: 'Every Tuesday', directories: offer.directories },
    });
    expect(changed.body.response.content).not.toHaveProperty('couponCode');
    expect((await patch({ name: 'Wednesday' })).body.response).toMatchObject({
      name: 'Wednesday',
      content: { title: 'Three for two' },
    });
    expect((await partner.call('PATCH', `/api/dam/assets/${id}`, { name: 'Friday' })).body.response).toMatchObject({
      name: 'Friday',
      content: { title: 'Three for two' },
    });
  });

  test.each([
    [{ content: offer }, 'name'],
    [{ name: 'x' }, 'content'],
    [{ name: 'x', content: { type: 'POST' } }, 'content.description'],
    [{ name: 'x', content: { ...offer, type: 'NEWS' } }, 'content.type'],
    [{ name: 'x', content: { ...offer, type: 'POST' } }, 'content.couponCode'],
    [{ name: 'x', content: { ...offer, directories: ['NOWHERE'] } }, 'content.directories[0]'],
    [{ name: 'x', content: { description: 'x'.repeat(9000), directories: ['GOOGLE'] } }, 'content.description'],
    [
      { name: 'x', content: { description: 'x', photos: [{ photo: 'javascript:alert(1)' }] } },
      'content.photos[0].photo',
    ],
    [{ name: 'x', content: offer, startDate: '2026-02-30' }, 'startDate'],
  ])('rejects %j', async (body, field) => {
    const response = await partner.call('POST', path, body);
    expect(response).toMatchObject({
      code: 400,
      body: {
        errors: expect.arrayContaining([expect.objectContaining({ field, message: expect.stringContaining(field) })]),
      },
    });
    expect((await partner.call('GET', '/api/dam/assets')).body.response.count).toBe(0);
  });

  test('returns 404 for other assets', async () => {
    const { id } = await addAsset(partner);
    expect((await partner.call('PATCH', `${path}/${id}`, { name: 'x' })).code).toBe(404);
    const template = (await partner.call('POST', path, { name: 'Tuesday', content: offer })).body.response;
    expect((await partner.call('PATCH', `${path}/${template.id}`, {})).code).toBe(400);
    expect((await partner.call('PATCH', `${path}/${template.id}`, { content: { title: null } })).code).toBe(400);
    expect((await partner.call('DELETE', `/api/dam/assets/${template.id}`)).code).toBe(200);
  });
});
