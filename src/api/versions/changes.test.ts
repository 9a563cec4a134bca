import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addBusiness, addLocation, bakery } from '../../../test/support/places.ts';
import { addFinder, addShown, alwaysOpen, visitor } from '../../../test/support/store-finder.ts';
import { addUser } from '../../../test/support/users.ts';
import { upsertBrandPages } from '../../platform/brand-pages/brand-page-store.ts';
import { allCategories, currentCategory } from '../../platform/categories/categories.ts';
import { ensureListings } from '../../platform/listings/listing-store.ts';
import { putSuggestion } from '../../platform/suggestions/suggestion-store.ts';
import { timeline } from './timeline.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;
type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

/** What a client of a version gets in `response`. */
const clientOf =
  (version: string, call: TestPartner['call'] = partner.call): Ask =>
  async (method, path, body) => {
    const answer = await call(method, path, body, { 'x-api-version': version });
    expect(answer.body, `${method} ${path} of ${version}`).toMatchObject({ status: 'SUCCESS' });
    return answer.body.response;
  };

/** Somebody on a web page, as a client of a version. */
const visitorOf = (version: string, finder: { storeKey: string }) => async (path: string) =>
  (await visitor(api, partner, finder)(path, { 'x-api-version': version })).body.response;

function dayBefore(version: string): string {
  const day = new Date(version.replace(/(....)(..)(..)/, '$1-$2-$3'));
  return new Date(day.getTime() - 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
}

/** The partner's own client, one of the day before the entry, and one of the day itself. */
interface Clients {
  before: Ask;
  on: Ask;
  dayBefore: string;
  day: string;
}

const newPost = async (overrides: object = {}): Promise<Answer> => {
  const { id } = await addLocation(partner);
  const post = {
    directories: ['GOOGLE', 'FACEBOOK'],
    description: 'Fresh rolls',
    locationIds: [id],
    publicationDate: '2031-05-01T09:00:00.000Z',
    ...overrides,
  };
  return (await partner.call('POST', '/api/social-posts', post)).body.response;
};

const rows: Record<string, (clients: Clients) => Promise<void>> = {
  '20230721 service items have an id and translations': async ({ before, on }) => {
    const item = { identifier: 'cut', title: 'Cut', translations: { de: { title: 'Schnitt' } } };
    const { id, services } = await addLocation(partner, { services: [item] });
    expect((await on('GET', `/api/locations/${id}`)).services).toEqual(services);
    expect((await before('GET', `/api/locations/${id}`)).services).toEqual([{ identifier: 'cut', title: 'Cut' }]);
    await before('PATCH', `/api/locations/${id}`, { services: [{ id: 1, identifier: 'cut', title: 'Haircut' }] });
    expect((await on('GET', `/api/locations/${id}`)).services).toEqual([{ ...services[0], title: 'Haircut' }]);
  },

  '20230407 UTM parameters for each directory': async ({ before, on }) => {
    const utms = [
      { type: 'BING', parameters: 'utm_source=bing' },
      { type: 'GOOGLE', parameters: 'utm_source=google' },
    ];
    const { id } = await addLocation(partner, { utms });
    const old = await before('GET', `/api/locations/${id}`);
    expect(old).toMatchObject({ websiteExtra: 'utm_source=google' });
    expect(old).not.toHaveProperty('utms');
    await before('PATCH', `/api/locations/${id}`, { websiteExtra: '?utm_source=maps' });
    const today = await on('GET', `/api/locations/${id}`);
    expect(today.utms).toEqual([utms[0], { type: 'GOOGLE', parameters: 'utm_source=maps' }]);
    expect(today.websiteExtra).toBe('utm_source=maps');
    await on('PATCH', `/api/locations/${id}`, { websiteExtra: null });
    expect((await on('GET', `/api/locations/${id}`)).utms).toEqual([utms[0]]);
  },

  '20230115 several calls to action': async ({ before, on }) => {
    const { id } = await addLocation(partner);
    const single = { callToAction: 'BOOK', url: 'https://example.com/book' };
    const given = { directories: ['GOOGLE', 'FACEBOOK'], description: 'Book now', locationIds: [id], ...single };
    const post = await before('POST', '/api/social-posts', { ...given, publicationDate: '2031-01-01T00:00:00Z' });
    expect(post).toMatchObject(single);
    expect(post).not.toHaveProperty('callToActions');
    const path = `/api/social-posts/${post.id}`;
    const action = { type: 'BOOK', url: 'https://example.com/book' };
    const both = [
      { directory: 'GOOGLE', ...action },
      { directory: 'FACEBOOK', ...action },
    ];
    expect((await on('GET', path)).callToActions).toEqual(both);

    const other = { directory: 'FACEBOOK', type: 'ORDER', url: 'https://example.com/order' };
    await on('PATCH', path, { callToActions: [both[0], other] });
    await before('PATCH', path, { url: 'https://example.com/new' });
    expect((await on('GET', path)).callToActions).toEqual([{ ...both[0], url: 'https://example.com/new' }, other]);
  },

  '20230110 the key of the map': async ({ dayBefore, day, before }) => {
    const finder = await addFinder(partner, { mapApiKey: 'abc' });
    expect(await visitorOf(day, finder)('/settings')).toMatchObject({ mapApiKey: 'abc' });
    const old = await visitorOf(dayBefore, finder)('/settings');
    expect(old).toMatchObject({ googleAPIKey: 'abc', googleAPIVersion: '3' });
    expect(old).not.toHaveProperty('mapApiKey');
    const change = { googleAPIKey: 'def', googleAPIVersion: '3' };
    expect(await before('PATCH', `/api/store-finders/${finder.storeKey}`, change)).toMatchObject(change);
    expect(await visitorOf(day, finder)('/settings')).toMatchObject({ mapApiKey: 'def' });
  },

  '20221208 photos of posts have descriptions': async ({ before, on }) => {
    const [a, b] = ['https://example.com/a.jpg', 'https://example.com/b.jpg'];
    const { id } = await newPost({ photos: [{ photo: a, description: 'Rolls' }] });
    const path = `/api/social-posts/${id}`;
    expect((await before('GET', path)).photos).toEqual([a]);
    expect((await before('PATCH', path, { photos: [b, a] })).photos).toEqual([b, a]);
    expect((await on('GET', path)).photos).toEqual([{ photo: b }, { photo: a, description: 'Rolls' }]);
  },

  '20220222 the opening date': async ({ before, on }) => {
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

  '20220222 content objects have one image': async ({ before, on }) => {
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
    expect(await before('PATCH', path, { images: [] })).toMatchObject({ images: [] });
    expect(await on('GET', path)).not.toHaveProperty('image');
  },

  '20211102 services are items': async ({ before, on }) => {
    const { id, services } = await addLocation(partner, {
      services: [{ title: 'Cut', price: 2500, currency: 'EUR' }, { title: 'Shave' }],
    });
    const path = `/api/locations/${id}`;
    expect((await before('GET', path)).services).toEqual(['Cut', 'Shave']);
    expect((await before('PATCH', path, { services: ['Colour', 'Cut'] })).services).toEqual(['Colour', 'Cut']);
    expect((await on('GET', path)).services).toMatchObject([{ title: 'Colour' }, { title: 'Cut', price: 2500 }]);
    expect((await partner.call('GET', path)).body.response.services[1]).toEqual(services[0]);
  },

  '20211005 filters of the store finder have translations': async ({ dayBefore, day }) => {
    await addShown(api, partner);
    const finder = await addFinder(partner, { filters: ['categories'] });
    const { filters } = await visitorOf(day, finder)('/filters');
    expect(filters).toMatchObject([{ id: 'categories', translations: {}, values: [{ value: 'Bakery' }] }]);
    const old = (await visitorOf(dayBefore, finder)('/filters')).filters;
    expect(old).toEqual([{ id: 'categories', name: filters[0].name, values: ['Bakery'] }]);
  },

  '20210907 details show all photos': async ({ dayBefore, day }) => {
    const photos = [
      { url: 'https://example.com/main.jpg', type: 'MAIN' },
      { url: 'https://example.com/a.jpg', type: 'PHOTO' },
    ];
    const { id } = await addShown(api, partner, { photos });
    const finder = await addFinder(partner);
    expect((await visitorOf(day, finder)(`/locations/${id}`)).photos).toEqual(photos);
    expect((await visitorOf(dayBefore, finder)(`/locations/${id}`)).photos).toEqual([photos[0]]);
  },

  '20210824 openNow only when it is asked for': async ({ dayBefore, day }) => {
    const { businessId } = await addShown(api, partner, { openingHours: alwaysOpen });
    const finder = await addFinder(partner, { businessIds: [businessId] });
    for (const path of ['/locations', '/locations/all']) {
      expect((await visitorOf(dayBefore, finder)(path)).locations).toMatchObject([{ openNow: true }]);
      expect((await visitorOf(day, finder)(path)).locations[0]).not.toHaveProperty('openNow');
    }
  },

  '20210804 the date of publication': async ({ before, on, dayBefore }) => {
    const { id: locationId } = await addLocation(partner);
    const words = { directories: ['GOOGLE'], description: 'Fresh rolls', locationIds: [locationId] };
    const dateStart = '2031-06-01T08:00:00.000Z';
    const refused = await partner.call('POST', `/api/social-posts?v=${dayBefore}`, words);
    expect(refused).toMatchObject({ code: 400, body: { errors: [{ field: 'dateStart', rule: 'required' }] } });
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

  '20210214 items lie in collections': async ({ before, on }) => {
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
  },

  '20200728 posts of the store locator': async ({ before, on }) => {
    const { id } = await newPost({ isStoreLocator: false });
    const path = `/api/social-posts/${id}`;
    expect(await before('PATCH', path, { title: 'Rolls' })).not.toHaveProperty('isStoreLocator');
    expect(await on('GET', path)).toMatchObject({ isStoreLocator: false, title: 'Rolls' });
  },

  '20200518 merged categories': async ({ before, on }) => {
    const merged = [...allCategories().values()].find(
      ({ id, mergedInto }) => mergedInto !== undefined && currentCategory(id)?.selectable,
    );
    const given = [merged?.id as number, bakery];
    const successor = currentCategory(given[0] as number)?.id as number;
    const { id } = await addLocation(partner, { categories: given });
    expect(await on('GET', `/api/locations/${id}`)).toMatchObject({ categories: [successor, bakery] });
    expect(await before('GET', `/api/locations/${id}`)).toMatchObject({ categories: given });
    const listed = await before('GET', `/api/locations?ids=${id}&fieldMask=categories`);
    expect(listed.locations).toEqual([{ id, categories: given }]);
    const counts = [await before('GET', '/api/categories'), await on('GET', '/api/categories')];
    expect(counts[0].count).toBeGreaterThan(counts[1].count);
  },

  '20200430 at most 50 locations without a field mask': async ({ dayBefore, day }) => {
    const own = await api.addPartner();
    const { id: businessId } = await addBusiness(own);
    for (let number = 1; number <= 52; number++) await addLocation(own, { businessId, streetNo: `${number}` });
    const path = '/api/locations?max=1000';
    expect((await clientOf(dayBefore, own.call)('GET', path)).locations).toHaveLength(52);
    expect((await clientOf(day, own.call)('GET', '/api/locations?max=100')).locations).toHaveLength(50);
    expect(await own.call('GET', `${path}&v=${day}`)).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'max' }] },
    });
  },

  '20200128 the inbox has two features': async ({ before, on }) => {
    const given = { email: 'inbox@example.com', role: 'LOCATION_MANAGER', features: ['INBOX'] };
    const { id, features } = await before('POST', '/api/users', given);
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

  '20200128 product plans have a status': async ({ before, on }) => {
    const plan = await before('POST', '/api/product-plans', { name: 'Presence', price: 2900, currency: 'EUR' });
    const path = `/api/product-plans/${plan.id}`;
    expect(plan).toMatchObject({ active: false });
    expect(plan).not.toHaveProperty('status');
    expect(await before('PUT', path, { name: 'Presence plus', active: false })).toMatchObject({ active: false });
    expect(await on('GET', path)).toMatchObject({ name: 'Presence plus', status: 'PENDING_APPROVAL' });
    expect(await before('PATCH', path, { active: true })).toMatchObject({ active: true });
    expect(await on('GET', path)).toMatchObject({ status: 'ACTIVE' });
    await before('PATCH', path, { active: false });
    expect(await on('GET', path)).toMatchObject({ status: 'INACTIVE' });
  },

  '20191203 labels are objects': async ({ before, on }) => {
    const { id } = await addLocation(partner);
    const path = `/api/locations/${id}`;
    const old = await before('PATCH', path, { labels: ['Flagship'] });
    expect(old.labels).toEqual(['Flagship']);
    expect(old).not.toHaveProperty('classification');
    const today = await on('GET', path);
    expect(today).toMatchObject({ labels: [{ name: 'Flagship', adminOnly: false }], classification: 'BASIC' });
    const post = await newPost();
    const labelled = await before('PATCH', `/api/social-posts/${post.id}`, { labels: ['flagship'] });
    expect(labelled.labels).toEqual(['Flagship']);
    expect((await on('GET', `/api/social-posts/${post.id}`)).labels).toEqual(today.labels);
    expect((await before('GET', '/api/labels?query=Flagship')).labels).toEqual(['Flagship']);
    expect((await on('GET', '/api/labels?query=Flagship')).labels).toEqual(today.labels);
  },

  '20191022 filters of datapoints': async ({ before, on, dayBefore }) => {
    const path = '/api/data-points/filters';
    const saved = await before('POST', path, { name: 'Open', onlyUnread: true, onlyUnreplied: false });
    expect(saved).toMatchObject({ onlyUnread: true, onlyUnreplied: false });
    expect(saved).not.toHaveProperty('isRead');
    expect(await on('GET', `${path}/${saved.id}`)).toMatchObject({ isRead: false, hasReply: null, hasText: null });
    await on('PATCH', `${path}/${saved.id}`, { isRead: true, hasText: true });
    await before('PUT', `${path}/${saved.id}`, { name: 'Done', onlyUnread: false, onlyUnreplied: true });
    expect(await on('GET', `${path}/${saved.id}`)).toMatchObject({
      name: 'Done',
      isRead: true,
      hasReply: false,
      hasText: true,
    });
    for (const query of ['onlyUnread=true&onlyUnreplied=false', 'onlyUnread=false']) {
      const { code, body } = await partner.call('GET', `/api/data-points?${query}&v=${dayBefore}`);
      expect(code).toBe(200);
      expect(body.warnings).toContain('onlyUnread is deprecated since _20191022: it is now isRead.');
    }
  },

  '20190716 the status of a page': async ({ before, on }) => {
    const { id: businessId } = await addBusiness(partner);
    const page = { externalId: 'page-1', name: 'Lindner', followers: 10 };
    const business = { partnerId: partner.partner.id, id: businessId };
    await upsertBrandPages(api.database.pool, business, 'FACEBOOK', [page]);
    const path = `/api/directory-business-pages?businessIds=${businessId}`;
    expect((await before('GET', path)).directoryBusinessPages).toMatchObject([{ pageStatus: 'PUBLISHED' }]);
    expect((await on('GET', path)).directoryBusinessPages[0]).not.toHaveProperty('pageStatus');
  },

  '20190702 suggestions lie apart from the location': async ({ before, on }) => {
    const locationId = await addSuggested();
    const suggestions = [{ field: 'phone', suggestedValue: '+492219999', status: 'PENDING' }];
    expect(await before('GET', `/api/locations/${locationId}`)).toMatchObject({ suggestions });
    const listed = await before('GET', `/api/locations?ids=${locationId}&fieldMask=name&fieldMask=suggestions`);
    expect(listed.locations).toMatchObject([{ id: locationId, suggestions }]);
    expect(await on('GET', `/api/locations/${locationId}`)).not.toHaveProperty('suggestions');
    expect(await on('GET', `/api/locations/${locationId}/suggestions`)).toMatchObject({ suggestions });
  },

  '20190702 details of features': async ({ dayBefore, day }) => {
    const { call } = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
    expect(await clientOf(day, call)('GET', '/api/users/me')).toHaveProperty('featuresDetailed');
    expect(await clientOf(dayBefore, call)('GET', '/api/users/me')).not.toHaveProperty('featuresDetailed');
  },

  '20190423 locations have two features': async ({ before, on }) => {
    const given = { email: 'listing@example.com', role: 'LOCATION_MANAGER', features: ['LISTING', 'INBOX'] };
    const { id, features } = await before('POST', '/api/users', given);
    expect(features.sort()).toEqual(['INBOX', 'LISTING']);
    const now = (await partner.call('GET', `/api/users/${id}`)).body.response.features;
    expect(now.sort()).toEqual(['INBOX_READ', 'INBOX_WRITE', 'LOCATION_READ', 'LOCATION_WRITE']);
    expect((await on('GET', `/api/users/${id}`)).features.sort()).toEqual(['INBOX', 'LOCATION_READ', 'LOCATION_WRITE']);
  },

  '20190401 suggestions have a status': async ({ before, on }) => {
    const locationId = await addSuggested();
    const path = `/api/locations/${locationId}/suggestions`;
    expect((await on('GET', path)).suggestions).toMatchObject([{ status: 'PENDING' }]);
    expect((await before('GET', path)).suggestions[0]).not.toHaveProperty('status');
    expect((await before('GET', `/api/locations/${locationId}`)).suggestions[0]).not.toHaveProperty('status');
  },

  '20190104 a page of datapoints has at most 1000 entries': async ({ before, day }) => {
    expect((await before('GET', '/api/data-points?max=1500')).inbox).toMatchObject({ pageSize: 1500 });
    const { code, body } = await partner.call('GET', `/api/data-points?max=1500&v=${day}`);
    expect([code, body.errors[0].field]).toEqual([400, 'max']);
  },
};

async function addSuggested(): Promise<number> {
  const { id } = await addLocation(partner);
  await api.database.transaction(async (transaction) => {
    const [listing] = await ensureListings(transaction, partner.partner.id, id, ['GOOGLE']);
    const suggestion = { field: 'phone', currentValue: null, suggestedValue: '+492219999' };
    const listed = {
      id: listing?.id as number,
      partnerId: partner.partner.id,
      locationId: id,
      directoryType: 'GOOGLE',
    };
    await putSuggestion(transaction, listed, suggestion);
  });
  return id;
}

describe('on the day before and on the day', () => {
  for (const [name, run] of Object.entries(rows)) {
    test(name, async () => {
      const day = name.slice(0, 8);
      const earlier = dayBefore(day);
      await run({ before: clientOf(earlier), on: clientOf(day), dayBefore: earlier, day });
    });
  }

  test('every breaking entry has a row', () => {
    const tested = new Set(Object.keys(rows).map((name) => name.slice(0, 8)));
    const breaking = timeline.filter(({ kind }) => kind === 'BREAKING').map(({ version }) => version);
    // The listing health comes with the dashboard.
    expect(breaking.filter((version) => !tested.has(version))).toEqual(['20210729']);
  });
});
