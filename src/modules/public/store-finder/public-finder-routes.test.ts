import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addBusiness, addLocation, bakery } from '../../../../test/support/locations.ts';
import { enableCollections } from '../../../../test/support/product-plans.ts';
import {
  addFinder,
  addVisibleLocation,
  alwaysOpen,
  neverOpen,
  visitor,
} from '../../../../test/support/store-finder.ts';
import { categoryId } from '../../catalog/categories/category.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
  await enableCollections(api, partner);
});

const label = async (body: object) => (await partner.call('POST', '/api/labels', body)).body.response;

describe('the store key', () => {
  test('is sufficient for every request', async () => {
    const { storeKey } = await addFinder(partner);
    const { id } = await addVisibleLocation(api, partner);
    for (const path of ['/settings', '/filters', '/locations', '/locations/all', `/locations/${id}`]) {
      const { code, headers } = await api.call('GET', `/api/store-finders/${storeKey}${path}`);
      expect({ path, code }).toEqual({ path, code: 200 });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    }
  });

  test('must exist and is invalid after deletion', async () => {
    const { storeKey } = await addFinder(partner);
    const at = `/api/store-finders/${storeKey}/settings`;
    expect((await api.call('GET', at)).code).toBe(200);
    await partner.call('DELETE', `/api/store-finders/${storeKey}`);
    expect(await api.call('GET', at)).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    const unknown = await api.call('GET', '/api/store-finders/sf_unknown/settings');
    expect(unknown).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
  });
});

describe('the public key', () => {
  test('is read from the query and from the header', async () => {
    const { storeKey } = await addFinder(partner);
    const { publicKey } = partner.partner;
    const at = `/api/store-finders/${storeKey}/settings`;
    const byQuery = await api.call('GET', `${at}?publicKey=${publicKey}`);
    expect(byQuery.code).toBe(200);
    expect(byQuery.body).not.toHaveProperty('warnings');
    expect((await api.call('GET', at, undefined, { publicKey })).code).toBe(200);
    expect((await api.call('GET', `/storefinders/${storeKey}/settings?publicKey=${publicKey}`)).code).toBe(200);
  });

  test('must be valid if sent', async () => {
    const { storeKey } = await addFinder(partner);
    const at = `/api/store-finders/${storeKey}/settings`;
    expect(await api.call('GET', `${at}?publicKey=pk_wrong`)).toMatchObject({
      code: 401,
      body: { status: 'BAD_PUBLIC_KEY' },
    });
    expect((await api.call('GET', `${at}?publicKey=${partner.privateKey}`)).body.status).toBe('BAD_PUBLIC_KEY');
  });

  test('gives access to finders of its partner only', async () => {
    const finder = await addFinder(partner);
    const { id } = await addVisibleLocation(api, partner);
    const stranger = await api.addPartner();
    const visit = visitor(api, stranger, finder);
    for (const path of ['/settings', '/filters', '/locations', '/locations/all', `/locations/${id}`]) {
      expect((await visit(path)).code).toBe(404);
    }
    const own = visitor(api, stranger, await addFinder(stranger));
    expect((await own(`/locations/${id}`)).code).toBe(404);
    expect((await own('/locations')).body.response.count).toBe(0);
    expect((await own('/locations/all')).body.response.locations).toEqual([]);
  });

  test('visitors are rate limited by address, not by key', async () => {
    const counted = await TestApi.start({ WAYPOST_RATE_LIMIT: '5' });
    const owner = await counted.addPartner();
    const { storeKey } = await addFinder(owner);
    const visit = visitor(counted, owner, { storeKey });
    const codes: number[] = [];
    for (let count = 0; count < 7; count++) codes.push((await visit('/settings')).code);
    // The first of the five requests was the owner's.
    expect(codes).toEqual([200, 200, 200, 200, 429, 429, 429]);
    expect((await owner.call('GET', `/api/store-finders/${storeKey}`)).code).toBe(200);
    await counted.close();
  });
});

