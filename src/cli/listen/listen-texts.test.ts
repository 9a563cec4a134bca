import { describe, expect, test } from 'vitest';
import type { WaypostEvent } from '../../../receiver/receiver.ts';
import { exampleEvent } from '../../events/catalogue/catalogue.ts';
import { attemptText, importantFields, lineDiff } from './listen-texts.ts';
import type { ForwardAttempt } from './local-receiver.ts';

const delivery = {
  verified: true as const,
  event: exampleEvent('BUSINESS_CREATED') as WaypostEvent,
  by: ['private key' as const],
  at: new Date('2026-11-15T01:02:03.500+00:00'),
};

const attempt = (status: number, body: string | Buffer, rest: Partial<ForwardAttempt> = {}): ForwardAttempt => ({
  status,
  statusText: '',
  tookMs: 4,
  headers: {},
  body: Buffer.from(body as string),
  isComplete: true,
  ...rest,
});

const shown = (...attempts: ForwardAttempt[]) =>
  attemptText(delivery, attempts, { maxAttempts: 3, retryInMs: undefined }).split('\n').slice(1, -1);

describe('a failed attempt', () => {
  test('shows the first lines of a long response', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    expect(shown(attempt(500, lines.join('\n')))).toEqual([
      '    HTTP 500, no content type',
      ...lines.slice(0, 8).map((line) => `    ${line}`),
      '    … 22 more lines',
      '    Waypost gets 500 and retries the delivery later, by the schedule of the webhook.',
    ]);
  });

  test('cuts long lines and removes control characters', () => {
    const [, line = ''] = shown(attempt(500, `\u001b[31m${'x'.repeat(500)}`));
    expect(line).toBe(`    [31m${'x'.repeat(156)}…`);
  });

  test('does not print binary data', () => {
    expect(shown(attempt(500, Buffer.from([0, 255, 1]), { headers: { 'content-type': 'image/png' } }))).toEqual([
      '    HTTP 500, image/png',
      '    (3 bytes, not text)',
      expect.stringContaining('Waypost gets 500'),
    ]);
  });
});

describe('the next attempt', () => {
  test('with the same response', () => {
    for (const body of ['no', '']) expect(shown(attempt(500, body), attempt(500, body))[0]).toBe('    same response');
  });

  test('with a response that is too long to compare', () => {
    const long = Array.from({ length: 21 }, () => 'x').join('\n');
    expect(shown(attempt(500, 'no'), attempt(500, long))[0]).toBe('    HTTP 500, no content type');
    expect(shown(attempt(500, 'no'), attempt(200, long))).toEqual(['    Waypost gets 200: delivered.']);
  });

  test('after no response', () => {
    const failure = attempt(502, 'unavailable', { failure: 'unavailable' });
    expect(shown(failure, attempt(200, 'ok'))).toEqual(['    Waypost gets 200: delivered.']);
  });
});

test('the difference has the removed and added lines in order', () => {
  expect(lineDiff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual(['- b', '+ x', '+ e']);
  expect(lineDiff([], ['a'])).toEqual(['+ a']);
  expect(lineDiff(['a', 'b'], ['b'])).toEqual(['- a']);
  expect(lineDiff(['a'], ['a'])).toEqual([]);
});

const told = (event: object) => importantFields(event as WaypostEvent);

describe('important fields', () => {
  test('starts with the subject, and shows changed statuses only', () => {
    expect(told(exampleEvent('LISTING_SYNC_CHECK'))).toBe(
      'business=2204 listing=918273 location=51877 directoryType=GOOGLE ' +
        'listingFlowStatus=ALL_INFORMATION_SUBMITTED→NO_ACTION_NEEDED listingSyncStatus=NOT_IN_SYNC→IN_SYNC',
    );
  });

  test('old and new value are one field', () => {
    expect(told(exampleEvent('BUSINESS_PRODUCT_PLAN_CHANGED'))).toBe(
      'business=4120 comment="Upgrade agreed for the new season" productPlanId=11→12 ' +
        'productPlanName=Presence→"Presence & Reviews" productPlanPrice=2900→4900 ' +
        'changedBy=anna.vogt@alpenblick-hotels.example',
    );
  });

  test('omits zero, false and empty values, and truncates long lists', () => {
    const event = { ...exampleEvent('LISTING_DATAPOINT_CHECK'), newDataPointIds: [1, 2, 3, 4, 5, 6, 7] };
    expect(told({ ...event, updatedDataPointIds: [] })).toBe(
      'business=2204 listing=918273 location=51877 directoryType=GOOGLE newPhotosFound=1 newReviewsFound=2 ' +
        'newDataPointIds=1,2,3,4,5,…2 more',
    );
  });

  test('shows all fields of an unknown type', () => {
    expect(told({ id: 1, time: 'now', type: 'MOON_LANDED', salesPartnerIdentifier: 'x', crater: 7, to: 'Tycho' })).toBe(
      'crater=7 to=Tycho',
    );
  });

  test('removes line breaks and control characters', () => {
    const comment = 'one\ntwo \u001b[2J\u009b31m "three" '.repeat(4);
    const line = told({ ...exampleEvent('LOCATION_PROFILE_CHANGED'), comment });
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line).toContain('comment="one\\ntwo \\u001b[2J31m \\"three\\" ');
    expect(line).toContain('…"');
  });
});
