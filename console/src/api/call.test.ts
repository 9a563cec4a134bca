import { afterEach, expect, test, vi } from 'vitest';
import { call, callWith } from './call.ts';

afterEach(() => void vi.unstubAllGlobals());

const respondWith = (body: BodyInit, init: ResponseInit = {}) =>
  vi.stubGlobal('fetch', async () => new Response(body, init));

const json = { headers: { 'content-type': 'application/json' } };

test('returns the response of the envelope', async () => {
  respondWith('{"status":"SUCCESS","response":{"success":true}}', json);
  expect(await call('POST /api/users/logout')).toEqual({ success: true });
});

test.each([
  ['an HTML page of a proxy', '<html></html>', { headers: { 'content-type': 'text/html' } }],
  ['a response that ends early', '{"status":"SUCCESS","respo', json],
  ['JSON without a response', '{"ok":true}', json],
])('rejects %s', async (_name, body, init) => {
  respondWith(body, init);
  await expect(call('POST /api/users/logout')).rejects.toMatchObject({ code: 0, status: 'UNREACHABLE' });
});

test('keeps the status of an error without JSON', async () => {
  respondWith('<html></html>', { status: 502 });
  await expect(call('GET /api/versions')).rejects.toMatchObject({ code: 502, message: 'HTTP 502' });
});

test('stays aborted while the body is read', async () => {
  const abort = new AbortController();
  vi.stubGlobal('fetch', async (_url: string, { signal }: RequestInit) => {
    const body = new ReadableStream({
      start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)),
    });
    queueMicrotask(() => abort.abort());
    return new Response(body, json);
  });
  const reading = callWith('GET /api/versions', undefined, { signal: abort.signal });
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
});
