import fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialWindow, nextWindow } from './breaker.ts';

const max = 256;
const quick = { quick: 5, slow: 0, failed: 0 };
const hanging = { quick: 0, slow: 0, failed: 1 };

/** The windows after repeating the same observation. */
function windows(from: number, seen: typeof quick, times: number): number[] {
  const widths = [from];
  for (let n = 0; n < times; n++) widths.push(nextWindow(widths.at(-1) as number, max, seen));
  return widths;
}

test('grows to the maximum for quick responses', () => {
  expect(windows(initialWindow, quick, 6)).toEqual([8, 16, 32, 64, 128, 256, 256]);
});

test('shrinks to one request for failures', () => {
  expect(windows(256, hanging, 9)).toEqual([256, 128, 64, 32, 16, 8, 4, 2, 1, 1]);
});

test('is limited to the initial window for slow responses', () => {
  expect(nextWindow(256, max, { quick: 60, slow: 1, failed: 0 })).toBe(initialWindow);
  expect(nextWindow(2, max, { quick: 0, slow: 1, failed: 0 })).toBe(2);
});

test('does not shrink while failures are in the minority', () => {
  expect(nextWindow(64, max, { quick: 5, slow: 0, failed: 5 })).toBe(128);
  expect(nextWindow(64, max, { quick: 4, slow: 0, failed: 5 })).toBe(32);
});

test('stays between one and the maximum', () => {
  const count = fc.nat(100);
  const seen = fc.record({ quick: count, slow: count, failed: count });
  fc.assert(
    fc.property(fc.integer({ min: 1, max }), seen, (window, observed) => {
      expect(nextWindow(window, max, observed)).toBeGreaterThanOrEqual(1);
      expect(nextWindow(window, max, observed)).toBeLessThanOrEqual(max);
    }),
  );
});
