import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../../test/support/listings.ts';

let scene: ListingScene;
let partner: TestPartner;
let locationId: number;
let page: string;

/** A location that is in sync on one directory. */
setUpListingScene(async (opened, added) => {
  scene = opened;
  partner = added;
  locationId = (await scene.addLocation(partner, ['BING'])).id;
  await scene.sync(partner, locationId);
  page = (await scene.listing(partner, locationId, 'BING')).listingId;
});

const path = () => `/api/locations/${locationId}/suggestions`;
const suggestions = async (query = '') => (await partner.call('GET', `${path()}${query}`)).body.response.suggestions;
const decide = (...decisions: object[]) => partner.call('PUT', path(), decisions);
const readLocation = async () => (await partner.call('GET', `/api/locations/${locationId}`)).body.response;

/** Changes the listing at the directory and runs a check. */
async function drift(profile: object): Promise<void> {
  await scene.control.changeListing('BING', page, { profile });
  await scene.sync(partner, locationId);
}

test('suggests changes by a directory with one event, and corrects the directory', async () => {
  const { phone, openingHours } = await readLocation();
  const hours = [{ dayOfWeek: 1, from1: '09:00', to1: '17:00' }];
  await drift({ phone: '+492211111122', openingHours: hours });
  const found = await suggestions();
  expect(found).toMatchObject([
    { field: 'phone', currentValue: phone, suggestedValue: '+492211111122', status: 'PENDING', directoryType: 'BING' },
    { field: 'openingHours', currentValue: openingHours, suggestedValue: hours, status: 'PENDING' },
  ]);
  expect(await scene.events(partner, 'LOCATION_DATA_SUGGESTION')).toMatchObject([
    {
      location: locationId,
      directoryType: 'BING',
      suggestionIds: found.map(({ id }: { id: number }) => id),
      fields: ['phone', 'openingHours'],
    },
  ]);
  expect((await scene.control.listing('BING', page)).profile.phone).toBe(phone);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
});

test('suggests values for empty fields', async () => {
  await partner.call('PATCH', `/api/locations/${locationId}`, { website: null });
  await scene.runJobs();
  await drift({ website: 'https://found.example' });
  expect(await suggestions()).toMatchObject([
    { field: 'website', currentValue: null, suggestedValue: 'https://found.example' },
  ]);
});

test('does not suggest other formats or our own changes', async () => {
  const { name } = await readLocation();
  await drift({ name: name.toUpperCase() });
  await partner.call('PATCH', `/api/locations/${locationId}`, { phone: '+49 221 7654321', autoSync: false });
  await scene.sync(partner, locationId, { submit: false });
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ syncStatus: 'NOT_IN_SYNC' });
  expect(await scene.events(partner, 'LOCATION_DATA_SUGGESTION')).toEqual([]);
});

const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

test('applies a value while a check of the same location is recorded', async () => {
  await drift({ phone: '+492211111122' });
  const [{ id }] = await suggestions();
  // A check writes to the location first, then to its suggestions.
  const deciding = await scene.api.database.transaction(async (transaction) => {
    await transaction.query('select from locations where id = $1 for no key update', [locationId]);
    const decision = decide({ id, status: 'ACCEPTED', apply: true });
    await expect.poll(async () => (await scene.query(waiting)).rowCount).toBeGreaterThan(0);
    await transaction.query('select from suggestions where id = $1 for update nowait', [id]);
    return { decision };
  });
  expect((await deciding.decision).body.response.suggestions).toMatchObject([{ id, status: 'ACCEPTED' }]);
  expect(await readLocation()).toMatchObject({ phone: '+492211111122' });
});

test('keeps a decision that a user makes while a check is recorded', async () => {
  await drift({ phone: '+492211111122' });
  const [{ id }] = await suggestions();
  await partner.call('PATCH', `/api/locations/${locationId}`, { phone: '+49 221 1111122' });
  // The check has read the suggestion as pending and waits for the decision.
  const recorded = await scene.api.database.transaction(async (transaction) => {
    await transaction.query('update suggestions set status = $2, decided_by = $3 where id = $1', [
      id,
      'DECLINED',
      'Anna',
    ]);
    const check = scene.runJobs();
    await expect.poll(async () => (await scene.query(waiting)).rowCount).toBeGreaterThan(0);
    return { check };
  });
  await recorded.check;
  expect(await suggestions()).toMatchObject([{ id, status: 'DECLINED', decidedBy: 'Anna' }]);
});

describe('the same suggestion', () => {
  test.each(['PENDING', 'DECLINED', 'HIDDEN'])('is not raised again while it is %s', async (status) => {
    await drift({ phone: '+492211111122' });
    const [{ id }] = await suggestions();
    if (status !== 'PENDING') await decide({ id, status });
    await drift({ phone: '0221 1111122' });
    expect(await suggestions()).toMatchObject([{ id, status }]);
    expect(await scene.events(partner, 'LOCATION_DATA_SUGGESTION')).toHaveLength(1);
  });

  test('with another value replaces the pending one', async () => {
    await drift({ phone: '+492211111122' });
    await drift({ phone: '+492211111133' });
    const found = await suggestions();
    expect(found).toMatchObject([{ field: 'phone', suggestedValue: '+492211111133', status: 'PENDING' }]);
    const events = await scene.events(partner, 'LOCATION_DATA_SUGGESTION');
    expect(events.map(({ suggestionIds }) => suggestionIds)).toEqual([[found[0].id], [found[0].id]]);
  });

  test('is hidden when the location has the value', async () => {
    await drift({ phone: '+492211111122' });
    await partner.call('PATCH', `/api/locations/${locationId}`, { phone: '+49 221 1111122' });
    await scene.runJobs();
    expect(await suggestions()).toMatchObject([{ status: 'HIDDEN', decidedBy: 'SYSTEM' }]);
  });
});

