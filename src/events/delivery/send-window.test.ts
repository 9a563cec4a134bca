import fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialWindow, nextWindow } from './send-window.ts';

const max = 256;
const quick = { quick: 5, slow: 0, failed: 0 };
const hanging = { quick: 0, slow: 0, failed: 1 };

/** The windows that follow when the same is seen again and again. */
function windows(from: number, seen: typeof quick, times: number): number[] {
  const widths = [from];
  for (let n = 0; n < times; n++) widths.push(nextWindow(widths.at(-1) as number, max, seen));
  return widths;
}

test('a destination that answers quickly soon has the whole window', () => {
  expect(windows(initialWindow, quick, 6)).toEqual([8, 16, 32, 64, 128, 256, 256]);
});

test('one that fails is left with a single request', () => {
  expect(windows(256, hanging, 9)).toEqual([256, 128, 64, 32, 16, 8, 4, 2, 1, 1]);
});

test('one that is slow is given no more at once than one that is not known yet', () => {
  expect(nextWindow(256, max, { quick: 60, slow: 1, failed: 0 })).toBe(initialWindow);
  expect(nextWindow(2, max, { quick: 0, slow: 1, failed: 0 })).toBe(2);
});

test('a few failures among successes do not narrow it', () => {
  expect(nextWindow(64, max, { quick: 5, slow: 0, failed: 5 })).toBe(128);
  expect(nextWindow(64, max, { quick: 4, slow: 0, failed: 5 })).toBe(32);
});

test('it always lets something through, and never more than its limit', () => {
  const count = fc.nat(100);
  const seen = fc.record({ quick: count, slow: count, failed: count });
  fc.assert(
    fc.property(fc.integer({ min: 1, max }), seen, (window, observed) => {
      expect(nextWindow(window, max, observed)).toBeGreaterThanOrEqual(1);
      expect(nextWindow(window, max, observed)).toBeLessThanOrEqual(max);
    }),
  );
});
