import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterSeconds } from './outcome.ts';

const now = Date.parse('1994-11-06T08:49:00Z');

test.for([
  ['120', 120],
  [' 5 ', 5],
  ['0', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
  ['Sun Nov  6 08:49:37 1994', 37],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
] as const)('"%s" asks for %i seconds', ([value, seconds]) => {
  expect(retryAfterSeconds(value, now)).toBe(seconds);
});

test.for(['', 'soon', '-1', '1.5', '1e3', '0x10', '10, 20', '2094-11-06', 'Sun, 99 Foo 1994 99:99:99 GMT'])(
  'ignores "%s"',
  (value) => {
    expect(retryAfterSeconds(value, now)).toBeUndefined();
  },
);

test('rounds a date up, so that no attempt is early', () => {
  expect(retryAfterSeconds('Sun, 06 Nov 1994 08:49:37 GMT', now + 100)).toBe(37);
});

test('returns whole seconds or undefined for any value', () => {
  const value = fc.oneof(
    fc.string(),
    fc.stringMatching(/^\d{1,400}$/),
    fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
  );
  fc.assert(
    fc.property(value, (text) => {
      const seconds = retryAfterSeconds(text, now);
      expect(seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 0)).toBe(true);
    }),
  );
});