describe('a decision', () => {
  test('ACCEPTED changes the location only with apply', async () => {
    const before = await readLocation();
    await drift({ phone: '+492211111122' });
    const [{ id }] = await suggestions();
    expect((await decide({ id, status: 'ACCEPTED' })).body.response).toMatchObject({
      suggestions: [{ id, status: 'ACCEPTED', decidedBy: 'PRIVATE_TOKEN' }],
    });
    expect((await readLocation()).phone).toBe(before.phone);
    expect(await suggestions('?status=PENDING')).toEqual([]);

    await decide({ id, status: 'ACCEPTED', apply: true });
    expect((await readLocation()).phone).toBe('+492211111122');
    expect(await scene.events(partner, 'LOCATION_PROFILE_CHANGED')).toMatchObject([
      { location: locationId, user: 'PRIVATE_TOKEN' },
    ]);
    await scene.runJobs();
    expect((await scene.control.listing('BING', page)).profile.phone).toBe('+492211111122');
  });

  test('that cannot be applied changes nothing', async () => {
    await drift({ phone: '+15555550100', email: null, website: 'https://other.example' });
    const [website, phone] = (await suggestions()).toSorted((a: { field: string }, b: { field: string }) =>
      b.field.localeCompare(a.field),
    );
    const response = await decide(
      { id: website.id, status: 'DECLINED' },
      { id: phone.id, status: 'ACCEPTED', apply: true },
    );
    expect(response.code).toBe(400);
    expect(response.body.errors).toMatchObject([{ field: 'phone' }]);
    expect((await suggestions()).map(({ status }: { status: string }) => status)).toEqual(['PENDING', 'PENDING']);
  });

  test('reports invalid input', async () => {
    await drift({ phone: '+492211111122' });
    const [{ id }] = await suggestions();
    expect((await decide({ id, status: 'PENDING' })).code).toBe(400);
    expect((await decide({ status: 'ACCEPTED' })).code).toBe(400);
    expect((await decide()).code).toBe(400);
    expect(await decide({ id, status: 'ACCEPTED', apply: true }, { id, status: 'DECLINED' })).toMatchObject({
      code: 400,
      body: { errors: [{ field: '[1].id', rule: 'unique' }] },
    });
    expect((await readLocation()).phone).not.toBe('+492211111122');
    expect((await decide({ id, status: 'DECLINED' }, { id: id + 999, status: 'DECLINED' })).code).toBe(404);
    expect(await suggestions()).toMatchObject([{ id, status: 'PENDING' }]);
  });

  test('of another partner returns 404', async () => {
    await drift({ phone: '+492211111122' });
    const [{ id }] = await suggestions();
    const other = await scene.api.addPartner();
    expect((await other.call('GET', path())).code).toBe(404);
    expect((await other.call('PUT', path(), [{ id, status: 'ACCEPTED' }])).code).toBe(404);
  });
});

test('hides suggestions of a listing that is no longer linked', async () => {
  const wrong = await scene.addDirectoryListing(partner, locationId, 'BING', {
    phone: '+492211111122',
    website: 'https://other.example',
    claim: 'CLAIMED_BY_OTHERS',
  });
  const right = await scene.addDirectoryListing(partner, locationId, 'BING', {
    website: 'https://other.example',
    claim: 'CLAIMED_BY_OTHERS',
  });
  const { id } = await scene.listing(partner, locationId, 'BING');
  const open = async () => (await suggestions('?status=PENDING')).map(({ field }: { field: string }) => field);
  await partner.call('PATCH', `/api/listings/${id}`, { listingId: wrong });
  await scene.runJobs();
  expect(await open()).toEqual(['phone', 'website']);
  await partner.call('PATCH', `/api/listings/${id}`, { listingId: right });
  await scene.runJobs();
  expect(await open()).toEqual(['website']);
});

test('rolls back suggestion and event together', async () => {
  const { raiseSuggestions } = await import('./suggestion-store.ts');
  const listing = await scene.listing(partner, locationId, 'BING');
  const actor = { partner: partner.partner, by: 'SYSTEM' };
  const occasion = {
    listing: { id: listing.id, partnerId: partner.partner.id, locationId, directoryType: 'BING' },
    businessId: (await readLocation()).businessId,
    country: 'DE',
    fields: {},
    suggestions: [{ field: 'phone', currentValue: null, suggestedValue: '+492211111122' }],
    active: [],
    isRelinked: false,
    today: '2026-11-15',
  };
  const failing = scene.api.database.transaction(async (transaction) => {
    await raiseSuggestions(transaction, actor, occasion);
    throw new Error('not this time');
  });
  await expect(failing).rejects.toThrow('not this time');
  expect(await suggestions()).toEqual([]);
  expect(await scene.events(partner, 'LOCATION_DATA_SUGGESTION')).toEqual([]);
});
