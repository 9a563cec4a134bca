import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';
import { type Answer, explainOutcome, outcomeOfAnswer, type UnreachableReason } from './outcome.ts';

const phases = { totalMs: 1 };
const noon = () => Date.parse('2030-01-01T12:00:00Z');

function answer(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: Buffer.alloc(0), truncated: false };
}

test('every 2xx is delivered, 410 is gone, everything else is refused', () => {
  for (let status = 200; status < 1000; status++) {
    const expected = status < 300 ? 'delivered' : status === 410 ? 'gone' : 'refused';
    expect(outcomeOfAnswer(answer(status), phases, noon).kind).toBe(expected);
  }
});

test('the wait a refusal asks for is part of it', () => {
  const headers = { 'retry-after': 'Tue, 01 Jan 2030 12:00:30 GMT' };
  expect(outcomeOfAnswer(answer(429, headers), phases, noon)).toMatchObject({ retryAfterSeconds: 30 });
  expect(outcomeOfAnswer(answer(429), phases, noon)).not.toHaveProperty('retryAfterSeconds');
});

test('a success needs no explanation', () => {
  expect(explainOutcome({ kind: 'delivered' })).toBeUndefined();
});

test('every status is explained in words, with something to do', () => {
  for (let status = 300; status < 1000; status++) {
    const explained = explainOutcome({ kind: status === 410 ? 'gone' : 'refused', answer: answer(status) });
    expect(explained?.error).toContain(`answered ${status}`);
    expect(explained?.hint).toMatch(/^[A-Z].+\.$/);
  }
});

test.for([
  [301, /final address/],
  [401, /signature/],
  [404, /path/],
  [405, /POST/],
  [410, /switched off/],
  [413, /larger/],
  [429, /rate/],
  [500, /logs/],
  [503, /overloaded/],
  [599, /failed/],
] as const)('the hint for %i is about it', ([status, about]) => {
  expect(explainOutcome({ kind: 'refused', answer: answer(status) })?.hint).toMatch(about);
});

test('a redirect is explained with where it points', () => {
  const moved = answer(308, { location: 'https://new.example.com/' });
  expect(explainOutcome({ kind: 'refused', answer: moved })?.error).toBe(
    'The receiver answered 308 Permanent Redirect and points to https://new.example.com/.',
  );
});

test.for<UnreachableReason>([
  'timeout',
  'dns',
  'connection-refused',
  'connection-reset',
  'tls',
  'guarded',
  'protocol',
  'unreachable',
])('the reason %s comes with a hint', (reason) => {
  const explained = explainOutcome({ kind: 'unreachable', reason, detail: 'What happened.' });
  expect(explained).toEqual({ error: 'What happened.', hint: expect.stringMatching(/^[A-Z].+\.$/) });
});

test.for([
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EMFILE', 'unreachable'],
  ['ETIMEDOUT', 'timeout'],
  ['ESOMETHINGNEW', 'unreachable'],
] as const)('%s while connecting means %s', ([code, reason]) => {
  const error = Object.assign(new Error('connect failed'), { code });
  expect(failureOf(error, 'connect')).toMatchObject({ reason, detail: expect.stringMatching(/^[A-Z].+\.$/) });
});
