import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { activate, addBusiness, addLocation } from '../../../test/support/locations.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';
import { addUser } from '../../../test/support/users.ts';
import { dayIn, daysAfter } from '../../values/calendar.ts';
import { systemActor } from '../accounts/actor.ts';
import { transitionLocations } from './change-status.ts';
import { locationStatuses } from './location.ts';
import { lockLocations } from './location-store.ts';

let api: TestApi;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
});

/** The day in the time zone of the example location. */
const dayFromNow = (days: number) => daysAfter(dayIn('Europe/Berlin', new Date()), days);
const add = () => addLocation(partner, { businessId });
const move = (id: number, status: string, more: object = {}) =>
  partner.call('POST', `/api/locations/${id}/status`, { status, ...more });
const read = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;

async function addActive(): Promise<number> {
  const { id } = await add();
  await activate(api, partner, id);
  return id;
}

/** Simulates elapsed time by moving the end date. */
const letEnd = (id: number, endDate: string) =>
  api.database.pool.query('update locations set end_date = $2 where id = $1', [id, endDate]);

const runDueJobs = async () => {
  await api.database.pool.query("select graphile_worker.add_job('locations.end')");
  await runJobs(api.database);
};

/** Steps that lead to each status. */
const ways: Record<string, (id: number) => Promise<unknown>> = {
  ACTIVE: async () => {},
  NEEDS_REVIEW: (id) => move(id, 'NEEDS_REVIEW'),
  CANCELLED: (id) => move(id, 'CANCELLED', { endDate: dayFromNow(3) }),
  INACTIVE: async (id) => {
    await move(id, 'CANCELLED');
    await letEnd(id, dayFromNow(-1));
    await runDueJobs();
  },
  CLOSED: (id) => move(id, 'CLOSED'),
  DELETED: async (id) => {
    await ways.INACTIVE?.(id);
    await move(id, 'DELETED');
  },
};

async function addIn(status: string): Promise<number> {
  if (status === 'CREATED') return (await add()).id;
  const id = await addActive();
  await ways[status]?.(id);
  expect((await read(id)).status).toBe(status);
  return id;
}

const byHand: Record<string, string[]> = {
  CREATED: ['DELETED'],
  ACTIVE: ['NEEDS_REVIEW', 'CANCELLED', 'CLOSED'],
  NEEDS_REVIEW: ['ACTIVE', 'CANCELLED'],
  CANCELLED: ['ACTIVE', 'CLOSED'],
  INACTIVE: ['ACTIVE', 'CLOSED', 'DELETED'],
  CLOSED: ['ACTIVE'],
  DELETED: [],
};

describe('by a user', () => {
  const pairs = locationStatuses.flatMap((from) =>
    locationStatuses.filter((to) => to !== from).map((to) => [from, to]),
  );

  test.each(pairs.filter(([from = '', to = '']) => byHand[from]?.includes(to)))(
    '%s becomes %s, with its event',
    async (from = '', to = '') => {
      const id = await addIn(from);
      const { code, body } = await move(id, to, { comment: 'Because' });
      expect({ code, status: body.response?.status }).toEqual({ code: 200, status: to });
      const events = await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED');
      expect(events.at(-1)).toMatchObject({ location: id, from, to, user: 'PRIVATE_TOKEN', comment: 'Because' });
      const history = await partner.call('GET', `/api/locations/${id}/history?max=1`);
      expect(history.body.response.changes).toMatchObject([{ fields: ['status'], changedBy: 'PRIVATE_TOKEN' }]);
    },
  );

  test.each(pairs.filter(([from = '', to = '']) => !byHand[from]?.includes(to)))(
    '%s does not become %s, and the message lists the allowed statuses',
    async (from = '', to = '') => {
      const id = await addIn(from);
      const before = await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED');
      for (const refused of [await move(id, to), await partner.call('PATCH', `/api/locations/${id}`, { status: to })]) {
        expect({ code: refused.code, status: refused.body.status }).toEqual({ code: 409, status: 'CONFLICT' });
      }
      const { body } = await move(id, to);
      for (const way of byHand[from] ?? []) expect(body.message).toContain(way);
      expect((await read(id)).status).toBe(from);
      expect(await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).toEqual(before);
    },
  );

  test('changes status and profile with one PATCH', async () => {
    const id = await addActive();
    const { body } = await partner.call('PATCH', `/api/locations/${id}`, { status: 'CLOSED', name: 'Closed' });
    expect(body.response).toMatchObject({ status: 'CLOSED', name: 'Closed' });
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toHaveLength(1);
    expect((await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).at(-1)).toMatchObject({ to: 'CLOSED' });
  });

  test('records nothing for the current status', async () => {
    const id = await addActive();
    expect((await move(id, 'ACTIVE')).code).toBe(200);
    expect(await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).toHaveLength(1);
  });

  test('names the user in the event', async () => {
    const id = await addActive();
    const user = await addUser(api, partner, { role: 'ADMIN', email: `emma-${id}@example.com` });
    await user.call('POST', `/api/locations/${id}/status`, { status: 'NEEDS_REVIEW' });
    expect((await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).at(-1)).toMatchObject({
      user: `emma-${id}@example.com`,
    });
  });

  test('serializes concurrent changes', async () => {
    const id = await addActive();
    const responses = await Promise.all([move(id, 'NEEDS_REVIEW'), move(id, 'CLOSED')]);
    const codes = responses.map(({ code }) => code).sort();
    // CLOSED cannot become NEEDS_REVIEW, and NEEDS_REVIEW cannot become CLOSED.
    expect(codes).toEqual([200, 409]);
  });
});

