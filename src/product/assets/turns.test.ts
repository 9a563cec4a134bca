import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('so many go on at a time, in the order in which they came, also when one fails', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  let under = 0;
  let most = 0;
  const work = (number: number) =>
    turns.take(async () => {
      begun.push(number);
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      if (number % 3 === 0) throw new Error(`${number} failed`);
      return number;
    });
  const ended = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(work));
  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([false, true, true, false, true, true, false]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
});
