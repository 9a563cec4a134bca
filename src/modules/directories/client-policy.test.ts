import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { anyCaller } from '../../../test/support/sandbox.ts';
import { ClientPolicy, type ClientPolicyOptions } from './client-policy.ts';
import { type DirectoryFault, isFault } from './connector.ts';
import type { Caller } from './fair-queue.ts';

const down: DirectoryFault = { fault: 'unavailable', detail: 'down' };
const policy: ClientPolicyOptions = {
  attempts: 3,
  backoffMs: 100,
  maxWaitMs: 1_000,
  breaker: { threshold: 4, firstPause: 10, maxPause: 15 },
};

// Fake timers: an hour passes immediately.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const runtime = { now: () => performance.now(), random: () => 0.5, sleep: (ms: number) => later(ms) };

function createPolicy(rateLimit?: { requests: number; perSeconds: number }) {
  const clientPolicy = new ClientPolicy({ name: 'Testbook', rateLimit }, policy, runtime);
  let sent = 0;
  return {
    sent: () => sent,
    execute: (result: () => unknown) =>
      clientPolicy.execute(anyCaller, async () => {
        sent += 1;
        return result() as string;
      }),
  };
}

const later = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('attempts', () => {
  test('retries an unavailable directory with increasing delays', async () => {
    const { execute, sent } = createPolicy();
    const results = [down, down, 'well'];
    const pending = execute(() => results.shift());
    await pass(49);
    expect(sent()).toBe(1);
    await pass(1);
    expect(sent()).toBe(2);
    await pass(99);
    expect(sent()).toBe(2);
    await pass(1);
    expect(await pending).toBe('well');
  });

  test('stops after the maximum number of attempts', async () => {
    const { execute, sent } = createPolicy();
    const pending = execute(() => down);
    await pass(10_000);
    expect(await pending).toEqual(down);
    expect(sent()).toBe(3);
  });

  test('does not retry a refusal', async () => {
    const { execute, sent } = createPolicy();
    const refused = { fault: 'refused', messages: ['No.'] };
    expect(await execute(() => refused)).toEqual(refused);
    expect(sent()).toBe(1);
  });
});

describe('breaker', () => {
  async function fail({ execute }: ReturnType<typeof createPolicy>) {
    const pending = execute(() => down);
    await pass(1_000);
    await pending;
  }

  test('opens, fails calls immediately, and closes after a successful probe', async () => {
    const directory = createPolicy();
    await fail(directory);
    await fail(directory);
    expect(directory.sent()).toBe(4);
    expect(await directory.execute(() => 'well')).toMatchObject({ fault: 'unavailable' });
    expect(directory.sent()).toBe(4);

    await pass(10_000);
    const probe = Promise.withResolvers<string>();
    const probing = directory.execute(() => probe.promise);
    await pass(0);
    expect(await directory.execute(() => 'well')).toMatchObject({ fault: 'unavailable' });
    expect(directory.sent()).toBe(5);
    probe.resolve('back');
    expect(await probing).toBe('back');
    expect(await directory.execute(() => 'well')).toBe('well');
  });

  test('a failed probe doubles the pause up to the maximum', async () => {
    const directory = createPolicy();
    await fail(directory);
    await fail(directory);
    for (const pause of [9_000, 15_000]) {
      await pass(pause);
      const before = directory.sent();
      await fail(directory);
      expect(directory.sent()).toBe(before + 1);
    }
    await pass(12_000);
    expect(await directory.execute(() => 'well')).toMatchObject({ fault: 'unavailable' });
    await pass(2_000);
    expect(await directory.execute(() => 'well')).toBe('well');
  });
});

