import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene } from '../../../../test/support/feedback.ts';
import { addUser } from '../../../../test/support/users.ts';
import { readMigration } from '../../../database/schema-state.ts';

const path = '/api/directory-business-pages';
let scene: FeedbackScene;
let partner: TestPartner;
let businessId: number;
let brand: string;
let brands = 0;

beforeAll(async () => {
  scene = await FeedbackScene.open();
});
afterAll(() => scene.close());

beforeEach(async () => {
  partner = await scene.api.addPartner();
  brand = `Rösterei Nummer ${++brands}`;
  businessId = await scene.addBusiness(partner, brand);
});

const pages = async (query = '', by: { call: TestPartner['call'] } = partner) =>
  (await by.call('GET', `${path}?${query}`)).body.response.directoryBusinessPages;
const discover = () => scene.run('brand-pages.discover', { businessId });
const check = (pageId: number) => scene.run('datapoints.check-brand-page', { pageId });

/** A discovered brand page and its external id. */
async function addPage(directory = 'FACEBOOK'): Promise<{ id: number; external: string }> {
  const { id: external } = await scene.control.addBrandPage(directory, { name: brand, followers: 12 });
  await discover();
  const [page] = await pages(`directoryTypes=${directory}`);
  return { id: page.id, external };
}

const comment = (external: string, text = 'Great coffee') =>
  scene.control.postDataPoint('FACEBOOK', { brandPage: external }, { type: 'COMMENT', text });

describe('discovery', () => {
  test('creates and updates brand pages of every directory that supports them', async () => {
    const { id: facebook } = await scene.control.addBrandPage('FACEBOOK', { name: brand, followers: 12 });
    await scene.control.addBrandPage('INSTAGRAM', { name: brand, followers: 3 });
    await discover();
    expect(await pages()).toMatchObject([
      {
        businessId,
        directoryType: 'FACEBOOK',
        externalId: facebook,
        name: brand,
        followers: 12,
        url: expect.any(String),
      },
      { businessId, directoryType: 'INSTAGRAM', followers: 3 },
    ]);
    await scene.control.changeBrandPage('FACEBOOK', facebook, { followers: 13 });
    await Promise.all([discover(), discover()]);
    expect(await pages()).toMatchObject([{ followers: 13 }, { followers: 3 }]);
  });

  test('continues when one directory is down', async () => {
    await scene.control.addBrandPage('FACEBOOK', { name: brand });
    await scene.control.addBrandPage('INSTAGRAM', { name: brand });
    await scene.control.simulateOutage('FACEBOOK');
    await discover();
    expect(await pages()).toMatchObject([{ directoryType: 'INSTAGRAM' }]);
    await scene.control.endFailure('FACEBOOK');
    await expect
      .poll(async () => {
        // As if an hour had passed since the last attempt.
        await scene.query(`update brand_page_discoveries set discovered_at = discovered_at - interval '1 hour'`);
        await scene.run('brand-pages.schedule', {});
        return (await pages()).length;
      })
      .toBe(2);
  });

  test('reaches all businesses while one directory is down', async () => {
    await scene.query(
      `insert into businesses (partner_id, name, status)
       select $1, 'Other business ' || n, 'ACTIVE' from generate_series(1, 200) as n`,
      [partner.partner.id],
    );
    const last = await scene.addBusiness(partner, `${brand} last`);
    await scene.control.addBrandPage('INSTAGRAM', { name: `${brand} last` });
    await scene.control.simulateOutage('FACEBOOK');
    await scene.run('brand-pages.schedule', {});
    await scene.run('brand-pages.schedule', {});
    await scene.control.endFailure('FACEBOOK');
    expect(await pages(`businessIds=${last}`)).toMatchObject([{ directoryType: 'INSTAGRAM' }]);
  });

  test('can be requested by callers with access to the business', async () => {
    await scene.control.addBrandPage('FACEBOOK', { name: brand });
    const stranger = await scene.api.addPartner();
    expect((await stranger.call('POST', `${path}/discover`, { businessId })).code).toBe(400);
    await partner.call('POST', `${path}/discover`, { businessId });
    const key = `brand-pages.discover-${businessId}-requested`;
    const { rows } = await scene.query('select flags from graphile_worker.jobs where key = $1', [key]);
    expect(rows).toEqual([{ flags: { [`partner-${partner.partner.id}`]: true } }]);
    // Requests to the directory may still be paused after its outage.
    await expect
      .poll(async () => {
        expect((await partner.call('POST', `${path}/discover`, { businessId })).code).toBe(200);
        await scene.runJobs();
        return (await pages()).length;
      })
      .toBe(1);
  });
});

