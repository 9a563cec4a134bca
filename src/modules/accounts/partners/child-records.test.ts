import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addBusiness, addLocation } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import { joinLists } from '../../../http/lists.ts';

let api: TestApi;
let parent: TestPartner;
let child: TestPartner;
let grandchild: TestPartner;
let stranger: TestPartner;
let theirs: { id: number };

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  parent = await api.addPartner();
  child = await api.addPartner(parent);
  grandchild = await api.addPartner(child);
  stranger = await api.addPartner();
  for (const [who, names] of [
    [parent, ['own 1', 'own 2']],
    [child, ['child 1', 'child 2', 'child 3']],
    [grandchild, ['grandchild 1']],
    [stranger, ['stranger 1']],
  ] as const) {
    const { id: businessId } = await addBusiness(who);
    for (const identifier of names) await addLocation(who, { businessId, identifier });
  }
  theirs = (await child.call('GET', '/api/locations?identifier=child%201')).body.response.locations[0];
});
afterAll(() => api.close());

const found = async (query: string, who = parent) => {
  const { body } = await who.call('GET', `/api/locations?${query}`);
  const { locations, ...rest } = body.response;
  return { ...rest, names: locations.map(({ identifier }: { identifier: string }) => identifier) };
};

describe("a parent's key", () => {
  test('reads a record of a child partner by id and does not change it', async () => {
    expect(await parent.call('GET', `/api/locations/${theirs.id}`)).toMatchObject({ code: 200 });
    expect(await parent.call('GET', `/api/locations/${theirs.id}/history`)).toMatchObject({ code: 200 });
    expect(await parent.call('PATCH', `/api/locations/${theirs.id}`, { name: 'Mine' })).toMatchObject({ code: 404 });
    expect(await parent.call('DELETE', `/api/locations?ids=${theirs.id}`)).toMatchObject({ code: 404 });
    expect((await child.call('GET', `/api/locations/${theirs.id}`)).body.response.name).not.toBe('Mine');
  });

  test('lists the records of one child partner', async () => {
    const { id } = child.partner;
    expect(await found(`salesPartnerId=${id}`)).toMatchObject({ count: 3, names: ['child 1', 'child 2', 'child 3'] });
    expect(await found(`salesPartnerId=${grandchild.partner.id}`)).toMatchObject({ count: 1, names: ['grandchild 1'] });
    expect(await found(`salesPartnerId=${parent.partner.id}`)).toMatchObject({ count: 2 });
    const health = await parent.call('GET', `/api/dashboard/profile-completeness?salesPartnerId=${id}`);
    expect(health).toMatchObject({ code: 200 });
  });

  test('reads deep pages of a child partner after those of its own', async () => {
    const rows = `insert into audit_trail (partner_id, actor, action, subject, subject_id)
      select $1, 'PRIVATE_TOKEN', 'CHANGED', $2, number from generate_series(1, 1100) as number`;
    await api.database.pool.query(rows, [parent.partner.id, 'OWN']);
    await api.database.pool.query(rows, [child.partner.id, 'CHILD']);
    const page = async (query: string) => {
      const { body } = await parent.call('GET', `/api/audit-trail?${query}`);
      return body.response.entries.map(({ subject }: { subject: string }) => subject);
    };
    expect(await page('offset=500&max=500')).toHaveLength(500);
    expect(await page(`salesPartnerId=${child.partner.id}&offset=1000&max=3`)).toEqual(['CHILD', 'CHILD', 'CHILD']);
  });

  test('lists its own records and those of all child partners, page by page', async () => {
    const all = ['own 1', 'own 2', 'child 1', 'child 2', 'child 3', 'grandchild 1'];
    expect(await found('includeChildren=true')).toMatchObject({ count: 6, countIsExact: true, names: all });
    expect(await found('includeChildren=false')).toMatchObject({ count: 2 });
    const read: string[] = [];
    for (let offset = 0, count = 1; offset < count; offset += 4) {
      const page = await found(`includeChildren=true&max=4&offset=${offset}`);
      expect(page).toMatchObject({ offset, max: 4, count: 6 });
      read.push(...page.names);
      count = page.count;
    }
    expect(read).toEqual(all);
    expect(await found('includeChildren=true&identifier=child%202')).toMatchObject({ count: 1, names: ['child 2'] });
    for (const path of ['businesses', 'listings', 'users', 'labels', 'product-plans', 'social-posts', 'tasks']) {
      expect(await parent.call('GET', `/api/${path}?includeChildren=true`), path).toMatchObject({ code: 200 });
    }
    const businesses = await parent.call('GET', '/api/businesses?includeChildren=true');
    expect(businesses.body.response).toMatchObject({ count: 3 });
    const inbox = await parent.call('GET', '/api/data-points?includeChildren=true&max=10');
    expect(inbox.body.response.inbox).toMatchObject({ page: 0, pageSize: 10, count: 0, dataPoints: [] });
  });

  test('lists the records of a location or webhook, of its own or of a child partner', async () => {
    const newWebhook = { pushUrl: 'http://127.0.0.1:9/hook', type: 'LOCATION_CREATED' };
    for (const who of [parent, child]) {
      const { id } = (await who.call('GET', '/api/locations')).body.response.locations[0];
      const { id: webhookId } = (await who.call('POST', '/api/sales-partners/webhooks', newWebhook)).body.response;
      const location = ['listings', 'history', 'suggestions'].map((list) => `/api/locations/${id}/${list}`);
      const webhook = ['deliveries', 'replays'].map((list) => `/api/sales-partners/webhooks/${webhookId}/${list}`);
      for (const path of [...location, ...webhook]) {
        const { code, body } = await parent.call('GET', path);
        expect(code, path).toBe(200);
        expect(await parent.call('GET', `${path}?includeChildren=true`), path).toMatchObject({ code, body });
      }
    }
  });

  test.each(['/api/sales-partners', '/api/categories?query=bakery'])('lists no record of %s twice', async (path) => {
    const { body } = await parent.call('GET', path);
    const url = `${path}${path.includes('?') ? '&' : '?'}includeChildren=true`;
    expect((await parent.call('GET', url)).body).toEqual(body);
  });

  test('lists all records with a page size above the limit', async () => {
    const owner = await api.addPartner();
    for (const who of [owner, await api.addPartner(owner)]) {
      const { id } = await addLocation(who, { businessId: (await addBusiness(who)).id });
      await api.database.pool.query(
        `insert into locations (partner_id, business_id, source, name, street, city, country, categories)
         select partner_id, business_id, source, name, street, city, country, categories
         from locations, generate_series(1, 59) where id = $1`,
        [id],
      );
    }
    const ids = new Set<number>();
    for (let offset = 0, count = 1; offset < count; ) {
      const { body } = await owner.call('GET', `/api/locations?includeChildren=true&max=200&offset=${offset}`);
      expect(body).toMatchObject({ status: 'SUCCESS', response: { offset, max: 50, count: 120 } });
      expect(body.warnings).toEqual([expect.stringContaining('max=200 was capped at 50')]);
      for (const location of body.response.locations) ids.add(location.id);
      offset += body.response.max;
      count = body.response.count;
    }
    expect(ids.size).toBe(120);
    const inbox = await owner.call('GET', '/api/data-points?includeChildren=true&max=2000&page=1');
    expect(inbox.body.response.inbox).toMatchObject({ page: 1, pageSize: 1000 });
    expect(inbox.body.warnings).toEqual([expect.stringContaining('max=2000 was capped at 1000')]);
  });

  test('neither returns nor accepts a cursor for joined lists', async () => {
    expect(await found('includeChildren=true&max=1')).not.toHaveProperty('after');
    expect(await parent.call('GET', '/api/locations?includeChildren=true&after=1')).toMatchObject({ code: 400 });
  });
});

