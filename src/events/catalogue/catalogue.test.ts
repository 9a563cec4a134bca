import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkEventFields,
  type EventFields,
  type EventTypeName,
  eventJsonSchema,
  eventTypeNames,
  eventTypes,
  exampleEvent,
  isEventType,
} from './catalogue.ts';

const listing = ['business', 'listing', 'location'];
const moves = ['Claim', 'Flow', 'Sync'].flatMap((status) => [
  `${status.toLowerCase()}StatusChanged`,
  `fromListing${status}Status`,
  `toListing${status}Status`,
]);
const counts = ['Photos', 'Reviews', 'Checkins', 'Conversations', 'Comments', 'Questions'].map((k) => `new${k}Found`);
const found = ['newDatapointsFound', 'newDataPointIds', 'updatedDataPointIds'];
const vanished = ['invalidDataPointIds', 'deletedDataPointIds'];
const page = ['business', 'directoryType', 'directoryBusinessPage'];
const plan = ['Id', 'Name', 'Price'].flatMap((part) => [`newProductPlan${part}`, `oldProductPlan${part}`]);

/** Section 5 of the contract. */
const agreedFields: Record<string, string[]> = {
  LISTING_SYNC_CHECK: [...listing, 'directoryType', 'googleStatusChanged', ...moves],
  LISTING_STATUS_CHANGE: [...listing, 'directoryType', ...moves, 'user'],
  LISTING_LINK_CHANGE: [...listing, 'comment', 'fromListingUrl', 'fromListingId', 'toListingUrl', 'toListingId'],
  LISTING_UPDATE: [...listing, 'directoryType', 'messages', 'updateResult', 'updateStatus'],
  LISTING_DATAPOINT_CHECK: [...listing, 'directoryType', ...counts, ...found],
  LISTING_DATAPOINT_INVALID: [...listing, 'directoryType', ...vanished],
  DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK: [...page, ...found],
  BRAND_DATAPOINT_CHECK: [...page, ...found, ...counts],
  DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID: [...page, ...vanished],
  LOCATION_CREATED: ['comment', 'location', 'source'],
  LOCATION_STATUS_CHANGED: ['comment', 'location', 'from', 'to', 'user'],
  LOCATION_PROFILE_CHANGED: ['comment', 'location', 'user'],
  LOCATION_DATA_SUGGESTION: ['business', 'location', 'directoryType', 'suggestionIds', 'fields'],
  BUSINESS_CREATED: ['business', 'comment', 'changedBy'],
  BUSINESS_PRODUCT_PLAN_CHANGED: ['business', 'comment', ...plan, 'changedBy'],
};
const agreedToBeOptional = ['LISTING_DATAPOINT_CHECK.updatedDataPointIds', 'LOCATION_STATUS_CHANGED.user'];

const ajv = new Ajv2020({ strict: true });
const independentCheck = Object.fromEntries(
  eventTypeNames.map((type) => [type, ajv.compile({ ...eventJsonSchema(type), additionalProperties: false })]),
);

function changed<T extends EventTypeName>(type: T, changes: Partial<Record<keyof EventFields<T>, unknown>>) {
  return { ...eventTypes[type].example, ...changes };
}

const refusals = (type: EventTypeName, fields: unknown) =>
  checkEventFields(type, fields).map(({ field, rule }) => `${field}: ${rule}`);

test('the catalogue has exactly the fifteen event types of the contract', () => {
  expect(eventTypeNames).toHaveLength(15);
  expect([...eventTypeNames].sort()).toEqual(Object.keys(agreedFields).sort());
});

test('a name is an event type only when the catalogue has it', () => {
  expect(isEventType('LISTING_UPDATE')).toBe(true);
  expect(isEventType('listing_update')).toBe(false);
  expect(isEventType('toString')).toBe(false);
});

