import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addBusiness, addLocation } from '../../../test/support/locations.ts';
import { addUser } from '../../../test/support/users.ts';
import type { Reach } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { countScope, readScope, type ScopeQuery } from './location-filter.ts';

let api: TestApi;
let partner: TestPartner;
let first: number;
let second: number;
const ids: number[] = [];

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  first = (await addBusiness(partner, { name: 'Lindner' })).id;
  second = (await addBusiness(partner, { name: 'Harbour' })).id;
  for (const [businessId, fields] of [
    [first, { name: 'North', labels: ['West'] }],
    [first, { name: 'South' }],
    [second, { name: 'East', labels: ['West'] }],
  ] as const) {
    ids.push((await addLocation(partner, { businessId, ...fields } as never)).id);
  }
});
afterAll(() => api.close());

const callerWith = (reach?: Reach) =>
  ({ partnerId: partner.partner.id, ...(reach && { user: { reach } }) }) as unknown as Caller;
const scopeOf = (query: ScopeQuery, reach?: Reach) => readScope(api.database.pool, callerWith(reach), query);

describe('a scope', () => {
  test('is the partner for callers with full reach and no filter', async () => {
    const scope = await scopeOf({});
    expect(scope).toEqual({ kind: 'partner', partnerId: partner.partner.id });
    expect(await countScope(api.database.pool, scope)).toBe(3);
  });

  test('is businesses when requested or when the reach consists of businesses', async () => {
    const asked = await scopeOf({ businessIds: [first, first] });
    expect(asked).toMatchObject({ kind: 'businesses', businessIds: [first] });
    expect(await countScope(api.database.pool, asked)).toBe(2);
    const seen = await scopeOf({}, { businessIds: [second], locationIds: [] });
    expect(seen).toMatchObject({ kind: 'businesses', businessIds: [second] });
  });

  test('is a list of locations otherwise', async () => {
    const [north, south, east] = ids as [number, number, number];
    expect(await scopeOf({ labels: ['west'] })).toMatchObject({ kind: 'locations', locationIds: [north, east] });
    expect(await scopeOf({ labels: ['west'], businessIds: [first] })).toMatchObject({ locationIds: [north] });
    expect(await scopeOf({ textFilter: 'sou' })).toMatchObject({ locationIds: [south] });
    expect(await scopeOf({ locationIds: [south, east] })).toMatchObject({ locationIds: [south, east] });
    const manager = { businessIds: [second], locationIds: [south] };
    const scope = await scopeOf({}, manager);
    expect(scope).toMatchObject({ kind: 'locations', locationIds: [south, east] });
    expect(await countScope(api.database.pool, scope)).toBe(2);
    expect(await scopeOf({ labels: ['west'] }, manager)).toMatchObject({ locationIds: [east] });
  });

  test('is empty for a label that is hidden from the user', async () => {
    const [north] = ids as [number];
    const secret = (await partner.call('POST', '/api/labels', { name: 'Closing soon', adminOnly: true })).body.response;
    await partner.call('PATCH', `/api/locations/${north}`, { labels: [{ name: 'West' }, { id: secret.id }] });
    const manager = { businessIds: [first], locationIds: [] };
    const user = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['LOCATION_READ'],
      businessIds: [first],
    });
    const listed = async (by: Pick<TestPartner, 'call'>, label: string) =>
      (await by.call('GET', `/api/locations?labels=${label}`)).body.response.count;
    for (const label of ['closing soon', String(secret.id)]) {
      expect(await scopeOf({ labels: [label] })).toMatchObject({ locationIds: [north] });
      expect(await scopeOf({ labels: [label] }, manager)).toMatchObject({ locationIds: [] });
      expect(await scopeOf({ labels: [label, 'West'] }, manager)).toMatchObject({ locationIds: [north] });
      expect([await listed(partner, label), await listed(user, label)]).toEqual([1, 0]);
    }
  });

  test('finds a label whose name is a number', async () => {
    const [north] = ids as [number];
    const { labels } = (await partner.call('GET', `/api/locations/${north}`)).body.response;
    await partner.call('PATCH', `/api/locations/${north}`, { labels: [...labels, { name: '20260' }] });
    expect(await scopeOf({ labels: ['20260'] })).toMatchObject({ locationIds: [north] });
  });

  test('rejects ids outside the reach of the caller', async () => {
    const [north] = ids as [number];
    const manager = { businessIds: [second], locationIds: [] };
    await expect(scopeOf({ locationIds: [north] }, manager)).rejects.toThrow(`There is no location ${north}.`);
    await expect(scopeOf({ businessIds: [first] }, manager)).rejects.toThrow(`There is no business ${first}.`);
    await expect(scopeOf({ locationIds: [987_654] })).rejects.toThrow('There is no location 987654.');
    const stranger = await api.addPartner();
    const call = readScope(api.database.pool, { partnerId: stranger.partner.id } as Caller, { locationIds: [north] });
    await expect(call).rejects.toThrow(`There is no location ${north}.`);
  });
});