test('other partners, child partners and users cannot read records of a child partner', async () => {
  expect(await stranger.call('GET', `/api/locations/${theirs.id}`)).toMatchObject({ code: 404 });
  expect(await stranger.call('GET', `/api/locations?salesPartnerId=${child.partner.id}`)).toMatchObject({ code: 404 });
  expect(await found('includeChildren=true', stranger)).toMatchObject({ names: ['stranger 1'] });
  expect(await child.call('GET', `/api/locations?salesPartnerId=${parent.partner.id}`)).toMatchObject({ code: 404 });
  const user = await addUser(api, parent, { role: 'ADMIN' });
  expect(await user.call('GET', `/api/locations/${theirs.id}`)).toMatchObject({ code: 404 });
  expect(await user.call('GET', `/api/locations?salesPartnerId=${child.partner.id}`)).toMatchObject({ code: 404 });
});

test('rejects invalid values on every route', async () => {
  const withField = (status: string, field: string) => ({ status, errors: [{ field }] });
  for (const { method, path, access, query } of api.server.routeRecords) {
    if (method !== 'GET' || access !== 'partner') continue;
    const url = path.replaceAll(/:\w+/g, '1');
    const unknown = await parent.call('GET', `${url}?salesPartnerId=987654`);
    expect(unknown, path).toMatchObject({ code: 404, body: withField('NOT_FOUND', 'salesPartnerId') });
    if (!query?.properties?.includeChildren) continue;
    const maybe = await parent.call('GET', `${url}?includeChildren=maybe`);
    expect(maybe, path).toMatchObject({ code: 400, body: { errors: [{ field: 'includeChildren' }] } });
  }
  expect(await parent.call('GET', '/api/locations?salesPartnerId=x')).toMatchObject({ code: 404 });
  expect(await found('salesPartnerId=')).toMatchObject({ count: 2 });
  expect(await parent.call('GET', '/api/locations?includeChildren=maybe')).toMatchObject({ code: 400 });
});

