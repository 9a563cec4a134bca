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
  healthEventTypes,
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
/** Types that the specification does not have. */
const furtherFields: Record<string, string[]> = {};
/** Types about webhooks themselves. */
const webhook = ['webhook', 'webhookType', 'comment', 'since'];
const healthFields: Record<string, string[]> = {
  WEBHOOK_FAILING: [...webhook, 'cause', 'disablesAt'],
  WEBHOOK_RECOVERED: webhook,
  WEBHOOK_DISABLED: webhook,
};
const allFields = { ...agreedFields, ...furtherFields, ...healthFields };
const agreedToBeOptional = [
  'WEBHOOK_FAILING.disablesAt',
  'LISTING_DATAPOINT_CHECK.updatedDataPointIds',
  'LOCATION_STATUS_CHANGED.user',
];

const ajv = new Ajv2020({ strict: true });
const independentCheck = Object.fromEntries(
  eventTypeNames.map((type) => [type, ajv.compile({ ...eventJsonSchema(type), additionalProperties: false })]),
);

function changed<T extends EventTypeName>(type: T, changes: Partial<Record<keyof EventFields<T>, unknown>>) {
  return { ...eventTypes[type].example, ...changes };
}

const refusals = (type: EventTypeName, fields: unknown) =>
  checkEventFields(type, fields).map(({ field, rule }) => `${field}: ${rule}`);

test('contains the 15 event types of the specification and the types that are listed here', () => {
  expect(Object.keys(agreedFields)).toHaveLength(15);
  expect(eventTypeNames.toSorted()).toEqual(Object.keys(allFields).sort());
});

test('contains the 3 event types of webhook health, after the others', () => {
  expect(eventTypeNames.slice(-3)).toEqual(Object.keys(healthFields));
  expect(healthEventTypes).toEqual(Object.keys(healthFields));
});

test('recognizes only names of the catalogue as event types', () => {
  expect(isEventType('LISTING_UPDATE')).toBe(true);
  expect(isEventType('listing_update')).toBe(false);
  expect(isEventType('toString')).toBe(false);
});

