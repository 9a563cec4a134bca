import { expect, test } from 'vitest';
import { judgeUnsent, pauseAfter } from './send-reply.ts';

const down = { fault: 'unavailable', detail: 'Down.' } as const;

test('the pauses grow to an hour', () => {
  expect([1, 2, 3, 7, 8, 20].map(pauseAfter)).toEqual([30, 60, 120, 1920, 3600, 3600]);
});

test('a directory that is down is tried eight times', () => {
  expect(judgeUnsent(down, 0)).toEqual({ status: 'SCHEDULED', afterSeconds: 30, tries: 1 });
  expect(judgeUnsent(down, 6)).toMatchObject({ status: 'SCHEDULED', tries: 7 });
  expect(judgeUnsent(down, 7)).toEqual({ status: 'FAILED', tries: 8 });
});

test('a limit is waited for and costs no try; a refusal is final', () => {
  const limited = { fault: 'limited', retryAfterSeconds: 17, detail: 'Slow down.' } as const;
  expect(judgeUnsent(limited, 7)).toEqual({ status: 'SCHEDULED', afterSeconds: 17, tries: 7 });
  expect(judgeUnsent({ fault: 'refused', messages: ['No.'] }, 0)).toEqual({ status: 'FAILED', tries: 1 });
});
