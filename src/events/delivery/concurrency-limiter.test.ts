import { expect, test } from 'vitest';
import { type ConcurrencyCount, ConcurrencyLimiter, type HostShare, type LimitedTask } from './concurrency-limiter.ts';

/** A limiter, and named tasks that record when they start. */
function limiterWith(limits: { perWebhook: number; perHost: number }) {
  const limiter = new ConcurrencyLimiter(limits);
  const started: string[] = [];
  const tasks = new Map<string, LimitedTask>();
  const submit = (name: string, webhook: ConcurrencyCount, share: HostShare) => {
    const task = { webhook, share, start: () => void started.push(name) };
    tasks.set(name, task);
    limiter.submit(task);
  };
  const finish = (name: string) => limiter.finish(tasks.get(name) as LimitedTask);
  return { limiter, started, submit, finish, tasks };
}

test('starts tasks up to the limit of the webhook, and the next when one finishes', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 2, perHost: 10 });
  const webhook = { inFlight: 0 };
  for (const name of ['a', 'b', 'c', 'd']) submit(name, webhook, limiter.share('http://one', 1));
  expect(started).toEqual(['a', 'b']);
  finish('a');
  expect(started).toEqual(['a', 'b', 'c']);
  expect(webhook.inFlight).toBe(2);
});

test('shares the limit of a host among its webhooks', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 2, perHost: 4 });
  const [one, two] = [{ inFlight: 0 }, { inFlight: 0 }];
  const share = limiter.share('http://one', 1);
  for (const name of ['a', 'b', 'c']) submit(name, one, share);
  for (const name of ['d', 'e']) submit(name, two, share);
  expect(started).toEqual(['a', 'b', 'd']);
  finish('d');
  // 'c' was submitted earlier, but its webhook is at its limit.
  expect(started).toEqual(['a', 'b', 'd', 'e']);
});

test('counts later tasks of a batch whose first one ended at once', () => {
  const { limiter, submit, finish } = limiterWith({ perWebhook: 9, perHost: 9 });
  const webhook = { inFlight: 0 };
  const share = limiter.share('http://one', 1);
  submit('a', webhook, share);
  finish('a');
  submit('b', webhook, share);
  expect(limiter.share('http://one', 1)).toBe(share);
});

test('does not block other hosts', () => {
  const { limiter, started, submit } = limiterWith({ perWebhook: 10, perHost: 1 });
  submit('a', { inFlight: 0 }, limiter.share('http://one', 1));
  submit('b', { inFlight: 0 }, limiter.share('http://one', 1));
  submit('c', { inFlight: 0 }, limiter.share('http://two', 1));
  expect(started).toEqual(['a', 'c']);
});

test('starts tasks at the new host when a moved webhook has capacity again', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 1, perHost: 10 });
  const webhook = { inFlight: 0 };
  submit('a', webhook, limiter.share('http://old', 1));
  submit('b', webhook, limiter.share('http://new', 1));
  submit('c', webhook, limiter.share('http://new', 1));
  expect(started).toEqual(['a']);
  finish('a');
  expect(started).toEqual(['a', 'b']);
  finish('b');
  expect(started).toEqual(['a', 'b', 'c']);
  finish('c');
  expect(webhook.inFlight).toBe(0);
});

test('leaves capacity of a host for other partners', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 100, perHost: 16 });
  const slow = { inFlight: 0 };
  for (let n = 1; n <= 20; n++) submit(`slow ${n}`, slow, limiter.share('http://one', 1));
  expect(started).toHaveLength(14);
  for (const name of ['a', 'b']) submit(name, { inFlight: 0 }, limiter.share('http://one', 2));
  submit('c', { inFlight: 0 }, limiter.share('http://one', 3));
  expect(started.slice(14)).toEqual(['a', 'c']);
  finish('a');
  expect(started.slice(16)).toEqual(['b']);
  for (const name of ['b', 'c', 'slow 1']) finish(name);
  expect(started.slice(17)).toEqual(['slow 15']);
  for (let n = 2; n <= 20; n++) finish(`slow ${n}`);
  expect(started).toHaveLength(23);
});

test('leaves capacity of a host with a low limit for other partners', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 100, perHost: 2 });
  for (const name of ['slow 1', 'slow 2']) submit(name, { inFlight: 0 }, limiter.share('http://one', 1));
  submit('a', { inFlight: 0 }, limiter.share('http://one', 2));
  expect(started).toEqual(['slow 1', 'a']);
  finish('slow 1');
  expect(started).toEqual(['slow 1', 'a', 'slow 2']);
});

test('a finished task starts the next of its webhook and one of a partner at its limit', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 1, perHost: 15 });
  const webhook = { inFlight: 0 };
  submit('a', webhook, limiter.share('http://one', 1));
  for (let n = 1; n <= 14; n++) submit(`slow ${n}`, { inFlight: 0 }, limiter.share('http://one', 2));
  submit('next', webhook, limiter.share('http://one', 1));
  expect(started).toHaveLength(14);
  finish('a');
  expect(started.slice(14)).toEqual(['slow 14', 'next']);
});

test('partners that wait for a host take turns', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 100, perHost: 1 });
  const one = { inFlight: 0 };
  submit('held', one, limiter.share('http://one', 1));
  for (const name of ['a1', 'a2', 'a3']) submit(name, one, limiter.share('http://one', 1));
  for (const name of ['b1', 'b2']) submit(name, { inFlight: 0 }, limiter.share('http://one', 2));
  submit('c1', { inFlight: 0 }, limiter.share('http://one', 3));
  for (const name of ['held', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
    expect(started.at(-1)).toBe(name);
    finish(name);
  }
});

test('cancels tasks that have not started', () => {
  const { limiter, started, submit, finish, tasks } = limiterWith({ perWebhook: 1, perHost: 1 });
  const webhook = { inFlight: 0 };
  for (const name of ['a', 'b', 'c']) submit(name, webhook, limiter.share('http://one', 1));
  expect(limiter.cancelWaiting()).toEqual([tasks.get('b'), tasks.get('c')]);
  finish('a');
  expect(started).toEqual(['a']);
  expect(webhook.inFlight).toBe(0);
});

test('starts thousands of tasks that finish as soon as they start', () => {
  const { limiter, started, submit, finish } = limiterWith({ perWebhook: 1, perHost: 1 });
  const webhook = { inFlight: 0 };
  const share = limiter.share('http://one', 1);
  submit('held', webhook, share);
  const stale = Array.from({ length: 10_000 }, () => ({
    webhook,
    share,
    start() {
      started.push('stale');
      limiter.finish(this);
    },
  }));
  for (const task of stale) limiter.submit(task);
  submit('last', webhook, share);
  finish('held');
  expect(started).toHaveLength(10_002);
  expect(started.at(-1)).toBe('last');
  expect(webhook.inFlight).toBe(1);
});