describe('the first sync', () => {
  test('activates the location and its business', async () => {
    const id = await addActive();
    expect(await read(id)).toMatchObject({ status: 'ACTIVE', lastSyncStarted: expect.any(String) });
    const events = await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED');
    expect(events).toMatchObject([{ location: id, from: 'CREATED', to: 'ACTIVE', comment: 'First sync' }]);
    expect(events[0]).not.toHaveProperty('user');
    expect((await partner.call('GET', `/api/businesses/${businessId}`)).body.response.status).toBe('ACTIVE');
  });

  test('is recorded once', async () => {
    const id = await addActive();
    await Promise.all([activate(api, partner, id), activate(api, partner, id)]);
    expect(await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).toHaveLength(1);
  });
});

describe('a cancellation', () => {
  test('ends today by default', async () => {
    const [today, later] = [await addActive(), await addActive()];
    expect((await move(today, 'CANCELLED')).body.response.endDate).toBe(dayFromNow(0));
    expect((await move(later, 'CANCELLED', { endDate: dayFromNow(30) })).body.response.endDate).toBe(dayFromNow(30));
    const comments = (await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).map(({ comment }) => comment);
    expect(comments.at(-1)).toBe(`Cancelled, ends on ${dayFromNow(30)}`);
  });

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('ends today in %s', async (timeZone) => {
    const { id } = await addLocation(partner, { businessId, timeZone });
    await activate(api, partner, id);
    expect((await move(id, 'CANCELLED')).body.response.endDate).toBe(dayIn(timeZone, new Date()));
  });

  test.each([
    ['CANCELLED', dayFromNow(-1), 'minimum'],
    ['CANCELLED', '2026-02-30', 'date'],
    ['CLOSED', dayFromNow(1), 'cancelled'],
    ['ACTIVE', dayFromNow(1), 'cancelled'],
  ])('rejects %s with %s', async (status, endDate, rule) => {
    const { code, body } = await move(await addActive(), status, { endDate });
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field: 'endDate', rule }] });
  });

  test('can be undone before the end date only', async () => {
    const id = await addActive();
    await move(id, 'CANCELLED', { endDate: dayFromNow(2) });
    expect((await move(id, 'ACTIVE')).body.response).not.toHaveProperty('endDate');
    await move(id, 'CANCELLED');
    const { code, body } = await move(id, 'ACTIVE');
    expect({ code, message: body.message }).toMatchObject({ code: 409 });
    expect(body.message).toContain(`ends on ${dayFromNow(0)}`);
  });

  test('has ended: its location can be written back as read', async () => {
    const id = await addActive();
    await move(id, 'CANCELLED');
    await api.database.pool.query(
      `update locations set status = 'INACTIVE', end_date = current_date - 5 where id = $1`,
      [id],
    );
    const { status, endDate } = await read(id);
    const { code, body } = await partner.call('PATCH', `/api/locations/${id}`, { status, endDate, name: 'Renamed' });
    expect({ code, response: body.response }).toMatchObject({
      code: 200,
      response: { status: 'INACTIVE', endDate, name: 'Renamed' },
    });
  });

  test('accepts a new end date without a status change', async () => {
    const id = await addActive();
    await move(id, 'CANCELLED', { endDate: dayFromNow(2) });
    const before = await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED');
    expect((await move(id, 'CANCELLED', { endDate: dayFromNow(9) })).body.response.endDate).toBe(dayFromNow(9));
    expect(await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).toEqual(before);
  });

  test('makes the location inactive once after its end date', async () => {
    const [ended, open] = [await addActive(), await addActive()];
    await move(ended, 'CANCELLED');
    await letEnd(ended, dayFromNow(-1));
    await move(open, 'CANCELLED');
    await Promise.all([runDueJobs(), runDueJobs()]);
    expect([(await read(ended)).status, (await read(open)).status]).toEqual(['INACTIVE', 'CANCELLED']);
    const events = (await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).filter(
      ({ to }) => to === 'INACTIVE',
    );
    expect(events).toMatchObject([
      { location: ended, from: 'CANCELLED', comment: expect.stringContaining(dayFromNow(-1)) },
    ]);
    expect(events[0]).not.toHaveProperty('user');
  });

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin'])(
    'lasts until the end of its last day in its time zone (%s)',
    async (timeZone) => {
      const localDay = (days: number) =>
        new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv-SE', { timeZone });
      const [ended, open] = [await addActive(), await addActive()];
      for (const id of [ended, open]) {
        await partner.call('PATCH', `/api/locations/${id}`, { timeZone });
        expect((await move(id, 'CANCELLED')).body.response.endDate).toBe(localDay(0));
      }
      const early = await move(open, 'CANCELLED', { endDate: localDay(-1) });
      expect(early.body.errors).toMatchObject([{ field: 'endDate', message: expect.stringContaining(timeZone) }]);
      await letEnd(ended, localDay(-1));
      await runDueJobs();
      expect([(await read(ended)).status, (await read(open)).status]).toEqual(['INACTIVE', 'CANCELLED']);
    },
  );
});