describe.each(eventTypeNames)('%s', (type) => {
  const { fields, example, summary } = eventTypes[type];

  test('has the agreed fields, all of them described and required unless agreed otherwise', () => {
    const names = Object.keys(fields.properties);
    expect(names.toSorted()).toEqual(agreedFields[type]?.toSorted());
    const optional = names.filter((name) => !(fields.required as string[]).includes(name));
    expect(optional).toEqual(names.filter((name) => agreedToBeOptional.includes(`${type}.${name}`)));
    for (const schema of Object.values(fields.properties)) expect(schema).toHaveProperty('description');
    expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  test('has an example that fits, by an independent validator too', () => {
    expect(checkEventFields(type, example)).toEqual([]);
    expect(independentCheck[type]?.(exampleEvent(type))).toBe(true);
  });

  test('refuses a missing field by its name', () => {
    for (const name of fields.required as string[]) {
      const { [name]: _missing, ...rest } = example as Record<string, unknown>;
      const problems = checkEventFields(type, rest);
      expect(problems).toMatchObject([{ field: name, rule: 'required' }]);
      expect(problems[0]?.message).toContain(`${name} is missing.`);
    }
  });

  test('refuses a field it does not know by its name', () => {
    expect(refusals(type, { ...example, colour: 'green' })).toEqual(['colour: unknown-field']);
  });

  test('has a JSON Schema in which the common fields are required too', () => {
    for (const name of ['id', 'time', 'type', 'salesPartnerIdentifier']) {
      const { [name]: _missing, ...rest } = exampleEvent(type) as Record<string, unknown>;
      expect(independentCheck[type]?.(rest)).toBe(false);
    }
    expect(independentCheck[type]?.({ ...exampleEvent(type), time: '2026-11-15T01:02:03Z' })).toBe(false);
  });
});

describe('presence and agreement of fields', () => {
  test('a listing update names its reason exactly when it is no success', () => {
    const update = (updateResult: string, updateStatus: string | null) =>
      refusals('LISTING_UPDATE', changed('LISTING_UPDATE', { updateResult, updateStatus }));
    expect(update('SUCCESS', null)).toEqual([]);
    expect(update('FAILURE', 'LIMIT_REACHED')).toEqual([]);
    expect(update('UNDEFINED', 'DELAYED')).toEqual([]);
    expect(update('SUCCESS', 'DELAYED')).toEqual(['updateStatus: null-on-success-only']);
    expect(update('FAILURE', null)).toEqual(['updateStatus: null-on-success-only']);
    expect(update('UNDEFINED', null)).toEqual(['updateStatus: null-on-success-only']);
    expect(update('UNDEFINED', 'NO_IDEA')).toEqual(['updateStatus: enum']);
  });

  test.each(['LISTING_SYNC_CHECK', 'LISTING_STATUS_CHANGE'] as const)(
    '%s says that a status changed exactly when it did',
    (type) => {
      expect(refusals(type, changed(type, { fromListingSyncStatus: 'LINK_ONLY', syncStatusChanged: false }))).toEqual([
        'syncStatusChanged: tells-the-move',
      ]);
      const claimed = { fromListingClaimStatus: 'CLAIMED_BY_US', toListingClaimStatus: 'CLAIMED_BY_US' };
      expect(refusals(type, changed(type, { ...claimed, claimStatusChanged: true }))).toEqual([
        'claimStatusChanged: tells-the-move',
      ]);
    },
  );

  test('a datapoint check says that it found new ones exactly when it names some', () => {
    const check = (changes: object) => refusals('LISTING_DATAPOINT_CHECK', changed('LISTING_DATAPOINT_CHECK', changes));
    expect(check({ newDatapointsFound: false, newDataPointIds: [] })).toEqual([]);
    expect(check({ newDatapointsFound: false })).toEqual(['newDatapointsFound: tells-new-datapoints']);
    expect(check({ newDataPointIds: [] })).toEqual(['newDatapointsFound: tells-new-datapoints']);
  });

  test('edited datapoints of a listing are absent rather than empty, those of a brand page empty rather than absent', () => {
    expect(
      refusals('LISTING_DATAPOINT_CHECK', changed('LISTING_DATAPOINT_CHECK', { updatedDataPointIds: [] })),
    ).toEqual(['updatedDataPointIds: minItems']);
    expect(refusals('BRAND_DATAPOINT_CHECK', changed('BRAND_DATAPOINT_CHECK', { updatedDataPointIds: [] }))).toEqual(
      [],
    );
  });

  test('a check that found nothing and a disappearance of nothing are no events', () => {
    const nothingFound = { newDatapointsFound: false, newDataPointIds: [], updatedDataPointIds: [] };
    expect(refusals('BRAND_DATAPOINT_CHECK', changed('BRAND_DATAPOINT_CHECK', nothingFound))).toEqual([
      'newDataPointIds: something-found',
    ]);
    const nothingGone = { invalidDataPointIds: [], deletedDataPointIds: [] };
    expect(refusals('LISTING_DATAPOINT_INVALID', changed('LISTING_DATAPOINT_INVALID', nothingGone))).toEqual([
      'invalidDataPointIds: something-vanished',
    ]);
  });

  test('a location status that moved by itself has no user, and one that stays is no event', () => {
    const { user: _user, ...byItself } = eventTypes.LOCATION_STATUS_CHANGED.example;
    expect(checkEventFields('LOCATION_STATUS_CHANGED', byItself)).toEqual([]);
    expect(refusals('LOCATION_STATUS_CHANGED', { ...byItself, to: byItself.from })).toEqual(['to: moved']);
  });

  test.each(['PRIVATE_TOKEN', 'SYSTEM', 'anna.vogt@alpenblick-hotels.example'])('%s can be changedBy', (changedBy) => {
    expect(checkEventFields('BUSINESS_CREATED', changed('BUSINESS_CREATED', { changedBy }))).toEqual([]);
  });

  test('a change by somebody without an address is refused in words that say what is accepted', () => {
    const [problem] = checkEventFields('BUSINESS_CREATED', changed('BUSINESS_CREATED', { changedBy: 'Anna' }));
    expect(problem?.message).toMatch(/changedBy does not fit.*e-mail address, PRIVATE_TOKEN .* or SYSTEM/);
  });

  test('a value outside its set is refused with the accepted values', () => {
    expect(checkEventFields('LOCATION_CREATED', changed('LOCATION_CREATED', { source: 'FAX' }))).toEqual([
      {
        field: 'source',
        rule: 'enum',
        message: 'source must be one of API, CHECKOUT, CSV_UPLOAD, DEMO_JOB, LOCATION_DATA_DOWNLOAD.',
      },
    ]);
  });

  test('a wrong entry of a list is named by its place', () => {
    const gone = changed('LISTING_DATAPOINT_INVALID', { deletedDataPointIds: [7, 'eight'] });
    expect(checkEventFields('LISTING_DATAPOINT_INVALID', gone)).toEqual([
      { field: 'deletedDataPointIds[1]', rule: 'type', message: 'deletedDataPointIds[1] must be an integer.' },
    ]);
  });

  test('any number of unknown fields is refused', () => {
    const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, n]));
    expect(checkEventFields('BUSINESS_CREATED', { ...eventTypes.BUSINESS_CREATED.example, ...unknown })).not.toEqual(
      [],
    );
  });
});

