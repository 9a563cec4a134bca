import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { addBusiness, addLocation, exampleLocation } from '../../../test/support/locations.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';
import { addUser } from '../../../test/support/users.ts';
import type { Feature } from '../../http/access.ts';
import { systemActor } from '../accounts/actor.ts';
import { writeChanges } from './change-location.ts';
import { createLocations } from './create-location.ts';
import type { LocationPatch } from './location.ts';
import { lockByIdentifier } from './location-store.ts';
import { upsertLocations } from './upsert-locations.ts';

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

const by = () => ({ ...systemActor(partner.partner), by: 'PRIVATE_TOKEN' });
const row = (fields: object = {}) => ({ ...exampleLocation, businessId, ...fields }) as LocationPatch;
const upsert = (...inputs: LocationPatch[]) =>
  api.database.transaction((sql) => upsertLocations(sql, by(), 'CSV_UPLOAD', inputs));
const outcomes = async (...inputs: LocationPatch[]) =>
  (await upsert(...inputs)).map((one) => ('errors' in one ? one.errors[0]?.field : one.outcome));
const count = async () => (await partner.call('GET', '/api/locations')).body.response.count;

describe('many locations', () => {
  test('of many businesses need as many statements as of one', async () => {
    const businessIds: number[] = [];
    for (let number = 0; number < 5; number += 1) businessIds.push((await addBusiness(partner)).id);
    const statementsFor = (inputs: LocationPatch[]) =>
      api.database.transaction(async (transaction) => {
        let statements = 0;
        const query = (...given: Parameters<typeof transaction.query>) => {
          statements += 1;
          return transaction.query(...given);
        };
        const counting = { ...transaction, query: query as typeof transaction.query };
        await upsertLocations(counting, by(), 'CSV_UPLOAD', inputs);
        return statements;
      });
    const ofOne = await statementsFor(businessIds.map((_, index) => row({ identifier: `one-${index}` })));
    expect(await statementsFor(businessIds.map((id) => row({ businessId: id, identifier: `of-${id}` })))).toBe(ofOne);
  });

  test('are created when valid; the others return errors', async () => {
    await addLocation(partner, { businessId, identifier: 'taken' });
    const inputs = [
      row({ name: 'One', labels: ['New'], services: [{ title: 'Cake' }] }),
      row({ phone: '1' }),
      row({ identifier: 'taken' }),
      row({ identifier: 'K-1' }),
      row({ identifier: 'K-1' }),
      row({ businessId: 999_999 }),
      'nonsense',
      row({ name: 'Two', labels: ['new'] }),
    ];
    const results = await api.database.transaction((sql) => createLocations(sql, by(), 'CSV_UPLOAD', inputs));
    const said = results.map((one) => ('errors' in one ? `${one.errors[0]?.field} ${one.errors[0]?.rule}` : 'created'));
    expect(said).toEqual([
      'created',
      'phone phone',
      'identifier identifierNotUnique',
      'created',
      'identifier identifierNotUnique',
      'businessId known',
      'body type',
      'created',
    ]);
    const events = (await eventsOf(api.database, partner, 'LOCATION_CREATED')).slice(1);
    expect(events.map(({ location }) => location)).toEqual(results.flatMap((one) => ('id' in one ? [one.id] : [])));
    expect(new Set(events.map(({ source }) => source))).toEqual(new Set(['CSV_UPLOAD']));
    const first = results[0] as { id: number };
    expect((await partner.call('GET', `/api/locations/${first.id}`)).body.response).toMatchObject({
      source: 'CSV_UPLOAD',
      labels: [{ name: 'New' }],
      services: [{ title: 'Cake' }],
      cleansingStatus: 'CLEANSED',
    });
  });
});