test('names no user for a change by a job', async () => {
  const id = await addActive();
  await api.database.transaction(async (transaction) => {
    const locations = await lockLocations(transaction, partner.partner.id, [id]);
    const wanted = { to: 'CLOSED', by: 'user', now: new Date() } as const;
    await transitionLocations(transaction, systemActor(partner.partner), locations, wanted);
  });
  const [event] = (await eventsOf(api.database, partner, 'LOCATION_STATUS_CHANGED')).slice(-1);
  expect(event).toMatchObject({ location: id, to: 'CLOSED' });
  expect(event).not.toHaveProperty('user');
});

describe('a deletion', () => {
  test('is allowed after the end date', async () => {
    const id = await addActive();
    await move(id, 'CANCELLED');
    await runDueJobs();
    const early = await partner.call('DELETE', `/api/locations/${id}`);
    expect(early.code).toBe(409);
    expect(early.body.message).toContain('INACTIVE (automatically after its end date)');
    await letEnd(id, dayFromNow(-1));
    await runDueJobs();
    expect((await partner.call('DELETE', `/api/locations/${id}`)).body).toMatchObject({ response: { success: true } });
    expect((await read(id)).status).toBe('DELETED');
  });

  test('hides the location, frees its identifier and prevents changes', async () => {
    const id = await addIn('INACTIVE');
    await partner.call('PATCH', `/api/locations/${id}`, { identifier: 'K-1' });
    await move(id, 'DELETED');
    expect((await partner.call('GET', '/api/locations')).body.response.count).toBe(0);
    expect((await partner.call('GET', '/api/locations?status=DELETED')).body.response.count).toBe(1);
    expect((await partner.call('PATCH', `/api/locations/${id}`, { name: 'Back' })).code).toBe(409);
    await addLocation(partner, { businessId, identifier: 'K-1' });
  });
});