describe.each(eventTypeNames)('%s', (type) => {
  const { fields, example, summary } = eventTypes[type];

  test('has the specified fields, described and required as specified', () => {
    const names = Object.keys(fields.properties);
    expect(names.toSorted()).toEqual(allFields[type]?.toSorted());
    const optional = names.filter((name) => !(fields.required as string[]).includes(name));
    expect(optional).toEqual(names.filter((name) => agreedToBeOptional.includes(`${type}.${name}`)));
    for (const schema of Object.values(fields.properties)) expect(schema).toHaveProperty('description');
    expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  test('has a valid example, also according to an independent validator', () => {
    expect(checkEventFields(type, example)).toEqual([]);
    expect(independentCheck[type]?.(exampleEvent(type))).toBe(true);
  });

  test('rejects a missing field by name', () => {
    for (const name of fields.required as string[]) {
      const { [name]: _missing, ...rest } = example as Record<string, unknown>;
      const problems = checkEventFields(type, rest);
      expect(problems).toMatchObject([{ field: name, rule: 'required' }]);
      expect(problems[0]?.message).toContain(`${name} is required`);
    }
  });

  test('rejects an unknown field by name', () => {
    expect(refusals(type, { ...example, colour: 'green' })).toEqual(['colour: unknown-field']);
  });

  test('has a JSON Schema that requires the common fields', () => {
    for (const name of ['id', 'time', 'type', 'salesPartnerIdentifier']) {
      const { [name]: _missing, ...rest } = exampleEvent(type) as Record<string, unknown>;
      expect(independentCheck[type]?.(rest)).toBe(false);
    }
    expect(independentCheck[type]?.({ ...exampleEvent(type), time: '2026-11-15T01:02:03Z' })).toBe(false);
  });
});

describe('rules across fields', () => {
  test('a listing update has updateStatus only if it is not a success', () => {
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

  test.each(['LISTING_SYNC_CHECK', 'LISTING_STATUS_CHANGE'] as const)('%s has consistent changed flags', (type) => {
    expect(refusals(type, changed(type, { fromListingSyncStatus: 'LINK_ONLY', syncStatusChanged: false }))).toEqual([
      'syncStatusChanged: tells-the-move',
    ]);
    const claimed = { fromListingClaimStatus: 'CLAIMED_BY_US', toListingClaimStatus: 'CLAIMED_BY_US' };
    expect(refusals(type, changed(type, { ...claimed, claimStatusChanged: true }))).toEqual([
      'claimStatusChanged: tells-the-move',
    ]);
  });

  test('a datapoint check has newDatapointsFound only with newDataPointIds', () => {
    const check = (changes: object) => refusals('LISTING_DATAPOINT_CHECK', changed('LISTING_DATAPOINT_CHECK', changes));
    expect(check({ newDatapointsFound: false, newDataPointIds: [] })).toEqual([]);
    expect(check({ newDatapointsFound: false })).toEqual(['newDatapointsFound: tells-new-datapoints']);
    expect(check({ newDataPointIds: [] })).toEqual(['newDatapointsFound: tells-new-datapoints']);
  });

  test('updatedDataPointIds is absent for listings and empty for brand pages without changes', () => {
    expect(
      refusals('LISTING_DATAPOINT_CHECK', changed('LISTING_DATAPOINT_CHECK', { updatedDataPointIds: [] })),
    ).toEqual(['updatedDataPointIds: minItems']);
    expect(refusals('BRAND_DATAPOINT_CHECK', changed('BRAND_DATAPOINT_CHECK', { updatedDataPointIds: [] }))).toEqual(
      [],
    );
  });

  test('rejects checks and removals without datapoints', () => {
    const nothingFound = { newDatapointsFound: false, newDataPointIds: [], updatedDataPointIds: [] };
    expect(refusals('BRAND_DATAPOINT_CHECK', changed('BRAND_DATAPOINT_CHECK', nothingFound))).toEqual([
      'newDataPointIds: something-found',
    ]);
    const nothingGone = { invalidDataPointIds: [], deletedDataPointIds: [] };
    expect(refusals('LISTING_DATAPOINT_INVALID', changed('LISTING_DATAPOINT_INVALID', nothingGone))).toEqual([
      'invalidDataPointIds: something-vanished',
    ]);
  });

  test('user is optional for a status change, and an unchanged status is rejected', () => {
    const { user: _user, ...byItself } = eventTypes.LOCATION_STATUS_CHANGED.example;
    expect(checkEventFields('LOCATION_STATUS_CHANGED', byItself)).toEqual([]);
    expect(refusals('LOCATION_STATUS_CHANGED', { ...byItself, to: byItself.from })).toEqual(['to: moved']);
  });

  test.each(['PRIVATE_TOKEN', 'SYSTEM', 'anna.vogt@alpenblick-hotels.example'])(
    'accepts %s as changedBy',
    (changedBy) => {
      expect(checkEventFields('BUSINESS_CREATED', changed('BUSINESS_CREATED', { changedBy }))).toEqual([]);
    },
  );

  test('rejects an invalid changedBy and lists accepted values', () => {
    const [problem] = checkEventFields('BUSINESS_CREATED', changed('BUSINESS_CREATED', { changedBy: 'Anna' }));
    expect(problem?.message).toMatch(/changedBy has an invalid format.*e-mail address, PRIVATE_TOKEN .* or SYSTEM/);
  });

  test('rejects an unknown value and lists accepted values', () => {
    expect(checkEventFields('LOCATION_CREATED', changed('LOCATION_CREATED', { source: 'FAX' }))).toEqual([
      {
        field: 'source',
        rule: 'enum',
        message: 'source must be one of API, CHECKOUT, CSV_UPLOAD, DEMO_JOB, LOCATION_DATA_DOWNLOAD.',
      },
    ]);
  });

  test('reports the index of an invalid list entry', () => {
    const gone = changed('LISTING_DATAPOINT_INVALID', { deletedDataPointIds: [7, 'eight'] });
    expect(checkEventFields('LISTING_DATAPOINT_INVALID', gone)).toEqual([
      {
        field: 'deletedDataPointIds[1]',
        rule: 'type',
        message: 'deletedDataPointIds[1] must be an integer, not the text "eight".',
      },
    ]);
  });

  test('rejects any number of unknown fields', () => {
    const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, n]));
    expect(checkEventFields('BUSINESS_CREATED', { ...eventTypes.BUSINESS_CREATED.example, ...unknown })).not.toEqual(
      [],
    );
  });
});

test('agrees with an independent validator for arbitrary values', () => {
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

test('allows additional fields in published schemas', () => {
  for (const type of eventTypeNames) {
    const validate = new Ajv2020({ strict: false }).compile(eventJsonSchema(type));
    expect(validate({ ...exampleEvent(type), addedLater: true })).toBe(true);
  }
});