describe('an existing location', () => {
  test('is matched by identifier and updated only with differences', async () => {
    expect(await outcomes(row({ identifier: 'K-1' }), row({ identifier: 'K-2' }))).toEqual(['created', 'created']);
    expect(await outcomes(row({ identifier: 'K-1' }), row({ identifier: 'K-2', name: 'New' }))).toEqual([
      'unchanged',
      'updated',
    ]);
    expect(await count()).toBe(2);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toHaveLength(2);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toMatchObject([
      { comment: 'Changed: name', user: 'PRIVATE_TOKEN' },
    ]);
  });

  test('keeps absent fields', async () => {
    await upsert(row({ identifier: 'K-1', website: 'https://a.example' }));
    const [changed] = await upsert({ identifier: 'K-1', name: 'New' });
    const { id } = changed as { id: number };
    expect((await partner.call('GET', `/api/locations/${id}`)).body.response).toMatchObject({
      name: 'New',
      website: 'https://a.example',
      phone: '+492219524300',
    });
  });

  test('without an identifier is matched by business, name and address, also after cleansing', async () => {
    const written = row({ street: 'Venloer Straße 310', streetNo: null });
    expect(await outcomes(written)).toEqual(['created']);
    expect(await outcomes(written)).toEqual(['unchanged']);
    await partner.call('PATCH', '/api/locations', {
      filter: { city: ['Köln'] },
      changes: { street: 'Venloer Straße 310', streetNo: null },
    });
    await runJobs(api.database);
    expect(await outcomes({ ...written, name: 'bäckerei lindner EHRENFELD', city: 'köln' })).toEqual(['updated']);
    expect(await outcomes({ ...written, street: 'Venloer Straße 312' })).toEqual(['created']);
    expect(await outcomes({ ...written, name: 'Another' })).toEqual(['created']);
    expect(await count()).toBe(3);
  });

  test('without an identifier, beyond the reach of the user, is reported like an unknown business', async () => {
    await upsert(row());
    const mine = (await addBusiness(partner)).id;
    const { user } = await addUser(api, partner, { role: 'BUSINESS_MANAGER', businessIds: [mine] });
    const reach = { businessIds: [mine], locationIds: [] };
    const actor = { ...by(), user: { ...user, reach, features: new Set<Feature>(), fieldGroups: null } };
    const [result] = await api.database.transaction((sql) => upsertLocations(sql, actor, 'CSV_UPLOAD', [row()]));
    expect(result).toMatchObject({
      errors: [{ field: 'businessId', message: expect.stringContaining('no business') }],
    });
  });

  test('that cannot be changed creates no labels', async () => {
    await upsert(row({ identifier: 'K-1' }));
    expect(await outcomes({ identifier: 'K-1', businessId: 999_999, labels: ['Typo'] })).toEqual(['businessId']);
    expect((await partner.call('GET', '/api/labels')).body.response.count).toBe(0);
  });

  test.each(['K-1', 'K-2'])('rejected for a service or another label creates no labels (%s)', async (identifier) => {
    await upsert(row({ identifier: 'K-1' }));
    const results = [
      ...(await upsert(row({ identifier, labels: ['Typo'], services: [{ id: 999_999 }] }))),
      ...(await upsert(row({ identifier, labels: ['Typo', 999_999] }), row({ identifier: 'K-3', labels: ['New'] }))),
    ];
    const fields = results.map((one) => 'errors' in one && one.errors.map(({ field }) => field));
    expect(fields).toEqual([['services[0].id'], ['labels[1]'], false]);
    const { labels } = (await partner.call('GET', '/api/labels')).body.response;
    expect(labels).toMatchObject([{ name: 'New' }]);
  });

  test('twice in one batch is created once and then updated', async () => {
    expect(await outcomes(row({ identifier: 'K-1' }), row({ identifier: 'K-1', name: 'Later' }))).toEqual([
      'created',
      'updated',
    ]);
    expect(await outcomes(row({ name: 'Same' }), row({ name: 'Same' }))).toEqual(['created', 'unchanged']);
    expect(await count()).toBe(2);
  });

  test('is unchanged by invalid input', async () => {
    await upsert(row({ identifier: 'K-1' }), row({ identifier: 'K-2' }));
    expect(await outcomes({ identifier: 'K-1', zip: 'X' }, { identifier: 'K-2', name: 'New' })).toEqual([
      'zip',
      'updated',
    ]);
    expect(await outcomes({ identifier: 'K-9', name: 'Not enough' })).toEqual(['businessId']);
  });

  test('is created once by concurrent imports', async () => {
    const inputs = Array.from({ length: 20 }, (_, n) => row({ identifier: `K-${n}` }));
    await Promise.all(
      [upsert(...inputs), upsert(...inputs.toReversed()), upsert(...inputs)].map((one) => one.catch(() => {})),
    );
    expect(await count()).toBe(20);
  });
});