describe('ownership', () => {
  const inbox = async (by: TestPartner, query = '') =>
    (await by.call('GET', `/api/data-points?${query}`)).body.response.inbox.dataPoints;

  test('the first business keeps a page until it is deleted', async () => {
    const page = await addPage();
    await comment(page.external);
    await check(page.id);
    const other = await scene.api.addPartner();
    const otherBusiness = await scene.addBusiness(other, brand);
    const discoverOther = () => scene.run('brand-pages.discover', { businessId: otherBusiness });
    await discoverOther();
    expect([await pages('', other), await inbox(other)]).toEqual([[], []]);
    expect([await pages(), await inbox(partner)]).toMatchObject([[{ id: page.id }], [{ status: 'VALID' }]]);

    expect((await partner.call('DELETE', `/api/businesses/${businessId}`)).code).toBe(200);
    await discoverOther();
    expect([await pages(), await inbox(partner)]).toEqual([[], []]);
    expect(await pages('', other)).toMatchObject([{ externalId: page.external, businessId: otherBusiness }]);
    expect(await inbox(other)).toMatchObject([{ data: 'Great coffee' }]);
  });

  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const detach = 'update directory_business_pages set detached_at = now() where business_id = $1';
  const isDetached = async (pageId: number) => {
    const query = 'select detached_at is not null as detached from directory_business_pages where id = $1';
    return (await scene.query(query, [pageId])).rows[0].detached;
  };

  /** Starts the job during the deletion of the business, before or after its pages were detached. */
  async function deleteDuring(job: () => Promise<void>, { isDetachedFirst }: { isDetachedFirst: boolean }) {
    await scene.runJobs();
    const deletion = await scene.api.database.pool.connect();
    try {
      await deletion.query('begin');
      await deletion.query('select from businesses where id = $1 for update', [businessId]);
      if (isDetachedFirst) await deletion.query(detach, [businessId]);
      const done = job();
      await expect.poll(async () => (await scene.query(waiting)).rowCount).toBeGreaterThan(0);
      if (!isDetachedFirst) await deletion.query(detach, [businessId]);
      await deletion.query(`update businesses set status = 'DELETED' where id = $1`, [businessId]);
      await deletion.query('commit');
      await done;
    } finally {
      await deletion.query('rollback');
      deletion.release();
    }
    const { rows } = await scene.query('select last_error from graphile_worker.jobs where last_error is not null');
    expect(rows).toEqual([]);
  }

  test('a discovery does not attach the pages of a business that is being deleted', async () => {
    const page = await addPage();
    await deleteDuring(discover, { isDetachedFirst: true });
    expect(await isDetached(page.id)).toBe(true);
  });

  test('a check of a page waits for the deletion of its business without a deadlock', async () => {
    const page = await addPage();
    await comment(page.external);
    await deleteDuring(() => check(page.id), { isDetachedFirst: false });
    expect(await isDetached(page.id)).toBe(true);
    const { rows } = await scene.query(`select from datapoints where page_id = $1 and status = 'VALID'`, [page.id]);
    expect(rows).toEqual([]);
  });

  test('the schedule detaches pages of a business that was deleted by the previous version', async () => {
    const page = await addPage();
    await comment(page.external);
    await check(page.id);
    await scene.query(`update businesses set status = 'DELETED' where id = $1`, [businessId]);
    await scene.run('brand-pages.schedule', {});
    expect(await isDetached(page.id)).toBe(true);
    const { rows } = await scene.query('select status from datapoints where page_id = $1', [page.id]);
    expect(rows).toEqual([{ status: 'INVALID' }]);
  });

  test('a page that two discoveries do not return is detached, and attached again when it is found', async () => {
    const page = await addPage();
    await comment(page.external);
    await check(page.id);
    const [datapoint] = await inbox(partner);
    const rename = (name: string) => partner.call('PATCH', `/api/businesses/${businessId}`, { name });
    await rename('Other name');
    await discover();
    expect(await pages()).toHaveLength(1);
    await scene.query(`update directory_business_pages set missing_since = missing_since - interval '16 minutes'`);
    const events = (await scene.events(partner)).length;
    await discover();
    expect([await pages(), await inbox(partner)]).toEqual([[], []]);
    expect((await scene.events(partner)).slice(events)).toMatchObject([
      { type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID', invalidDataPointIds: [datapoint.id] },
    ]);
    expect(await partner.call('POST', `/api/data-points/${datapoint.id}/replies`, { data: 'Thanks' })).toMatchObject({
      code: 400,
      body: { errorCode: 'REPLY_NOT_SUPPORTED', message: expect.stringContaining('no longer belongs') },
    });

    await rename(brand);
    await discover();
    await scene.run('datapoints.schedule', {});
    expect(await pages()).toMatchObject([{ id: page.id }]);
    expect(await inbox(partner)).toMatchObject([{ id: datapoint.id, status: 'VALID' }]);
  });
});

test('the migration keeps the page of the first business that is not deleted', async () => {
  const [deleted, second] = [await scene.addBusiness(partner, brand), await scene.addBusiness(partner, brand)];
  await scene.query(`update businesses set status = 'DELETED' where id = $1`, [deleted]);
  const client = await scene.api.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('alter table directory_business_pages drop column missing_since, drop column detached_at');
    await client.query(
      `insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name)
       select $1, owner, 'FACEBOOK', external_id, 'Name'
       from unnest($2::bigint[], array['one', 'one', 'one', 'two']) as page (owner, external_id)`,
      [partner.partner.id, [deleted, businessId, second, second]],
    );
    await client.query(await readMigration('0064-brand-page-owners.sql'));
    const { rows } = await client.query(
      `select business_id as id, external_id as external from directory_business_pages
       where partner_id = $1 and detached_at is null order by id`,
      [partner.partner.id],
    );
    expect(rows).toEqual([
      { id: businessId, external: 'one' },
      { id: second, external: 'two' },
    ]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

describe('datapoints of a brand page', () => {
  test('records two events for additions and changes', async () => {
    const page = await addPage();
    const first = await comment(page.external);
    await check(page.id);
    const { body } = await partner.call('GET', `/api/data-points?directoryBusinessPageIds=${page.id}`);
    const [datapoint] = body.response.inbox.dataPoints;
    expect(datapoint).toMatchObject({ type: 'COMMENT', businessId, directoryBusinessPage: page.id });
    expect(datapoint).not.toHaveProperty('locationId');
    const common = { business: businessId, directoryType: 'FACEBOOK', directoryBusinessPage: page.id };
    const found = { newDatapointsFound: true, newDataPointIds: [datapoint.id], updatedDataPointIds: [] };
    const events = await scene.events(partner);
    expect(events).toMatchObject([
      { type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK', ...common, ...found },
      { type: 'BRAND_DATAPOINT_CHECK', ...common, ...found, newCommentsFound: 1, newReviewsFound: 0 },
    ]);
    expect(events[0].id).not.toBe(events[1].id);
    await scene.control.editDataPoint('FACEBOOK', first.id, { text: 'Greatest coffee' });
    await check(page.id);
    await check(page.id);
    const updated = { newDatapointsFound: false, newDataPointIds: [], updatedDataPointIds: [datapoint.id] };
    expect((await scene.events(partner)).slice(2)).toMatchObject([
      { type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK', ...updated },
      { type: 'BRAND_DATAPOINT_CHECK', ...updated, newCommentsFound: 0 },
    ]);
  });

  test('records an event for removals', async () => {
    const page = await addPage();
    const { id } = await comment(page.external);
    const reply = await scene.control.addReply('FACEBOOK', id, { text: 'Thank you', isOwner: true });
    await check(page.id);
    await scene.control.removeReply('FACEBOOK', reply.id);
    await check(page.id);
    await scene.control.removeDataPoint('FACEBOOK', id);
    await check(page.id);
    const events = await scene.events(partner, 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID');
    const common = { business: businessId, directoryType: 'FACEBOOK', directoryBusinessPage: page.id };
    expect(events).toMatchObject([
      { ...common, invalidDataPointIds: [], deletedDataPointIds: [expect.any(Number)] },
      { ...common, invalidDataPointIds: [expect.any(Number)], deletedDataPointIds: [] },
    ]);
  });

  test('are checked by the schedule when they are due', async () => {
    const page = await addPage();
    await check(page.id);
    await comment(page.external);
    await scene.run('datapoints.schedule', {});
    expect(await scene.events(partner)).toEqual([]);
    await scene.query('update directory_business_pages set datapoints_due = now() where id = $1', [page.id]);
    await scene.run('datapoints.schedule', {});
    expect(await scene.events(partner)).toHaveLength(2);
  });

  test('accept replies', async () => {
    const page = await addPage();
    await comment(page.external);
    await check(page.id);
    const { body } = await partner.call('GET', `/api/data-points?directoryBusinessPageIds=${page.id}`);
    const at = `/api/data-points/${body.response.inbox.dataPoints[0].id}`;
    expect((await partner.call('POST', `${at}/replies`, { data: 'Thank you' })).code).toBe(200);
    await scene.runJobs();
    expect((await partner.call('GET', at)).body.response.replies).toMatchObject([{ status: 'PUBLISHED' }]);
  });
});

test('a page is visible to its partner and to users with access to the business', async () => {
  const page = await addPage();
  const stranger = await scene.api.addPartner();
  const inside = await addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', businessIds: [businessId] });
  const outside = await addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', businessIds: [] });
  expect((await partner.call('GET', `${path}/${page.id}`)).body.response).toMatchObject({ id: page.id, businessId });
  expect((await inside.call('GET', `${path}/${page.id}`)).code).toBe(200);
  for (const who of [stranger, outside]) {
    expect(await who.call('GET', `${path}/${page.id}`)).toMatchObject({
      code: 404,
      body: { message: `There is no brand page ${page.id}.` },
    });
    expect(await pages('', who)).toEqual([]);
  }
  expect(await pages(`businessIds=${businessId}`)).toHaveLength(1);
  expect(await pages(`businessIds=${businessId + 100_000}`)).toEqual([]);
  for (const filter of [`businessIds=${Array(1001).fill(1)}`, `directoryTypes=${Array(101).fill('GOOGLE')}`]) {
    expect((await partner.call('GET', `${path}?${filter}`)).code).toBe(400);
  }
});
