import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import {
  type DatapointInput,
  FeedbackScene,
  firstOfMarch,
  type UnlinkedLocation,
} from '../../../../test/support/feedback.ts';
import { addUser } from '../../../../test/support/users.ts';
import { cursorOf } from './inbox-entry.ts';

const path = '/api/data-points';
const day = 86_400_000;
const start = firstOfMarch;

let scene: FeedbackScene;
let partner: TestPartner;
let stranger: TestPartner;
let places: UnlinkedLocation[];
let page: number;
/** Ids by the names below. */
const named = new Map<string, number>();

beforeAll(async () => {
  scene = await FeedbackScene.open();
  partner = await scene.api.addPartner();
  stranger = await scene.api.addPartner();
  places = [await scene.addUnlinkedLocation(partner), await scene.addUnlinkedLocation(partner)];
  const foreign = await scene.addUnlinkedLocation(stranger);
  const business = places[0]?.businessId as number;
  page = (
    await scene.query(
      `insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name)
       values ($1, $2, 'FACEBOOK', 'p', 'Brand') returning id`,
      [partner.partner.id, business],
    )
  ).rows[0].id;
  await addDatapoint('happy', { day: 1, rating: 5, text: 'Wunderbares Brot', language: 'de' });
  await addDatapoint('angry', {
    day: 2,
    rating: 1,
    text: 'The bread was stale',
    language: 'en',
    author: 'Grace Hopper',
  });
  await addDatapoint('silent', { day: 3, rating: 4 });
  await addDatapoint('photo', { day: 4, type: 'PHOTO', directory: 'YELP' });
  await addDatapoint('question', { day: 5, type: 'QUESTION', text: 'Do you have parking?', language: 'en', place: 1 });
  await addDatapoint('old', { day: 0, threadDay: 6, rating: 3, text: 'Old but talked about', place: 1 });
  await addDatapoint('gone', { day: 7, rating: 2, text: 'Gone', status: 'INVALID' });
  await addDatapoint('brand', { day: 8, type: 'COMMENT', text: 'Love the brand' });
  await addDatapoint('foreign', { day: 9, rating: 5, text: 'Wunderbares Brot' }, stranger, foreign);
  await scene.query('update datapoints set read = true where id = $1', [id('happy')]);
  await scene.query('update datapoints set flagged = true where id = $1', [id('angry')]);
  await scene.query('update datapoints set owner_replied_at = now() where id = $1', [id('old')]);
});
afterAll(() => scene.close());

const id = (name: string) => named.get(name) as number;

async function addDatapoint(
  name: string,
  given: DatapointInput & { place?: number },
  by = partner,
  at = places[given.place ?? 0],
) {
  const pageId = given.type === 'COMMENT' ? { pageId: page } : {};
  named.set(name, await scene.addDatapoint(at as UnlinkedLocation, { ...given, ...pageId, externalId: name }, by));
}

const nameOf = (wanted: number) => [...named].find(([, value]) => value === wanted)?.[0];

async function found(query: string, by: { call: TestPartner['call'] } = partner): Promise<(string | undefined)[]> {
  const { code, body } = await by.call('GET', `${path}?${query}`);
  expect(body).toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  const { inbox } = body.response;
  if (!query.includes('after=') && !query.includes('page='))
    expect(inbox.count).toBeGreaterThanOrEqual(inbox.dataPoints.length);
  return inbox.dataPoints.map((entry: { id: number }) => nameOf(entry.id));
}

const everything = ['brand', 'old', 'question', 'photo', 'silent', 'angry', 'happy'];

