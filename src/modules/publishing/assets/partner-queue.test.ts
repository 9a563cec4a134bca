import { expect, test } from 'vitest';
import { PartnerQueue } from './file-inspector.ts';

function setUp({ concurrency = 2, waitingPerPartner = 10 } = {}) {
  const queue = new PartnerQueue({ concurrency, waitingPerPartner });
  const started: string[] = [];
  const finish = new Map<string, (failure?: Error) => void>();
  const add = (partnerId: number, name: string) =>
    queue.run(partnerId, () => {
      started.push(name);
      return new Promise<string>((resolve, reject) => {
        finish.set(name, (failure) => (failure ? reject(failure) : resolve(name)));
      });
    });
  const end = async (name: string, work: Promise<unknown>, failure?: Error) => {
    finish.get(name)?.(failure);
    await work.catch(() => {});
  };
  return { queue, started, add, end };
}

test('runs one task per partner at a time, round-robin', async () => {
  const { started, add, end } = setUp();
  const a1 = add(1, 'a1');
  const a2 = add(1, 'a2');
  void add(1, 'a3');
  const b1 = add(2, 'b1');
  void add(3, 'c1');
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1']);
  await end('a1', a1);
  expect(started).toEqual(['a1', 'b1', 'a2']);
  await end('b1', b1);
  expect(started).toEqual(['a1', 'b1', 'a2', 'c1']);
  await end('a2', a2);
  expect(started).toEqual(['a1', 'b1', 'a2', 'c1', 'a3']);
});

test('continues after a failure and rejects the caller', async () => {
  const { started, add, end } = setUp({ concurrency: 1 });
  const first = add(1, 'first');
  const second = add(2, 'second');
  await Promise.resolve();
  const rejection = expect(first).rejects.toThrow('damaged');
  await end('first', first, new Error('damaged'));
  await rejection;
  expect(started).toEqual(['first', 'second']);
  await end('second', second);
  expect(await second).toBe('second');
});

test('rejects tasks above the waiting limit of one partner only', async () => {
  const { add, started } = setUp({ concurrency: 2, waitingPerPartner: 1 });
  void add(1, 'a1');
  await Promise.resolve();
  void add(1, 'a2');
  await expect(add(1, 'a3')).rejects.toMatchObject({
    status: 'QUOTA_LIMIT_EXCEED',
    message: expect.stringContaining('wait to be checked'),
  });
  void add(2, 'b1');
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1']);
});