describe('listing checks are enqueued', () => {
  const told = async () =>
    (
      await api.database.pool.query(
        `select (payload->>'locationId')::bigint as id from graphile_worker._private_jobs jobs
         join graphile_worker._private_tasks tasks on tasks.id = task_id
         where identifier = 'listings.location-changed' order by jobs.id`,
      )
    ).rows.map(({ id }) => id);
  const forget = () => api.database.pool.query('delete from graphile_worker._private_jobs');

  test('once for changes of synced locations', async () => {
    await forget();
    const id = await addActive();
    await forget();
    await partner.call('PATCH', `/api/locations/${id}`, { name: 'One' });
    await partner.call('PATCH', `/api/locations/${id}`, { name: 'Two' });
    await move(id, 'CANCELLED');
    expect(await told()).toEqual([id]);
  });

  test('not for internal fields, without autoSync or before the first sync', async () => {
    const [internal, manual] = [await addActive(), await addActive()];
    await partner.call('PATCH', `/api/locations/${manual}`, { autoSync: false });
    await forget();
    const created = await add();
    await partner.call('PATCH', `/api/locations/${internal}`, { labels: ['West'], identifier: 'K-1' });
    await partner.call('PATCH', `/api/locations/${manual}`, { name: 'One' });
    await partner.call('PATCH', `/api/locations/${created.id}`, { name: 'One' });
    expect(await told()).toEqual([]);
  });

  test('for every status change, also without autoSync', async () => {
    const id = await addActive();
    await partner.call('PATCH', `/api/locations/${id}`, { autoSync: false });
    await forget();
    await move(id, 'CLOSED');
    expect(await told()).toEqual([id]);
    await forget();
    await move(id, 'ACTIVE');
    expect(await told()).toEqual([id]);
  });
});

test('the cleansing of a created or changed location counts for its partner', async () => {
  const statement = `delete from graphile_worker._private_jobs jobs using graphile_worker._private_tasks tasks
    where tasks.id = task_id and identifier = 'locations.cleanse' returning flags`;
  const cleansing = async () => (await api.database.pool.query(statement)).rows;
  const flags = { [`partner-${partner.partner.id}`]: true };
  await cleansing();
  const { id } = await add();
  expect(await cleansing()).toEqual([{ flags }]);
  await api.database.pool.query(`update locations set cleansing_status = 'CLEANSED' where id = $1`, [id]);
  await partner.call('PATCH', `/api/locations/${id}`, { street: 'Aachener Straße' });
  expect(await cleansing()).toEqual([{ flags }]);
});

describe('a partner with many locations does not delay others', () => {
  const many = 1001;
  let other: TestPartner;

  /** The partner has many due locations, and a partner with a higher id has one. */
  beforeEach(async () => {
    other = await api.addPartner();
    const otherBusiness = (await addBusiness(other)).id;
    const insert = `insert into locations (partner_id, business_id, source, status, name, street, zip, city, country)
      select $1, $2, 'API', 'ACTIVE', 'Lindner', 'Venloer Straße', '50823', 'Köln', 'DE' from generate_series(1, $3)`;
    await api.database.pool.query(insert, [partner.partner.id, businessId, many]);
    await api.database.pool.query(insert, [other.partner.id, otherBusiness, 1]);
  });

  const partnersInOrder = async (rows: string) =>
    (await api.database.pool.query(`${rows} order by id`)).rows.map(({ partner_id }) => partner_id);

  test('at the end date', async () => {
    const { partner: first } = partner;
    await api.database.pool.query(
      `update locations set status = 'CANCELLED', end_date = current_date - 7 where partner_id in ($1, $2)`,
      [first.id, other.partner.id],
    );
    await runDueJobs();
    const ended = await partnersInOrder(
      `select id, partner_id from events where partner_id in (${first.id}, ${other.partner.id}) and type = 'LOCATION_STATUS_CHANGED'`,
    );
    expect(ended).toHaveLength(many + 1);
    expect(ended.at(-1)).toBe(first.id);
  });

  test('when addresses are cleansed', { timeout: 120_000 }, async () => {
    const { partner: first } = partner;
    await api.database.pool.query(
      `update locations set cleansing_status = 'PENDING', normalization_status = 'NORMALIZED', street = 'Venloer Straße 310'
       where partner_id in ($1, $2)`,
      [first.id, other.partner.id],
    );
    await api.database.pool.query("select graphile_worker.add_job('locations.cleanse', '{}')");
    await runJobs(api.database);
    const cleansed = await partnersInOrder(
      `select changes.id, partner_id from location_changes changes join locations on locations.id = location_id
       where partner_id in (${first.id}, ${other.partner.id})`,
    );
    expect(cleansed).toHaveLength(many + 1);
    expect(cleansed.at(-1)).toBe(first.id);
  });
});