describe('filters', () => {
  test('lists the newest threads first, without INVALID datapoints', async () => {
    expect(await found('')).toEqual(everything);
  });

  test.each<[string, string[]]>([
    ['types=PHOTO', ['photo']],
    ['types=PHOTO,QUESTION', ['question', 'photo']],
    ['types=PHOTO&types=COMMENT', ['brand', 'photo']],
    ['directoryTypes=YELP', ['photo']],
    ['directoryTypes=YELP,FACEBOOK', ['brand', 'photo']],
    ['rating=5', ['happy']],
    ['rating=1,4', ['silent', 'angry']],
    ['minRating=4', ['silent', 'happy']],
    ['maxRating=3', ['old', 'angry']],
    ['minRating=3&maxRating=4', ['old', 'silent']],
    ['isRead=true', ['happy']],
    ['isRead=false&types=REVIEW', ['old', 'silent', 'angry']],
    ['hasReply=true', ['old']],
    ['hasReply=false&types=REVIEW', ['silent', 'angry', 'happy']],
    ['hasText=true&types=REVIEW', ['old', 'angry', 'happy']],
    ['hasText=true', ['old', 'angry', 'happy']],
    ['hasText=false', ['silent']],
    ['hasText=false&types=PHOTO', []],
    ['flagged=true', ['angry']],
    ['flagged=false&types=REVIEW', ['old', 'silent', 'happy']],
    ['language=de', ['happy']],
    ['language=DE,en', ['question', 'angry', 'happy']],
    ['query=bread', ['angry']],
    ['query=wunderbares', ['happy']],
    ['query=hopper', ['angry']],
    ['query=%22the+bread%22', ['angry']],
    ['query=the+-bread', ['brand']],
    ['query=nothing', []],
    ['status=INVALID', ['gone']],
    ['status=VALID,INVALID', ['brand', 'gone', ...everything.slice(1)]],
    [`minActionDate=${start + 4 * day}`, ['brand', 'question', 'photo']],
    [`maxActionDate=${start + day}`, ['old', 'happy']],
    [`minThreadActionDate=${start + 5 * day}`, ['brand', 'old', 'question']],
    [`maxThreadActionDate=${start + 2 * day}`, ['angry', 'happy']],
    [`minThreadActionDate=${new Date(start + 5 * day).toISOString()}`, ['brand', 'old', 'question']],
    [`maxThreadActionDate=${new Date(start + 2 * day).toISOString()}`, ['angry', 'happy']],
    [`minActionDate=${new Date(start + 4 * day).toISOString().slice(0, 10)}`, ['brand', 'question', 'photo']],
    [`minActionDate=${start + 2 * day}&maxActionDate=${start + 3 * day}`, ['silent', 'angry']],
    ['sort=actionDate', ['brand', 'question', 'photo', 'silent', 'angry', 'happy', 'old']],
    ['sort=rating', ['happy', 'silent', 'old', 'angry']],
    ['sort=rating&order=ASC', ['angry', 'old', 'silent', 'happy']],
    ['order=asc', everything.toReversed()],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test('by location, business and brand page', async () => {
    const [first, second] = places as [UnlinkedLocation, UnlinkedLocation];
    expect(await found(`locationIds=${second.locationId}`)).toEqual(['old', 'question']);
    const both = `locationIds=${first.locationId},${second.locationId}`;
    expect(await found(both)).toEqual(everything.slice(1));
    expect(await found(`${both}&status=VALID,INVALID`)).toEqual(['gone', ...everything.slice(1)]);
    expect(await found(`${both}&sort=actionDate&order=ASC`)).toEqual([
      'old',
      'happy',
      'angry',
      'silent',
      'photo',
      'question',
    ]);
    expect(await found(`businessIds=${first.businessId}`)).toEqual(['brand', 'photo', 'silent', 'angry', 'happy']);
    expect(await found(`businessIds=${first.businessId},${second.businessId}`)).toEqual(everything);
    expect(await found(`businessIds=${first.businessId}&sort=rating`)).toEqual(['happy', 'silent', 'angry']);
    expect(await found(`directoryBusinessPageIds=${page}`)).toEqual(['brand']);
    expect(await found(`businessIds=${second.businessId}&locationIds=${first.locationId}`)).toEqual([]);
  });

  test('by labels of the location, by name or id', async () => {
    const { rows } = await scene.query(`insert into labels (partner_id, name) values ($1, 'Flagship') returning id`, [
      partner.partner.id,
    ]);
    await scene.query('update locations set label_ids = $2 where id = $1', [places[1]?.locationId, [rows[0].id]]);
    expect(await found('labels=flagship')).toEqual(['old', 'question']);
    expect(await found(`labels=${rows[0].id}`)).toEqual(['old', 'question']);
    expect(await found('labels=other')).toEqual([]);
    const manager = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['INBOX_READ'],
      businessIds: [places[1]?.businessId as number],
    });
    const counted = async () =>
      (await manager.call('GET', '/api/data-points?labels=flagship')).body.response.inbox.count;
    expect(await counted()).toBe(2);
    await scene.query('update labels set admin_only = true where id = $1', [rows[0].id]);
    expect(await counted()).toBe(0);
    expect(await found('labels=flagship')).toEqual(['old', 'question']);
  });

  test.each([
    ['types=REVUE', 'types'],
    ['rating=6', 'rating'],
    ['isRead=maybe', 'isRead'],
    ['minRating=4&maxRating=3', 'minRating'],
    ['minActionDate=yesterday', 'minActionDate'],
    ['maxThreadActionDate=-1', 'maxThreadActionDate'],
    [`minThreadActionDate=${start}&maxThreadActionDate=${start - 1}`, 'minThreadActionDate'],
    ['query=%21%21', 'query'],
    ['page=-1', 'page'],
    ['sort=author', 'sort'],
    ['fieldMask=data&fieldMask=stars', 'fieldMask'],
    ['after=nonsense', 'after'],
    [`after=${cursorOf('threadActionDate', 'DESC', ['2026-02-30 00:00:00+00', '1'])}`, 'after'],
    [`after=${cursorOf('threadActionDate', 'DESC', ['0000-01-01 00:00:00+00', '1'])}`, 'after'],
    ['filterId=x', 'filterId'],
  ])('%s is refused', async (query, field) => {
    const { code, body } = await partner.call('GET', `${path}?${query}`);
    expect(code).toBe(400);
    expect(body.errors.map((error: { field: string }) => error.field.replace(/\[.*/, ''))).toContain(field);
  });
});

describe('pages', () => {
  test('continue by page number and by cursor, in every order', async () => {
    for (const order of [
      'sort=threadActionDate',
      'sort=actionDate&order=ASC',
      'sort=rating',
      'sort=rating&order=ASC',
    ]) {
      const all = await found(order);
      const byNumber: unknown[] = [];
      for (let number = 0; number < 4; number++) byNumber.push(...(await found(`${order}&max=2&page=${number}`)));
      expect(byNumber).toEqual(all);
      const byCursor: unknown[] = [];
      let after: string | undefined;
      do {
        const { body } = await partner.call('GET', `${path}?${order}&max=3${after ? `&after=${after}` : ''}`);
        byCursor.push(...body.response.inbox.dataPoints.map((entry: { id: number }) => nameOf(entry.id)));
        after = body.response.inbox.after;
      } while (after);
      expect(byCursor).toEqual(all);
    }
  });

  test('contain page, page size and count', async () => {
    const { body } = await partner.call('GET', `${path}?page=1&max=3`);
    expect(body.response.inbox).toMatchObject({ page: 1, pageSize: 3, count: 7, countIsExact: true });
  });

  test('rejects a cursor of another order', async () => {
    const { body } = await partner.call('GET', `${path}?max=1`);
    const { code } = await partner.call('GET', `${path}?max=1&sort=rating&after=${body.response.inbox.after}`);
    expect(code).toBe(400);
  });

  test('a cursor distinguishes dates within the same millisecond', async () => {
    const own = await scene.api.addPartner();
    const at = await scene.addUnlinkedLocation(own);
    for (let n = 0; n < 4; n++) await addDatapoint(`close-${n}`, { day: 1 }, own, at);
    await scene.query(
      `update datapoints set thread_action_date = thread_action_date + make_interval(secs => id * 0.000001)
       where partner_id = $1`,
      [own.partner.id],
    );
    let after = '';
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n++) {
      const { body } = await own.call('GET', `${path}?max=1${after && `&after=${after}`}`);
      seen.push(nameOf(body.response.inbox.dataPoints[0].id));
      after = body.response.inbox.after;
    }
    expect(seen).toEqual(['close-3', 'close-2', 'close-1', 'close-0']);
  });
});