test('a list that fails for a child partner is logged as a request of its caller', async () => {
  const [caller, childCaller] = [{ partnerId: 1 }, { partnerId: 2 }];
  const request = { caller, partnersRead: [caller, childCaller], query: { max: 10 } } as unknown as FastifyRequest;
  const readList = async (one: FastifyRequest) => {
    if (one.caller?.partnerId === 2) throw new Error('The list of the child failed.');
    return { count: 0, locations: [] };
  };
  await expect(joinLists(request, readList)).rejects.toThrow('The list of the child failed.');
  expect(request.caller).toBe(caller);
});

test.each([
  ['an upper bound at the end of a page', { count: () => 8, countIsExact: false }],
  ['an upper bound within a page', { count: () => 10, countIsExact: false }],
  ['a count that becomes lower', { count: (offset: number) => (offset < 8 ? 8 : 5), countIsExact: true }],
])('%s neither repeats nor omits records of the next partner', async (_, { count, countIsExact }) => {
  const partnersRead = [{ partnerId: 1 }, { partnerId: 2 }];
  const page = async (offset: number) => {
    const request = { partnersRead, query: { offset, max: 4 } } as unknown as FastifyRequest;
    const readList = async ({ caller, listOffset }: FastifyRequest) => {
      const isFirst = caller?.partnerId === 1;
      const locations = (isFirst ? ['a', 'b', 'c', 'd', 'e'] : ['w', 'x', 'y', 'z']).slice(listOffset);
      return { count: isFirst ? count(offset) : 4, countIsExact: countIsExact || !isFirst, locations };
    };
    return (await joinLists(request, readList)).locations;
  };
  const pages = [await page(0), await page(4), await page(8), await page(12)];
  expect(pages.flat()).toEqual(['a', 'b', 'c', 'd', 'e', 'w', 'x', 'y', 'z']);
});

test('counts the records of partners after the page four at a time', async () => {
  const partnersRead = Array.from({ length: 10 }, (_, index) => ({ partnerId: index + 1 }));
  const request = { partnersRead, query: { offset: 0, max: 3 } } as unknown as FastifyRequest;
  const running = new Set<unknown>();
  const seen: number[] = [];
  const readList = async ({ caller, query }: FastifyRequest) => {
    running.add(caller);
    await setImmediate();
    seen.push(running.size);
    running.delete(caller);
    const { max } = query as { max: number };
    return { count: 2, locations: [`${caller?.partnerId} a`, `${caller?.partnerId} b`].slice(0, max) };
  };
  expect(await joinLists(request, readList)).toMatchObject({ count: 20, locations: ['1 a', '1 b', '2 a'] });
  expect([seen.slice(0, 2), Math.max(...seen)]).toEqual([[1, 1], 4]);
});
