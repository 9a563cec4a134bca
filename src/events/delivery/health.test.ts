import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Health,
  type HealthPolicy,
  initialWindow,
  isUnchanged,
  nextWindow,
  type Observation,
  observe,
} from './health.ts';

const policy: HealthPolicy = { threshold: 10, firstPause: 30, maxPause: 600, maxWindow: 256 };
const fresh: Health = { window: initialWindow, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
const now = new Date('2026-11-15T00:00:00Z');
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const seen = (part: Partial<Observation>): Observation => ({ quick: 0, slow: 0, failed: 0, ...part });

test('opens after ten consecutive failures, not after nine', () => {
  const nine = observe(policy, fresh, seen({ failed: 9 }), now);
  expect(nine).toMatchObject({ consecutiveFailures: 9, trips: 0, openUntil: null, failingSince: now });
  expect(observe(policy, nine, seen({ failed: 1 }), now)).toMatchObject({ trips: 1, openUntil: after(30) });
});

test('doubles the pause after each failed probe, up to the maximum', () => {
  let health = observe(policy, fresh, seen({ failed: 10 }), now);
  let clock = now;
  const pauses = [30];
  for (let probe = 0; probe < 6; probe++) {
    clock = health.openUntil as Date;
    health = observe(policy, health, seen({ failed: 1 }), clock);
    pauses.push(((health.openUntil as Date).getTime() - clock.getTime()) / 1000);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
});

test('ignores failures of requests that were in flight when it opened', () => {
  const open = observe(policy, fresh, seen({ failed: 10 }), now);
  expect(observe(policy, open, seen({ failed: 5 }), after(1))).toMatchObject({ trips: 1, openUntil: open.openUntil });
});

test('closes after one success', () => {
  const open = observe(policy, fresh, seen({ failed: 30 }), now);
  expect(observe(policy, open, seen({ quick: 1 }), after(60))).toMatchObject({
    consecutiveFailures: 0,
    failingSince: null,
    trips: 0,
    openUntil: null,
  });
});

test('doubles the window after quick successes, halves it when most attempts fail, keeps it small for slow responses', () => {
  const windowAfter = (window: number, part: Partial<Observation>) =>
    observe(policy, { ...fresh, window }, seen(part), now).window;
  expect(windowAfter(8, { quick: 5 })).toBe(16);
  expect(windowAfter(256, { quick: 5 })).toBe(256);
  expect(windowAfter(64, { quick: 5, failed: 1 })).toBe(128);
  expect(windowAfter(64, { quick: 1, failed: 5 })).toBe(32);
  expect(windowAfter(1, { failed: 5 })).toBe(1);
  expect(windowAfter(256, { quick: 5, slow: 1 })).toBe(initialWindow);
});

test('keeps window and pause within their bounds for any sequence of results', () => {
  const observation = fc.record({ quick: fc.nat(99), slow: fc.nat(99), failed: fc.nat(99) });
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 30 }), (observations) => {
      let health = fresh;
      for (const [index, batch] of observations.entries()) {
        const clock = after(index * 10);
        health = observe(policy, health, batch, clock);
        expect(health.window).toBeGreaterThanOrEqual(1);
        expect(health.window).toBeLessThanOrEqual(policy.maxWindow);
        if (health.openUntil) expect(health.openUntil.getTime() - clock.getTime()).toBeLessThanOrEqual(600_000);
      }
    }),
  );
});

test('reports no change for a healthy destination with a full window', () => {
  const healthy = { ...fresh, window: policy.maxWindow };
  expect(isUnchanged(policy, healthy, seen({ quick: 9 }))).toBe(true);
  expect(isUnchanged(policy, healthy, seen({ quick: 9, failed: 1 }))).toBe(false);
  expect(isUnchanged(policy, fresh, seen({ quick: 1 }))).toBe(false);
  expect(isUnchanged(policy, { ...healthy, consecutiveFailures: 1 }, seen({ quick: 1 }))).toBe(false);
});

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
