import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClientPolicy, type ClientPolicyOptions } from './client-policy.ts';
import { type DirectoryFault, isFault } from './connector.ts';

const down: DirectoryFault = { fault: 'unavailable', detail: 'down' };
const policy: ClientPolicyOptions = {
  attempts: 3,
  backoffMs: 100,
  maxWaitMs: 1_000,
  breaker: { threshold: 4, firstPauseMs: 10_000, maxPauseMs: 15_000 },
};

// The clock is the tests': what waits for an hour is over at once.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function polite(rateLimit?: { requests: number; perSeconds: number }) {
  const chance = { now: () => performance.now(), random: () => 0.5, sleep: later };
  const clientPolicy = new ClientPolicy({ name: 'Testbook', rateLimit }, policy, chance);
  let sent = 0;
  return {
    sent: () => sent,
    ask: (answer: () => unknown) =>
      clientPolicy.ask(async () => {
        sent += 1;
        return answer() as string;
      }),
  };
}

const later = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('attempts', () => {
  test('a directory that stumbles is asked again after a growing wait', async () => {
    const { ask, sent } = polite();
    const answers = [down, down, 'well'];
    const asked = ask(() => answers.shift());
    await pass(49);
    expect(sent()).toBe(1);
    await pass(1);
    expect(sent()).toBe(2);
    await pass(99);
    expect(sent()).toBe(2);
    await pass(1);
    expect(await asked).toBe('well');
  });

  test('it is not asked for ever', async () => {
    const { ask, sent } = polite();
    const asked = ask(() => down);
    await pass(10_000);
    expect(await asked).toEqual(down);
    expect(sent()).toBe(3);
  });

  test('a decision is not asked for twice', async () => {
    const { ask, sent } = polite();
    const refused = { fault: 'refused', messages: ['No.'] };
    expect(await ask(() => refused)).toEqual(refused);
    expect(sent()).toBe(1);
  });
});

describe('the breaker', () => {
  async function fail({ ask }: ReturnType<typeof polite>) {
    const asked = ask(() => down);
    await pass(1_000);
    await asked;
  }

  test('a directory that is down is left alone and answers at once, until one call sees that it is back', async () => {
    const directory = polite();
    await fail(directory);
    await fail(directory);
    expect(directory.sent()).toBe(4);
    expect(await directory.ask(() => 'well')).toMatchObject({ fault: 'unavailable' });
    expect(directory.sent()).toBe(4);

    await pass(10_000);
    const probe = Promise.withResolvers<string>();
    const probing = directory.ask(() => probe.promise);
    await pass(0);
    expect(await directory.ask(() => 'well')).toMatchObject({ fault: 'unavailable' });
    expect(directory.sent()).toBe(5);
    probe.resolve('back');
    expect(await probing).toBe('back');
    expect(await directory.ask(() => 'well')).toBe('well');
  });

  test('a probe that fails opens it again for longer, up to a limit', async () => {
    const directory = polite();
    await fail(directory);
    await fail(directory);
    for (const pause of [9_000, 15_000]) {
      await pass(pause);
      const before = directory.sent();
      await fail(directory);
      expect(directory.sent()).toBe(before + 1);
    }
    await pass(12_000);
    expect(await directory.ask(() => 'well')).toMatchObject({ fault: 'unavailable' });
    await pass(2_000);
    expect(await directory.ask(() => 'well')).toBe('well');
  });
});

describe('the rate limit', () => {
  test('short waits are waited for, long ones are said', async () => {
    const { ask } = polite({ requests: 2, perSeconds: 1 });
    const asked = [1, 2, 3, 4, 5].map((number) => ask(() => number));
    await pass(1_000);
    const answers = await Promise.all(asked);
    expect(answers.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(answers[4]).toMatchObject({ fault: 'limited', retryAfterSeconds: 2 });
  });

  test('those who are sent away are told times at which each of them has room for its calls', async () => {
    const { ask } = polite({ requests: 1, perSeconds: 1 });
    const asked = Array.from({ length: 6 }, (_, number) => ask(() => number));
    await pass(1_000);
    const told = (await Promise.all(asked)).filter(isFault);
    expect(told.map((fault) => 'retryAfterSeconds' in fault && fault.retryAfterSeconds)).toEqual([2, 5, 8, 11]);
  });

  test('never more calls than allowed are under way in any period', async () => {
    const { ask } = polite({ requests: 5, perSeconds: 10 });
    const times: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      const asked = [1, 2, 3].map(() => ask(() => times.push(performance.now())));
      await pass(1_000);
      await Promise.all(asked);
    }
    // Those saved up at first, and one for every two seconds.
    expect(times.length).toBeLessThanOrEqual(5 + 30);
    expect(times.length).toBeGreaterThanOrEqual(5 + 28);
  });

  test('whoever is asked to wait waits, and so do all others', async () => {
    const { ask, sent } = polite();
    const limited = { fault: 'limited', retryAfterSeconds: 60, detail: 'later' };
    expect(await ask(() => limited)).toEqual(limited);
    expect(await ask(() => 'well')).toMatchObject({ fault: 'limited', retryAfterSeconds: 60 });
    expect(sent()).toBe(1);
    await pass(59_500);
    const asked = ask(() => 'well');
    await pass(500);
    expect(await asked).toBe('well');
  });

  test('a short wait that the directory asks for is waited for', async () => {
    const { ask } = polite();
    const answers = [{ fault: 'limited', retryAfterSeconds: 1, detail: 'soon' }, 'well'];
    const asked = ask(() => answers.shift());
    await pass(1_000);
    expect(isFault(await asked)).toBe(false);
  });
});
