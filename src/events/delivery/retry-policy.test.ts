import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settings } from '../../config/settings.ts';
import type { Outcome, ReceiverResponse } from '../transport/outcome.ts';
import { LocalFailures } from './local-failures.ts';
import { judge, type RetryPolicy } from './retry-policy.ts';

const policy: RetryPolicy = { schedule: [5, 60, 300, 1800, 7200], jitter: 0.2, retryAfterMax: 14_400 };
const phases = { totalMs: 1 };
const response = (status: number): ReceiverResponse => ({
  status,
  headers: {},
  body: Buffer.alloc(0),
  truncated: false,
});
const refused = (retryAfterSeconds?: number): Outcome => ({
  kind: 'refused',
  response: response(503),
  phases,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const hung: Outcome = { kind: 'unreachable', reason: 'timeout', detail: '', phases };

/** Seconds until the next attempt, or the verdict if there is none. */
function wait(
  attempt: number,
  outcome: Outcome,
  { random = 0.5, ...changes }: Partial<RetryPolicy> & { random?: number } = {},
) {
  const verdict = judge({ ...policy, ...changes }, attempt, outcome, random);
  return verdict.state === 'RETRY' ? verdict.waitSeconds : verdict;
}

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('after a failure', () => {
  test('retries after 5 s, 1 min, 5 min, 30 min and 2 h, then discards', () => {
    const schedule = settings.retrySchedule.parse(settings.retrySchedule.default);
    const jitter = settings.retryJitter.parse(settings.retryJitter.default);
    expect({ schedule, jitter, retryAfterMax: settings.retryAfterMax.parse(settings.retryAfterMax.default) }).toEqual(
      policy,
    );
    expect([1, 2, 3, 4, 5].map((attempt) => wait(attempt, refused()))).toEqual([5, 60, 300, 1800, 7200]);
    expect(wait(6, refused())).toEqual({ state: 'DISCARDED', reason: 'attempts-used-up' });
  });

  test('retries after a timeout as after an error response', () => {
    expect([1, 2, 3, 4, 5].map((attempt) => wait(attempt, hung))).toEqual([5, 60, 300, 1800, 7200]);
    expect(wait(6, hung)).toEqual({ state: 'DISCARDED', reason: 'attempts-used-up' });
  });

  test('varies each wait by at most 20 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), random, (attempt, dice) => {
        const planned = policy.schedule[attempt - 1] as number;
        expect(wait(attempt, hung, { random: dice })).toBeGreaterThanOrEqual(planned * 0.8);
        expect(wait(attempt, hung, { random: dice })).toBeLessThanOrEqual(planned * 1.2);
      }),
    );
    expect([wait(2, hung, { random: 0 }), wait(2, hung, { random: 0.999_999_99 })]).toEqual([48, 72]);
  });

  test('makes one attempt with an empty schedule', () => {
    expect(wait(1, hung, { schedule: [] })).toEqual({ state: 'DISCARDED', reason: 'attempts-used-up' });
  });
});

describe('Retry-After', () => {
  test('lengthens the wait up to four hours and never shortens it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), random, fc.nat(100_000), (attempt, dice, asked) => {
        const unasked = wait(attempt, refused(), { random: dice });
        expect(wait(attempt, refused(asked), { random: dice })).toBe(
          Math.max(unasked as number, Math.min(asked, 14_400)),
        );
      }),
    );
  });

  test('does not add an attempt', () => {
    expect(wait(6, refused(60))).toEqual({ state: 'DISCARDED', reason: 'attempts-used-up' });
  });
});

test('ends after a success at any attempt', () => {
  for (const attempt of [1, 6, 20]) {
    expect(wait(attempt, { kind: 'delivered', response: response(204), phases })).toEqual({ state: 'DELIVERED' });
  }
});

test('discards after 410 Gone', () => {
  expect(wait(1, { kind: 'gone', response: response(410), phases })).toEqual({ state: 'DISCARDED', reason: 'gone' });
});

describe('after local failures', () => {
  const failed: Outcome = { ...hung, isLocalFailure: true };

  test('postpones by 5 s, then by twice as long up to 5 min', () => {
    let seconds = 0;
    const failures = new LocalFailures(() => seconds * 1000);
    const waits = Array.from({ length: 9 }, () => {
      const verdict = failures.judge(1, failed);
      // Another request that was in flight at the same time.
      expect(failures.judge(1, failed)).toEqual(verdict);
      if (verdict?.state !== 'POSTPONED') return verdict;
      seconds += verdict.waitSeconds;
      return verdict.waitSeconds;
    });
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
    expect(failures.judge(2, failed)).toEqual({ state: 'POSTPONED', waitSeconds: 5 });
  });

  test('starts again with 5 s after an attempt that was sent', () => {
    let now = 0;
    const failures = new LocalFailures(() => now);
    failures.judge(1, failed);
    now = 5000;
    expect(failures.judge(1, failed)).toMatchObject({ waitSeconds: 10 });
    expect(failures.judge(1, hung)).toBeUndefined();
    expect(failures.judge(1, failed)).toMatchObject({ waitSeconds: 5 });
  });
});
