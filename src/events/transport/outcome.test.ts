import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';
import {
  explainOutcome,
  outcomeOfResponse,
  type ReceiverResponse,
  retryAfterSeconds,
  type UnreachableReason,
} from './outcome.ts';

const phases = { totalMs: 1 };
const noon = () => Date.parse('2030-01-01T12:00:00Z');

function response(status: number, headers: Record<string, string> = {}): ReceiverResponse {
  return { status, headers, body: Buffer.alloc(0), truncated: false };
}

test('maps 2xx to delivered, 410 to gone and any other status to refused', () => {
  for (let status = 200; status < 1000; status++) {
    const expected = status < 300 ? 'delivered' : status === 410 ? 'gone' : 'refused';
    expect(outcomeOfResponse(response(status), phases, noon).kind).toBe(expected);
  }
});

test('includes Retry-After of a refusal', () => {
  const headers = { 'retry-after': 'Tue, 01 Jan 2030 12:00:30 GMT' };
  expect(outcomeOfResponse(response(429, headers), phases, noon)).toMatchObject({ retryAfterSeconds: 30 });
  expect(outcomeOfResponse(response(429), phases, noon)).not.toHaveProperty('retryAfterSeconds');
});

test('does not explain a success', () => {
  expect(explainOutcome({ kind: 'delivered' })).toBeUndefined();
});

test('explains each status with an error and a hint', () => {
  for (let status = 300; status < 1000; status++) {
    const explained = explainOutcome({ kind: status === 410 ? 'gone' : 'refused', response: response(status) });
    expect(explained?.error).toContain(`responded with ${status}`);
    expect(explained?.hint).toMatch(/^[A-Z].+\.$/);
  }
});

test.for([
  [301, /final URL/],
  [401, /signature/],
  [404, /path/],
  [405, /POST/],
  [410, /disabled/],
  [413, /larger/],
  [429, /rate/],
  [500, /logs/],
  [503, /overloaded/],
  [599, /failed/],
] as const)('gives a specific hint for %i', ([status, about]) => {
  expect(explainOutcome({ kind: 'refused', response: response(status) })?.hint).toMatch(about);
});

test.for([
  ['https://new.example.com/', ' to https://new.example.com.'],
  ['https://user:secret@new.example.com:8443/hook?token=secret#secret', ' to https://new.example.com:8443.'],
  ['/hook?token=secret', '.'],
  ['secret:secret', '.'],
] as const)('names only the origin of a redirect to %s', ([location, end]) => {
  const moved = response(308, { location });
  expect(explainOutcome({ kind: 'refused', response: moved })?.error).toBe(
    `The receiver responded with 308 Permanent Redirect${end}`,
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
])('gives a hint for the reason %s', (reason) => {
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

const now = Date.parse('1994-11-06T08:49:00Z');

test.for([
  ['120', 120],
  [' 5 ', 5],
  ['0', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
  ['Sun Nov  6 08:49:37 1994', 37],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
] as const)('"%s" asks for %i seconds', ([value, seconds]) => {
  expect(retryAfterSeconds(value, now)).toBe(seconds);
});

test.for(['', 'soon', '-1', '1.5', '1e3', '0x10', '10, 20', '2094-11-06', 'Sun, 99 Foo 1994 99:99:99 GMT'])(
  'ignores "%s"',
  (value) => {
    expect(retryAfterSeconds(value, now)).toBeUndefined();
  },
);

test('rounds a date up, so that no attempt is early', () => {
  expect(retryAfterSeconds('Sun, 06 Nov 1994 08:49:37 GMT', now + 100)).toBe(37);
});

test('returns whole seconds or undefined for any value', () => {
  const value = fc.oneof(
    fc.string(),
    fc.stringMatching(/^\d{1,400}$/),
    fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
  );
  fc.assert(
    fc.property(value, (text) => {
      const seconds = retryAfterSeconds(text, now);
      expect(seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 0)).toBe(true);
    }),
  );
});