describe('CORS', () => {
  test('allows reading responses and errors', async () => {
    const visit = visitor(api, partner, await addFinder(partner));
    for (const path of ['/settings', '/locations?lat=x', '/locations/1', '/settings?publicKey=pk_wrong']) {
      const { headers } = await visit(path, path.includes('pk_wrong') ? { publicKey: '' } : {});
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await partner.call('GET', '/api/store-finders')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('responds to preflight requests without a key', async () => {
    const { storeKey } = await addFinder(partner);
    const { code, headers } = await api.call('OPTIONS', `/api/store-finders/${storeKey}/locations`, undefined, {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'publickey',
    });
    expect(code).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain('GET');
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain('publickey');
    expect((await api.call('OPTIONS', '/api/store-finders')).code).toBe(405);
  });

  test('supports caching with ETag', async () => {
    const finder = await addFinder(partner);
    const visit = visitor(api, partner, finder);
    const first = await visit('/settings');
    const etag = first.headers.get('etag');
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const mark of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await visit('/settings', { 'if-none-match': mark });
      expect({ code: again.code, body: again.body, etag: again.headers.get('etag') }).toEqual({
        code: 304,
        body: '',
        etag,
      });
      expect(again.headers.get('access-control-allow-origin')).toBe('*');
    }
    await partner.call('PATCH', `/api/store-finders/${finder.storeKey}`, { name: 'Changed' });
    const changed = await visit('/settings', { 'if-none-match': etag });
    expect(changed.code).toBe(200);
    expect(changed.body.response.name).toBe('Changed');
    expect((await visit('/locations/1')).headers.get('cache-control')).toBe('no-store');
    expect((await visit('/settings', { publicKey: 'wrong' })).headers.get('cache-control')).toBe('no-store');
  });
});

describe('settings', () => {
  test('contain only public fields', async () => {
    const finder = await addFinder(partner, { mapApiKey: 'map-key', businessIds: [(await addBusiness(partner)).id] });
    const { response } = (await visitor(api, partner, finder)('/settings')).body;
    const {
      id: _,
      businessIds: _businesses,
      labelIds: _labels,
      dateCreated: _from,
      lastUpdated: _to,
      ...shown
    } = finder;
    expect(response).toEqual(shown);
  });

  test('had googleAPIKey before _20230110', async () => {
    const visit = visitor(api, partner, await addFinder(partner, { mapApiKey: 'map-key' }));
    const old = (await visit('/settings?v=20230109')).body.response;
    expect(old).toMatchObject({ googleAPIKey: 'map-key', googleAPIVersion: expect.any(String) });
    expect(old).not.toHaveProperty('mapApiKey');
    expect((await visit('/settings?v=20230110')).body.response).toMatchObject({ mapApiKey: 'map-key' });
  });
});

describe('filters', () => {
  test('are computed from the visible locations', async () => {
    const cafe = categoryId('amenity/cafe');
    const open = await label({ name: 'Drive-in' });
    const secret = await label({ name: 'Secret', adminOnly: true });
    await addVisibleLocation(api, partner, {
      categories: [bakery, cafe],
      labels: [open.id, secret.id],
      paymentOptions: ['CASH'],
      services: [{ title: 'Catering, large', translations: { de: { title: 'Großes Catering' } } }],
    });
    await addVisibleLocation(api, partner, { name: 'Second', city: 'Köln', paymentOptions: ['CASH', 'VISA'] });
    await addLocation(partner, { name: 'Not shown yet', city: 'Köln', categories: [categoryId('shop/florist')] });
    const visit = visitor(api, partner, await addFinder(partner, { language: 'de' }));
    const { filters } = (await visit('/filters')).body.response;
    const byId = Object.fromEntries(filters.map((filter: { id: string }) => [filter.id, filter]));
    expect(Object.keys(byId).sort()).toEqual([
      'categories',
      'cities',
      'countries',
      'labels',
      'paymentOptions',
      'services',
    ]);
    expect(byId.categories).toMatchObject({ name: 'Kategorie', translations: { en: 'Category', fr: 'Catégorie' } });
    expect(byId.categories.values.map(({ value }: { value: string }) => value)).toEqual(['Bäckerei', 'Café']);
    expect(byId.categories.values[0].translations).toMatchObject({ en: 'Bakery', fr: 'Boulangerie' });
    expect(byId.labels.values).toEqual([{ value: 'Drive-in', translations: {} }]);
    expect(byId.countries.values).toMatchObject([{ value: 'Deutschland', translations: { en: 'Germany' } }]);
    expect(byId.cities.values).toEqual([{ value: 'Köln', translations: {} }]);
    expect(byId.services.values).toEqual([{ value: 'Catering, large', translations: { de: 'Großes Catering' } }]);
    expect(byId.paymentOptions.values).toMatchObject([
      { value: 'Bargeld', translations: { en: 'Cash' } },
      { value: 'Visa' },
    ]);
  });

  test('are those of the finder without empty ones', async () => {
    await addVisibleLocation(api, partner);
    const visit = visitor(api, partner, await addFinder(partner, { filters: ['cities', 'labels'] }));
    const { filters } = (await visit('/filters')).body.response;
    expect(filters.map(({ id }: { id: string }) => id)).toEqual(['cities']);
  });

  test('had texts as values before _20211005', async () => {
    await addVisibleLocation(api, partner);
    const visit = visitor(api, partner, await addFinder(partner, { filters: ['cities'] }));
    expect((await visit('/filters?v=20211004')).body.response.filters).toEqual([
      { id: 'cities', name: 'City', values: ['Köln'] },
    ]);
  });
});

describe('all locations', () => {
  test('are the active ones, including those without coordinates', async () => {
    const shown = await addVisibleLocation(api, partner);
    const review = await addVisibleLocation(api, partner, { name: 'In review' });
    const closed = await addVisibleLocation(api, partner, { name: 'Closed for good' });
    await addLocation(partner, { name: 'Only created' });
    const somewhere = await addVisibleLocation(api, partner, { name: 'Somewhere', lat: undefined, lng: undefined });
    await api.database.pool.query("update locations set status = 'NEEDS_REVIEW' where id = $1", [review.id]);
    await api.database.pool.query("update locations set status = 'CLOSED' where id = $1", [closed.id]);
    const visit = visitor(api, partner, await addFinder(partner));
    expect((await visit('/locations/all')).body.response).toEqual({
      locations: [
        {
          id: shown.id,
          identifier: shown.identifier,
          name: 'Bäckerei Lindner Ehrenfeld',
          street: 'Venloer Straße',
          streetNo: '310',
          streetAndNumber: 'Venloer Straße 310',
          zip: '50823',
          city: 'Köln',
          country: 'DE',
          lat: 50.9483,
          lng: 6.9192,
          phone: shown.phone,
          photos: [],
          categories: [{ id: bakery, name: 'Bakery' }],
          services: [],
        },
        expect.objectContaining({ id: review.id }),
        expect.objectContaining({ id: somewhere.id }),
      ],
    });
    expect((await visit(`/locations/${closed.id}`)).code).toBe(404);
  });

  test('are paginated', async () => {
    const businessId = (await addBusiness(partner)).id;
    const ids: number[] = [];
    for (const name of ['A', 'B', 'C']) ids.push((await addVisibleLocation(api, partner, { businessId, name })).id);
    const visit = visitor(api, partner, await addFinder(partner));
    const first = (await visit('/locations/all?max=2')).body.response;
    expect(first.after).toBe(ids[1]);
    const second = (await visit(`/locations/all?max=2&after=${first.after}`)).body.response;
    expect(second.locations.map(({ id }: { id: number }) => id)).toEqual([ids[2]]);
    expect(second).not.toHaveProperty('after');
    expect((await visit('/locations/all?max=0')).code).toBe(400);
    expect((await visit('/locations/all?after=x')).code).toBe(400);
  });

  test('are limited to the businesses and labels of the finder', async () => {
    const flagship = await label({ name: 'Flagship', adminOnly: true });
    const [one, other] = [await addBusiness(partner), await addBusiness(partner)];
    const chosen = await addVisibleLocation(api, partner, { businessId: one.id, labels: [flagship.id] });
    const plain = await addVisibleLocation(api, partner, { businessId: one.id, name: 'Plain' });
    const foreign = await addVisibleLocation(api, partner, { businessId: other.id, labels: [flagship.id] });
    const visit = visitor(api, partner, await addFinder(partner, { businessIds: [one.id], labelIds: [flagship.id] }));
    for (const path of ['/locations/all', '/locations', '/locations?lat=50.9&lng=6.9']) {
      const { locations } = (await visit(path)).body.response;
      expect(locations.map(({ id }: { id: number }) => id)).toEqual([chosen.id]);
    }
    expect((await visit(`/locations/${chosen.id}`)).body.response.labels).toEqual([]);
    for (const { id } of [plain, foreign]) expect((await visit(`/locations/${id}`)).code).toBe(404);
  });

  test('contain openNow before _20210824', async () => {
    await addVisibleLocation(api, partner, { openingHours: alwaysOpen });
    const visit = visitor(api, partner, await addFinder(partner));
    expect((await visit('/locations/all?v=20210823')).body.response.locations[0].openNow).toBe(true);
    expect((await visit('/locations/all?v=20210824')).body.response.locations[0]).not.toHaveProperty('openNow');
  });
});

describe('the details of a location', () => {
  const photos = [
    { url: 'https://img.example.com/logo.png', type: 'LOGO' },
    { url: 'https://img.example.com/1.jpg', type: 'PHOTO' },
    { url: 'https://img.example.com/main.jpg', type: 'MAIN' },
  ];

  test('contain photos, hours, special hours, services and openNow', async () => {
    const open = await label({ name: 'Drive-in' });
    const secret = await label({ name: 'Secret', adminOnly: true });
    const special = [{ date: '2031-12-25', closed: true }];
    const { id } = await addVisibleLocation(api, partner, {
      identifier: 'SHOP-1',
      photos,
      openingHours: alwaysOpen,
      specialOpeningHours: special,
      services: [{ title: 'Catering', price: 5000, currency: 'EUR' }],
      labels: [open.id, secret.id],
      customFields: [{ name: 'margin', value: 'internal' }],
    });
    const visit = visitor(api, partner, await addFinder(partner, { language: 'de' }));
    const { response } = (await visit(`/locations/${id}`)).body;
    expect(response).toMatchObject({
      id,
      identifier: 'SHOP-1',
      name: 'Bäckerei Lindner Ehrenfeld',
      timeZone: 'Europe/Berlin',
      temporarilyClosed: false,
      categories: [{ id: bakery, name: 'Bäckerei' }],
      phone: expect.stringContaining('221'),
      openingHours: alwaysOpen,
      specialOpeningHours: special,
      services: [{ title: 'Catering', price: 5000, currency: 'EUR' }],
      labels: ['Drive-in'],
      openNow: true,
    });
    expect(response.photos.map(({ type }: { type: string }) => type)).toEqual(['MAIN', 'PHOTO', 'LOGO']);
    expect(JSON.stringify(response)).not.toMatch(/internal|Secret/);
  });

  test('had the main photo only before _20210907', async () => {
    const { id } = await addVisibleLocation(api, partner, { photos });
    const visit = visitor(api, partner, await addFinder(partner));
    expect((await visit(`/locations/${id}?v=20210906`)).body.response.photos).toEqual([photos[2]]);
    expect((await visit(`/locations/${id}?v=20210907`)).body.response.photos).toHaveLength(3);
  });

  test('omit fields that the finder hides', async () => {
    const { id } = await addVisibleLocation(api, partner, {
      photos,
      openingHours: neverOpen,
      website: 'https://lindner.example.com',
    });
    const visit = visitor(api, partner, await addFinder(partner, { fields: ['website'] }));
    for (const shown of [
      (await visit(`/locations/${id}`)).body.response,
      (await visit('/locations')).body.response.locations[0],
    ]) {
      expect(shown.website).toContain('lindner');
      for (const field of ['phone', 'photos', 'photo', 'openingHours']) expect(shown).not.toHaveProperty(field);
    }
  });

  test('omit a hidden address', async () => {
    const { id } = await addVisibleLocation(api, partner, { addressDisplay: false, addressExtra: 'Second floor' });
    const visit = visitor(api, partner, await addFinder(partner));
    const found = await visit('/locations?lat=50.9483&lng=6.9192&radius=5');
    const responses = [await visit(`/locations/${id}`), await visit('/locations/all'), found];
    for (const { body } of responses) {
      expect(JSON.stringify(body)).not.toMatch(/Venloer|310|Second floor|50\.9483|6\.9192/);
    }
    expect(found.body.response.locations[0]).toMatchObject({ lat: 50.95, lng: 6.92 });
    expect(found.body.response.locations[0].distance).toBeGreaterThan(0.1);
    expect((await visit('/locations?query=Venloer')).body.response.count).toBe(0);
  });

  test('return 404 for other ids', async () => {
    const visit = visitor(api, partner, await addFinder(partner));
    expect((await visit('/locations/987654')).code).toBe(404);
    expect((await visit('/locations/x')).code).toBe(400);
  });
});
