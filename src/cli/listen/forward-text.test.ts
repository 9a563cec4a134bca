import { describe, expect, test } from 'vitest';
import type { WaypostEvent } from '../../../receiver/receiver.ts';
import { exampleEvent } from '../../events/catalogue/catalogue.ts';
import type { ForwardAttempt } from './forward.ts';
import { attemptText, lineDiff } from './forward-text.ts';

const delivery = {
  verified: true as const,
  event: exampleEvent('BUSINESS_CREATED') as WaypostEvent,
  by: ['private key' as const],
  at: new Date('2026-11-15T01:02:03.500+00:00'),
};

const attempt = (status: number, body: string | Buffer, rest: Partial<ForwardAttempt> = {}): ForwardAttempt => ({
  status,
  statusText: '',
  tookMs: 4,
  headers: {},
  body: Buffer.from(body as string),
  isComplete: true,
  ...rest,
});

const shown = (...attempts: ForwardAttempt[]) =>
  attemptText(delivery, attempts, { maxAttempts: 3, retryInMs: undefined }).split('\n').slice(1, -1);

describe('a failed attempt', () => {
  test('shows the first lines of a long response', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    expect(shown(attempt(500, lines.join('\n')))).toEqual([
      '    HTTP 500, no content type',
      ...lines.slice(0, 8).map((line) => `    ${line}`),
      '    … 22 more lines',
      '    Waypost gets 500 and retries the delivery later, by the schedule of the webhook.',
    ]);
  });

  test('cuts long lines and removes control characters', () => {
    const [, line = ''] = shown(attempt(500, `\u001b[31m${'x'.repeat(500)}`));
    expect(line).toBe(`    [31m${'x'.repeat(156)}…`);
  });

  test('does not print binary data', () => {
    expect(shown(attempt(500, Buffer.from([0, 255, 1]), { headers: { 'content-type': 'image/png' } }))).toEqual([
      '    HTTP 500, image/png',
      '    (3 bytes, not text)',
      expect.stringContaining('Waypost gets 500'),
    ]);
  });
});

describe('the next attempt', () => {
  test('with the same response', () => {
    expect(shown(attempt(500, 'no'), attempt(500, 'no'))[0]).toBe('    same response');
  });

  test('with a response that is too long to compare', () => {
    const long = Array.from({ length: 21 }, () => 'x').join('\n');
    expect(shown(attempt(500, 'no'), attempt(500, long))[0]).toBe('    HTTP 500, no content type');
    expect(shown(attempt(500, 'no'), attempt(200, long))).toEqual(['    Waypost gets 200: delivered.']);
  });

  test('after no response', () => {
    const failure = attempt(502, 'unavailable', { failure: 'unavailable' });
    expect(shown(failure, attempt(200, 'ok'))).toEqual(['    Waypost gets 200: delivered.']);
  });
});

test('the difference has the removed and added lines in order', () => {
  expect(lineDiff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual(['- b', '+ x', '+ e']);
  expect(lineDiff([], ['a'])).toEqual(['+ a']);
  expect(lineDiff(['a', 'b'], ['b'])).toEqual(['- a']);
  expect(lineDiff(['a'], ['a'])).toEqual([]);
});