describe('rate limit', () => {
  test('waits for a short time and returns limited for a long one', async () => {
    const { execute } = createPolicy({ requests: 2, perSeconds: 1 });
    const pending = [1, 2, 3, 4, 5].map((number) => execute(() => number));
    await pass(1_000);
    const results = await Promise.all(pending);
    expect(results.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(results[4]).toMatchObject({ fault: 'limited', retryAfterSeconds: 2 });
  });

  test('rejected callers get different retry times', async () => {
    const { execute } = createPolicy({ requests: 1, perSeconds: 1 });
    const pending = Array.from({ length: 6 }, (_, number) => execute(() => number));
    await pass(1_000);
    const rejected = (await Promise.all(pending)).filter(isFault);
    expect(rejected.map((fault) => 'retryAfterSeconds' in fault && fault.retryAfterSeconds)).toEqual([2, 5, 8, 11]);
  });

  test('never exceeds the limit in any period', async () => {
    const { execute } = createPolicy({ requests: 5, perSeconds: 10 });
    const times: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      const pending = [1, 2, 3].map(() => execute(() => times.push(performance.now())));
      await pass(1_000);
      await Promise.all(pending);
    }
    // The initial capacity, and one call every two seconds.
    expect(times.length).toBeLessThanOrEqual(5 + 30);
    expect(times.length).toBeGreaterThanOrEqual(5 + 28);
  });

  test('Retry-After applies to all callers', async () => {
    const { execute, sent } = createPolicy();
    const limited = { fault: 'limited', retryAfterSeconds: 60, detail: 'later' };
    expect(await execute(() => limited)).toEqual(limited);
    expect(await execute(() => 'well')).toMatchObject({ fault: 'limited', retryAfterSeconds: 60 });
    expect(sent()).toBe(1);
    await pass(59_500);
    const pending = execute(() => 'well');
    await pass(500);
    expect(await pending).toBe('well');
  });

  test('a shorter Retry-After does not end an earlier one', async () => {
    const { execute } = createPolicy();
    const faults = [60, 2].map((retryAfterSeconds) => ({ fault: 'limited', retryAfterSeconds, detail: 'later' }));
    await Promise.all([execute(() => faults.shift()), execute(() => faults.shift())]);
    await pass(3_000);
    expect(await execute(() => 'well')).toMatchObject({ fault: 'limited', retryAfterSeconds: 57 });
  });

  test('waits for a short Retry-After', async () => {
    const { execute } = createPolicy();
    const results = [{ fault: 'limited', retryAfterSeconds: 1, detail: 'soon' }, 'well'];
    const pending = execute(() => results.shift());
    await pass(1_000);
    expect(isFault(await pending)).toBe(false);
  });
});

describe('a rate limit that several partners use', () => {
  const callsPerJob = 3;

  /** A job of three calls that returns at the given time when it is rejected, like the check of a listing. */
  function scene(rateLimit = { requests: 1, perSeconds: 1 }) {
    const clientPolicy = new ClientPolicy({ name: 'Testbook', rateLimit }, { ...policy, maxWaitMs: 2_000 }, runtime);
    const sent: string[] = [];
    const work = async (name: string, caller: Caller) => {
      for (let calls = 0; calls < callsPerJob; ) {
        const result = await clientPolicy.execute(caller, async () => sent.push(name));
        if (!isFault(result)) calls += 1;
        else if (result.fault === 'limited') await later(result.retryAfterSeconds * 1000);
      }
    };
    const start = (name: string, jobs: number, caller: Caller) => {
      const done = Promise.all(Array.from({ length: jobs }, () => work(name, caller)));
      return { done };
    };
    return { sent, start };
  }

  const countOf = (sent: string[], name: string) => sent.filter((one) => one === name).length;
  const requestedBy = (partnerId: number): Caller => ({ partnerId, requested: true });
  const scheduledFor = (partnerId: number): Caller => ({ partnerId, requested: false });

  test('alternates between a bulk sync and a sync of another partner', async () => {
    const { sent, start } = scene();
    start('bulk', 1_000, requestedBy(1));
    await pass(60_000);
    const before = sent.length;
    const { done } = start('single', 1, requestedBy(2));
    await pass(10_000);
    await done;
    const first = sent.slice(before, before + 2 * callsPerJob);
    expect(countOf(first, 'single')).toBe(callsPerJob);
  });

  test('gives each of several bulk syncs the same share', async () => {
    const { sent, start } = scene();
    start('large', 1_000, requestedBy(1));
    await pass(600_000);
    const before = sent.length;
    start('second', 200, requestedBy(2));
    start('third', 200, requestedBy(3));
    await pass(600_000);
    const shares = ['large', 'second', 'third'].map((name) => countOf(sent.slice(before), name));
    for (const share of shares) expect(share).toBeGreaterThan((0.8 * 600) / 3);
  });

  test('lets a requested sync overtake scheduled checks of any partner', async () => {
    const { sent, start } = scene();
    for (let partnerId = 1; partnerId <= 20; partnerId += 1) start('check', 100, scheduledFor(partnerId));
    await pass(60_000);
    const before = sent.length;
    const { done } = start('sync', 1, requestedBy(1));
    await pass(10_000);
    await done;
    expect(countOf(sent.slice(before, before + callsPerJob + 2), 'sync')).toBe(callsPerJob);
  });

  test('keeps a share for scheduled checks', async () => {
    const { sent, start } = scene();
    start('sync', 1_000, requestedBy(1));
    start('check', 1_000, scheduledFor(2));
    await pass(600_000);
    expect(countOf(sent, 'check')).toBeGreaterThan(0.2 * sent.length);
    expect(countOf(sent, 'sync')).toBeGreaterThan(0.6 * sent.length);
  });

  test('uses the whole limit for a partner alone, also after another one has finished', async () => {
    const { sent, start } = scene();
    start('bulk', 1_000, scheduledFor(1));
    start('other', 50, scheduledFor(2));
    await pass(600_000);
    expect(countOf(sent, 'other')).toBe(50 * callsPerJob);
    expect(sent.length).toBeGreaterThan(0.95 * 600);
    const before = sent.length;
    await pass(600_000);
    expect(sent.length - before).toBeGreaterThan(0.95 * 600);
  });
});