test('has the times of each datapoint in milliseconds', async () => {
  const mine = await scene.api.addPartner();
  const at = await scene.addUnlinkedLocation(mine);
  const times = ['2026-03-01 08:30:00', '2026-03-02 08:30:00.25', '2026-03-03 08:30:00.123987'];
  for (const time of times) {
    const added = await scene.addDatapoint(at, { day: 0 }, mine);
    await scene.query('update datapoints set thread_action_date = $2, date_created = $2 where id = $1', [added, time]);
  }
  const { dataPoints } = (await mine.call('GET', `${path}?order=ASC`)).body.response.inbox;
  expect(dataPoints.map((one: { threadActionDate: string }) => one.threadActionDate)).toEqual([
    '2026-03-01T08:30:00.000Z',
    '2026-03-02T08:30:00.250Z',
    '2026-03-03T08:30:00.123Z',
  ]);
  for (const listed of dataPoints) {
    expect((await mine.call('GET', `${path}/${listed.id}`)).body.response).toEqual(listed);
  }
});

test('counts a datapoint that was added after the count was cached', async () => {
  const mine = await scene.api.addPartner();
  const at = await scene.addUnlinkedLocation(mine);
  const first = await scene.addDatapoint(at, { day: 0 }, mine);
  await scene.query(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, status,
       author, action_date, thread_action_date, fingerprint)
     select partner_id, business_id, location_id, listing_id, directory_type, 'copy-' || n, type, status, author,
       action_date, thread_action_date, fingerprint
     from datapoints cross join generate_series(1, 2000) as n where id = $1`,
    [first],
  );
  const count = async () => (await mine.call('GET', `${path}?max=2`)).body.response.inbox.count;
  expect(await count()).toBe(2001);
  expect(await count()).toBe(2001);
  await scene.addDatapoint(at, { day: 1 }, mine);
  expect(await count()).toBe(2002);
});

test('a field mask returns the requested fields and the id', async () => {
  const { body } = await partner.call('GET', `${path}?fieldMask=data&fieldMask=rating&types=REVIEW&max=1`);
  expect(body.response.inbox.dataPoints).toEqual([{ id: id('old'), data: 'Old but talked about', rating: 3 }]);
  const one = `${path}/${id('old')}`;
  expect((await partner.call('GET', `${one}?fieldMask=rating`)).body.response).toEqual({ id: id('old'), rating: 3 });
  expect((await partner.call('GET', one)).body.response).toMatchObject({ data: 'Old but talked about', replies: [] });
  expect(await partner.call('GET', `${one}?fieldMask=rating,stars`)).toMatchObject({
    code: 400,
    body: { errors: [{ field: 'fieldMask', message: expect.stringContaining('stars') }] },
  });
});

test('the path has aliases', async () => {
  expect((await partner.call('GET', '/datapoints?max=1')).code).toBe(200);
});

describe('visibility', () => {
  test('another partner sees no datapoints', async () => {
    expect(await found('', stranger)).toEqual(['foreign']);
    expect(await found(`locationIds=${places[0]?.locationId}`, stranger)).toEqual([]);
    expect(await found('query=wunderbares', stranger)).toEqual(['foreign']);
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? { read: true } : undefined;
      expect((await stranger.call(method, `${path}/${id('happy')}`, body)).code).toBe(404);
    }
    expect((await stranger.call('POST', `${path}/${id('happy')}/like`)).code).toBe(404);
    expect((await stranger.call('DELETE', `${path}/${id('happy')}/flag`)).code).toBe(404);
  });

  test('a user sees the datapoints of accessible businesses and locations', async () => {
    const [first, second] = places as [UnlinkedLocation, UnlinkedLocation];
    const ofLocation = await addUser(scene.api, partner, {
      role: 'LOCATION_MANAGER',
      locationIds: [second.locationId],
    });
    expect(await found('', ofLocation)).toEqual(['old', 'question']);
    expect(await found('sort=actionDate', ofLocation)).toEqual(['question', 'old']);
    expect(await found(`businessIds=${first.businessId}`, ofLocation)).toEqual([]);
    expect(await found(`locationIds=${first.locationId},${second.locationId}`, ofLocation)).toEqual([
      'old',
      'question',
    ]);
    expect((await ofLocation.call('GET', `${path}/${id('happy')}`)).code).toBe(404);
    const ofBusiness = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      businessIds: [first.businessId],
      locationIds: [first.locationId, second.locationId],
    });
    expect(await found('', ofBusiness)).toEqual(everything);
    const ofNothing = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER' });
    expect(await found('', ofNothing)).toEqual([]);
  });
});
