import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BreakerPolicy, type Health, type Observation, observe, standsStill } from './breaker.ts';

const policy: BreakerPolicy = { threshold: 3, firstPause: 30, maxPause: 600, maxWindow: 256 };
const now = new Date('2026-11-15T01:02:03.456Z');
const healthy: Health = { window: 8, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
const failed = (count: number): Observation => ({ quick: 0, slow: 0, failed: count });
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const count = fc.nat(20);
const observation = fc.record({ quick: count, slow: count, failed: count });

describe('the breaker', () => {
  test('stays closed below its threshold, and remembers since when it has been failing', () => {
    const once = observe(policy, healthy, failed(1), now);
    const twice = observe(policy, once, failed(1), inSeconds(5));
    expect(twice).toMatchObject({ consecutiveFailures: 2, failingSince: now, trips: 0, openUntil: null });
  });

  test('opens when as many have failed in a row, one by one or together', () => {
    const opened = { consecutiveFailures: 3, trips: 1, openUntil: inSeconds(30) };
    expect(observe(policy, healthy, failed(3), now)).toMatchObject(opened);
    const before = { ...healthy, consecutiveFailures: 2, failingSince: inSeconds(-9) };
    expect(observe(policy, before, failed(1), now)).toMatchObject({ ...opened, failingSince: inSeconds(-9) });
  });

  test('is open for twice as long with every probe that fails, up to its limit', () => {
    const pauses: number[] = [];
    let health = observe(policy, healthy, failed(3), now);
    for (let probe = 0; probe < 6; probe++) {
      const probed = health.openUntil as Date;
      health = observe(policy, health, failed(1), probed);
      pauses.push(((health.openUntil as Date).getTime() - probed.getTime()) / 1000);
    }
    expect(pauses).toEqual([60, 120, 240, 480, 600, 600]);
  });

  test('learns nothing from what was still under way when it opened', () => {
    const open = observe(policy, healthy, failed(3), now);
    expect(observe(policy, open, failed(5), inSeconds(29))).toMatchObject({ trips: 1, openUntil: inSeconds(30) });
  });

  test('closes with any success, however slow, and whatever failed beside it', () => {
    const open = observe(policy, healthy, failed(30), now);
    for (const seen of [
      { quick: 1, slow: 0, failed: 0 },
      { quick: 0, slow: 1, failed: 0 },
      { quick: 1, slow: 0, failed: 50 },
    ]) {
      const closed = { consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
      expect(observe(policy, open, seen, inSeconds(60))).toMatchObject(closed);
    }
  });
});

test('nothing is written only where nothing would change', () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 8, 128, 256), fc.nat(3), observation, (window, consecutiveFailures, seen) => {
      fc.pre(seen.quick + seen.slow + seen.failed > 0);
      const health = { ...healthy, window, consecutiveFailures };
      if (standsStill(policy, health, seen)) expect(observe(policy, health, seen, now)).toEqual(health);
    }),
  );
  expect(standsStill(policy, { ...healthy, window: 256 }, { quick: 64, slow: 0, failed: 0 })).toBe(true);
});
