import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene } from '../../../../test/support/feedback.ts';
import { addUser } from '../../../../test/support/users.ts';

const path = '/api/data-points';
const filters = `${path}/filters`;
let scene: FeedbackScene;
let partner: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  scene = await FeedbackScene.open();
  partner = await scene.api.addPartner();
  stranger = await scene.api.addPartner();
  const place = await scene.addUnlinkedLocation(partner);
  await scene.addDatapoint(place, { day: 1, rating: 1, text: 'angry' }, partner);
  await scene.addDatapoint(place, { day: 2, rating: 4, text: 'silent' }, partner);
  await scene.addDatapoint(place, { day: 3, rating: 3, text: 'old' }, partner);
  const read = await scene.addDatapoint(place, { day: 4, rating: 2, text: 'read' }, partner);
  await scene.addDatapoint(place, { day: 5, type: 'QUESTION', text: 'question' }, partner);
  await partner.call('PATCH', `${path}/${read}`, { read: true });
});
afterAll(() => scene.close());

async function found(query: string): Promise<string[]> {
  const { body } = await partner.call('GET', `${path}?${query}`);
  return body.response.inbox.dataPoints.map(({ data }: { data: string }) => data);
}

describe('saved filters', () => {
  test('are saved, updated and applied', async () => {
    const created = await partner.call('POST', filters, {
      name: 'Unhappy',
      types: ['REVIEW'],
      maxRating: 2,
      isRead: false,
    });
    expect(created.code).toBe(200);
    const { id: filterId } = created.body.response;
    const at = `${filters}/${filterId}`;
    expect((await partner.call('GET', at)).body.response).toMatchObject({
      name: 'Unhappy',
      shared: true,
      types: ['REVIEW'],
      maxRating: 2,
      isRead: false,
      hasReply: null,
      hasText: null,
    });
    expect(await found(`filterId=${filterId}`)).toEqual(['angry']);
    expect(await found(`filterId=${filterId}&maxRating=3`)).toEqual(['old', 'angry']);
    const changed = await partner.call('PATCH', at, { maxRating: 4, isRead: null });
    expect(changed.body.response).toMatchObject({ name: 'Unhappy', maxRating: 4, isRead: null });
    expect(await found(`filterId=${filterId}`)).toEqual(['read', 'old', 'silent', 'angry']);
    expect((await partner.call('PUT', at, { name: 'Renamed' })).body.response).toMatchObject({
      name: 'Renamed',
      maxRating: 4,
    });
    expect((await partner.call('GET', filters)).body.response).toMatchObject({ count: 1, filters: [{ id: filterId }] });
    expect((await partner.call('DELETE', at)).body.response).toEqual({ success: true });
    expect((await partner.call('GET', at)).code).toBe(404);
    expect((await partner.call('GET', `${path}?filterId=${filterId}`)).code).toBe(404);
  });

  test('keep a location that was deleted', async () => {
    const { locationId: kept } = await scene.addUnlinkedLocation(partner);
    const { locationId: deleted } = await scene.addUnlinkedLocation(partner);
    const missing = 2_000_000_000;
    const { body } = await partner.call('POST', filters, { name: 'Two', locationIds: [kept, deleted] });
    const at = `${filters}/${body.response.id}`;
    await scene.query(`update locations set status = 'DELETED' where id = $1`, [deleted]);
    const { id: _id, shared: _shared, dateCreated: _created, lastUpdated: _updated, ...saved } = body.response;
    const renamed = await partner.call('PUT', at, { ...saved, name: 'Still two' });
    expect(renamed).toMatchObject({ code: 200, body: { response: { locationIds: [kept, deleted] } } });
    expect((await partner.call('PATCH', at, { locationIds: [kept, missing] })).code).toBe(400);
    expect((await partner.call('DELETE', at)).code).toBe(200);
  });

  test('find a label by its decomposed name', async () => {
    const place = await scene.addUnlinkedLocation(partner);
    await scene.addDatapoint(place, { day: 6, rating: 5, text: 'labelled' }, partner);
    const { rows } = await scene.query(`insert into labels (partner_id, name) values ($1, 'Café') returning id`, [
      partner.partner.id,
    ]);
    await scene.query('update locations set label_ids = array[$1::bigint] where id = $2', [
      rows[0].id,
      place.locationId,
    ]);
    const { body } = await partner.call('POST', filters, { name: 'Labelled', labels: ['Cafe\u0301'] });
    expect(await found(`filterId=${body.response.id}`)).toEqual(['labelled']);
    expect((await partner.call('DELETE', `${filters}/${body.response.id}`)).code).toBe(200);
  });

  test('do not restrict a field by an empty list', async () => {
    const { body } = await partner.call('POST', filters, { name: 'Empty', status: [], types: [], maxRating: 1 });
    expect(await found(`filterId=${body.response.id}`)).toEqual(['angry']);
  });

  test('are rejected if they are invalid', async () => {
    expect((await partner.call('POST', filters, { types: ['REVIEW'] })).code).toBe(400);
    expect((await partner.call('POST', filters, { name: 'x', minRating: 3, maxRating: 2 })).code).toBe(400);
    const dates = await partner.call('GET', `${path}?minActionDate=2026-03-02&maxActionDate=2026-03-01`);
    expect(dates.body.message).toContain(
      'minActionDate (2026-03-02T00:00:00.000Z) must not be greater than maxActionDate (2026-03-01T00:00:00.000Z).',
    );
    expect((await partner.call('POST', filters, { name: 'x', types: Array(101).fill('REVIEW') })).code).toBe(400);
    expect((await partner.call('POST', filters, { name: 'x', directoryTypes: ['G'.repeat(101)] })).code).toBe(400);
    expect((await partner.call('POST', filters, { name: 'Twice' })).code).toBe(200);
    const twice = await partner.call('POST', filters, { name: 'twice' });
    expect(twice).toMatchObject({ code: 409, body: { errors: [{ field: 'name' }] } });
    const { body } = await partner.call('GET', filters);
    const at = `${filters}/${body.response.filters[0].id}`;
    expect((await partner.call('PATCH', at, {})).code).toBe(400);
    expect((await partner.call('PATCH', at, { minRating: 4, maxRating: 1 })).code).toBe(400);
    expect((await partner.call('DELETE', at)).code).toBe(200);
  });

  test('users see their own and shared filters; only administrators change shared ones', async () => {
    const [one, other] = [
      await addUser(scene.api, partner, { role: 'ACCOUNT_MANAGER' }),
      await addUser(scene.api, partner, { role: 'ACCOUNT_MANAGER' }),
    ];
    const admin = await addUser(scene.api, partner, { role: 'ADMIN' });
    const own = `${filters}/${(await one.call('POST', filters, { name: 'Mine' })).body.response.id}`;
    const shared = `${filters}/${(await partner.call('POST', filters, { name: 'Ours' })).body.response.id}`;
    expect((await one.call('GET', own)).body.response).toMatchObject({ shared: false });
    expect((await other.call('GET', own)).code).toBe(404);
    expect((await other.call('DELETE', own)).code).toBe(404);
    expect((await stranger.call('GET', own)).code).toBe(404);
    expect((await stranger.call('GET', shared)).code).toBe(404);
    expect((await other.call('GET', shared)).code).toBe(200);
    expect((await other.call('PATCH', shared, { name: 'x' })).code).toBe(403);
    expect((await admin.call('PATCH', shared, { name: 'Better' })).code).toBe(200);
    expect((await partner.call('PATCH', own, { name: 'By key' })).code).toBe(200);
  });
});