describe('inputs with and without an identifier', () => {
  const locations = async () => (await partner.call('GET', '/api/locations')).body.response.locations;
  const [website, addressExtra] = ['https://a.example/', '2nd floor'];

  test.each([
    ['with', (row) => [row({ identifier: 'K-1', addressExtra }), row({ website })]],
    ['without', (row) => [row({ website }), row({ identifier: 'K-1', addressExtra })]],
    ['with only', (row) => [{ identifier: 'K-1', addressExtra }, row({ website })]],
  ] as [string, (make: typeof row) => LocationPatch[]][])(
    'update one location (the first %s an identifier)',
    async (_, inputs) => {
      await addLocation(partner, { businessId, identifier: 'K-1' });
      expect(await outcomes(...inputs(row))).toEqual(['updated', 'updated']);
      expect(await locations()).toMatchObject([{ identifier: 'K-1', addressExtra, website }]);
      const events = await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED');
      expect(events.map(({ comment }) => comment).sort()).toEqual(['Changed: addressExtra', 'Changed: website']);
    },
  );

  test('create one location, which the input without an identifier updates', async () => {
    expect(await outcomes(row({ identifier: 'K-9' }), row({ website }))).toEqual(['created', 'updated']);
    expect(await locations()).toMatchObject([{ identifier: 'K-9', website }]);
  });

  test('update a location that is renamed, and create one with its former name', async () => {
    await addLocation(partner, { businessId, identifier: 'K-1' });
    expect(await outcomes(row({ identifier: 'K-1', name: 'New' }), row())).toEqual(['updated', 'created']);
  });

  test('write a location only once at a time', async () => {
    await addLocation(partner, { businessId, identifier: 'K-1' });
    const written = api.database.transaction(async (transaction) => {
      const [before] = await lockByIdentifier(transaction, partner.partner.id, ['K-1']);
      if (before)
        await writeChanges(transaction, by(), [
          { before, patch: { addressExtra } },
          { before, patch: { website } },
        ]);
    });
    await expect(written).rejects.toThrow('more than once');
  });

  test('have the same result in one batch as one after the other', async () => {
    const identified = ['One', 'One', 'Two'].map((name, index) => ({ identifier: `K-${index}`, name }));
    const inputs = fc.array(
      fc.record({
        key: fc.constantFrom({ name: 'One' }, { name: 'Two' }, ...identified),
        keywords: fc.constantFrom(undefined, ['a'], ['b']),
      }),
      { minLength: 1, maxLength: 8 },
    );
    const resultOf = async (batches: { key: object }[][]) => {
      partner = await api.addPartner();
      businessId = (await addBusiness(partner)).id;
      const results: unknown[] = [];
      for (const batch of batches)
        results.push(...(await outcomes(...batch.map(({ key, ...fields }) => row({ ...key, ...fields })))));
      const stored = await locations();
      return [results, stored.map((one: LocationPatch) => [one.identifier, one.name, one.keywords].join(' ')).sort()];
    };
    await fc.assert(
      fc.asyncProperty(inputs, inputs, async (existing, batch) => {
        const before = existing.map((input) => [input]);
        expect(await resultOf([...before, batch])).toEqual(await resultOf([...before, ...batch.map((one) => [one])]));
      }),
      { numRuns: 25 },
    );
  });
});

describe('random changes', () => {
  const text = fc.string({ minLength: 1, maxLength: 30 }).map((value) => `a${value.replace(/[^\p{L}\p{N}]/gu, '')}`);
  const patches = fc.record(
    {
      name: text,
      addressExtra: fc.option(text),
      openingHoursNotes: fc.option(text),
      keywords: fc.option(fc.uniqueArray(text, { minLength: 1, maxLength: 3, selector: (word) => word.toLowerCase() })),
      website: fc.option(text.map((path) => `https://example.com/${encodeURIComponent(path)}`)),
      customFields: fc.option(
        fc.uniqueArray(fc.record({ name: text, value: text }), {
          minLength: 1,
          maxLength: 3,
          selector: ({ name }) => name.toLowerCase(),
        }),
      ),
    },
    { requiredKeys: [] },
  );

  test('keep the last value of each field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(patches, { minLength: 1, maxLength: 5 }), async (changes) => {
        const { id } = await addLocation(partner, { businessId });
        const expected: Record<string, unknown> = {};
        for (const change of changes) {
          if (Object.keys(change).length === 0) continue;
          const { code } = await partner.call('PATCH', `/api/locations/${id}`, change);
          expect(code).toBe(200);
          Object.assign(expected, change);
        }
        const kept = (await partner.call('GET', `/api/locations/${id}`)).body.response;
        for (const [field, value] of Object.entries(expected)) expect(kept[field] ?? null).toEqual(value);
        expect(kept).toMatchObject({ phone: '+492219524300', city: 'Köln' });
      }),
      { numRuns: 25 },
    );
  });
});