test('checking agrees with an independent validator on whatever comes', () => {
  const consistencyRules = new Set<string>(
    eventTypeNames.flatMap((type) => eventTypes[type].rules.map(({ rule }) => rule)),
  );
  const nearMiss = fc.oneof(
    fc.constantFrom(null, 0, 1, -1, 1.5, true, '', 'GOOGLE', 'SYSTEM', 'a@b', 'ACTIVE', 'DELAYED'),
    fc.constantFrom<unknown[]>([], [1], [0], ['phone'], ['']),
    fc.jsonValue(),
  );
  const attempts = fc.constantFrom(...eventTypeNames).chain((type) => {
    const example: Record<string, unknown> = eventTypes[type].example;
    const kept = fc.subarray(Object.keys(example), { minLength: Object.keys(example).length - 1 });
    const replaced = fc.dictionary(fc.constantFrom(...Object.keys(example), 'colour', '__proto__'), nearMiss, {
      maxKeys: 2,
    });
    return fc.record({
      type: fc.constant(type),
      fields: fc
        .tuple(kept, replaced)
        .map(([names, changes]) => ({ ...Object.fromEntries(names.map((name) => [name, example[name]])), ...changes })),
    });
  });

  fc.assert(
    fc.property(attempts, ({ type, fields }) => {
      const { id, time, salesPartnerIdentifier } = exampleEvent(type);
      const bySchema = checkEventFields(type, fields).filter(({ rule }) => !consistencyRules.has(rule));
      const accepted = independentCheck[type]?.({ id, time, type, salesPartnerIdentifier, ...fields });
      expect(bySchema.length === 0).toBe(accepted);
    }),
    { numRuns: 3000 },
  );
});

test('published schemas allow fields that are added later', () => {
  for (const type of eventTypeNames) {
    const validate = new Ajv2020({ strict: false }).compile(eventJsonSchema(type));
    expect(validate({ ...exampleEvent(type), addedLater: true })).toBe(true);
  }
});
