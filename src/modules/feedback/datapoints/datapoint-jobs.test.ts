import { expect, test } from 'vitest';
import { judgeFault, pauseAfter } from './datapoint-jobs.ts';

const down = { fault: 'unavailable', detail: 'Down.' } as const;

test('delays double from 30 seconds to 32 minutes', () => {
  expect([1, 2, 3, 7].map(pauseAfter)).toEqual([30, 60, 120, 1920]);
});

test('fails after eight attempts', () => {
  expect(judgeFault(down, 0)).toEqual({ status: 'SCHEDULED', afterSeconds: 30, tries: 1 });
  expect(judgeFault(down, 6)).toMatchObject({ status: 'SCHEDULED', tries: 7 });
  expect(judgeFault(down, 7)).toEqual({ status: 'FAILED', tries: 8 });
});

test('a rate limit does not count as an attempt; a refusal is final', () => {
  const limited = { fault: 'limited', retryAfterSeconds: 17, detail: 'Slow down.' } as const;
  expect(judgeFault(limited, 7)).toEqual({ status: 'SCHEDULED', afterSeconds: 17, tries: 7 });
  expect(judgeFault({ fault: 'refused', messages: ['No.'] }, 0)).toEqual({ status: 'FAILED', tries: 0 });
});
