import { expect, test } from 'vitest';
import { type ConcurrencyCount, ConcurrencyLimiter, type Host, type LimitedTask } from './concurrency-limiter.ts';

/** A limiter, and named tasks that record when they start. */
function limiterWith(limits: { perWebhook: number; perHost: number }) {
  const limiter = new ConcurrencyLimiter(limits);
  const started: string[] = [];
  const tasks = new Map<string, LimitedTask>();
  const submit = (name: string, webhook: ConcurrencyCount, host: Host) => {
    const task = { webhook, host, start: () => void started.push(name) };
    tasks.set(name, task);
    limiter.submit(task);
  };
  const finish = (name: string) => limiter.finish(tasks.get(name) as LimitedTask);
  return { limiter, started, submit, finish, tasks };
}

test('starts tasks up to the limit of the webhook, and the next when one finishes', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 2, perHost: 10 });
  const webhook = { inFlight: 0 };
  for (const name of ['a', 'b', 'c', 'd']) submit(name, webhook, limiter.host('http://one'));
  expect(started).toEqual(['a', 'b']);
  finish('a');
  expect(started).toEqual(['a', 'b', 'c']);
  expect(webhook.inFlight).toBe(2);
});

test('shares the limit of a host among its webhooks', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 2, perHost: 3 });
  const [one, two] = [{ inFlight: 0 }, { inFlight: 0 }];
  const host = limiter.host('http://one');
  for (const name of ['a', 'b', 'c']) submit(name, one, host);
  for (const name of ['d', 'e']) submit(name, two, host);
  expect(started).toEqual(['a', 'b', 'd']);
  finish('d');
  // 'c' was submitted earlier, but its webhook is at its limit.
  expect(started).toEqual(['a', 'b', 'd', 'e']);
});

test('does not block other hosts', () => {
  const { limiter, started, submit } = limiterWith({ perWebhook: 10, perHost: 1 });
  submit('a', { inFlight: 0 }, limiter.host('http://one'));
  submit('b', { inFlight: 0 }, limiter.host('http://one'));
  submit('c', { inFlight: 0 }, limiter.host('http://two'));
  expect(started).toEqual(['a', 'c']);
});

test('starts tasks at the new host when a moved webhook has capacity again', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 1, perHost: 10 });
  const webhook = { inFlight: 0 };
  submit('a', webhook, limiter.host('http://old'));
  submit('b', webhook, limiter.host('http://new'));
  submit('c', webhook, limiter.host('http://new'));
  expect(started).toEqual(['a']);
  finish('a');
  expect(started).toEqual(['a', 'b']);
  finish('b');
  expect(started).toEqual(['a', 'b', 'c']);
  finish('c');
  expect(webhook.inFlight).toBe(0);
});

test('cancels tasks that have not started', () => {
  const { limiter, started, submit, finish, tasks } = limiterWith({ perWebhook: 1, perHost: 1 });
  const webhook = { inFlight: 0 };
  for (const name of ['a', 'b', 'c']) submit(name, webhook, limiter.host('http://one'));
  expect(limiter.cancelWaiting()).toEqual([tasks.get('b'), tasks.get('c')]);
  finish('a');
  expect(started).toEqual(['a']);
  expect(webhook.inFlight).toBe(0);
});

test('starts thousands of tasks that finish as soon as they start', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 1, perHost: 1 });
  const webhook = { inFlight: 0 };
  const host = limiter.host('http://one');
  submit('held', webhook, host);
  const stale = Array.from({ length: 10_000 }, () => ({
    webhook,
    host,
    start() {
      started.push('stale');
      limiter.finish(this);
    },
  }));
  for (const task of stale) limiter.submit(task);
  submit('last', webhook, host);
  finish('held');
  expect(started).toHaveLength(10_002);
  expect(started.at(-1)).toBe('last');
  expect(webhook.inFlight).toBe(1);
});
