import { expect, test } from 'vitest';
import type { ReceiverResponse } from '../transport/outcome.ts';
import { outcomeResponse } from './attempt.ts';

const captured = (body: Buffer, truncated = false) => {
  const response: ReceiverResponse = { status: 200, headers: { 'x-a': 'b' }, body, truncated };
  return outcomeResponse({ kind: 'delivered', response, phases: { totalMs: 1 } }).response;
};

test('shows a text body as text, including the byte order mark', () => {
  expect(captured(Buffer.from('\ufeffgrüß dich 🙂'))).toEqual({
    headers: { 'x-a': 'b' },
    body: '\ufeffgrüß dich 🙂',
    bodyEncoding: 'UTF-8',
    truncated: false,
  });
});

test('shows a binary body in Base64', () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00]);
  expect(captured(bytes)).toMatchObject({ body: bytes.toString('base64'), bodyEncoding: 'BASE64' });
});

test('treats text truncated within a character as text', () => {
  const cut = Buffer.from('abc🙂').subarray(0, 5);
  expect(captured(cut, true)).toMatchObject({ body: 'abc', bodyEncoding: 'UTF-8', truncated: true });
  expect(captured(cut, false)).toMatchObject({ bodyEncoding: 'BASE64' });
});

test('includes only existing phases, with error and hint', () => {
  const response = outcomeResponse({
    kind: 'unreachable',
    reason: 'connection-refused',
    detail: 'The receiver refused the connection.',
    phases: { dnsMs: 0.123456, totalMs: 2.345678 },
  });
  expect(response).toEqual({
    outcome: 'UNREACHABLE',
    reason: 'CONNECTION_REFUSED',
    error: 'The receiver refused the connection.',
    hint: expect.stringContaining('Check the port'),
    durations: { dnsMs: 0.12, totalMs: 2.35 },
  });
});
