import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DirectoryHttp } from './directory-http.ts';

async function exchange(text: string, status = 200, headers: Record<string, string> = {}) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(text)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const http = new DirectoryHttp('Yelp', 5000);
  onTestFinished(async () => {
    await http.close();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return http.exchange({ origin, method: 'GET', path: '/', headers: {} });
}

test.each([
  [
    'keeps text',
    '{"name":"Café \u{1F600}","lines":["a\\n","\\u00e9"]}',
    { name: 'Café \u{1F600}', lines: ['a\n', 'é'] },
  ],
  ['keeps escaped surrogate pairs', '{"name":"\\ud83d\\ude00"}', { name: '\u{1F600}' }],
  ['removes NUL', '{"name":"a\\u0000b"}', { name: 'ab' }],
  ['replaces lone surrogates', '{"names":["a\\uD83D","\\udE00b"]}', { names: ['a\ufffd', '\ufffdb'] }],
])('%s', async (_, text, body) => {
  expect(await exchange(text)).toEqual({ status: 200, body });
});

test.each([
  ['seconds', '90', 90, 90],
  ['a date', new Date(Date.now() + 120_000).toUTCString(), 90, 120],
  ['a date in the past', 'Sun, 06 Nov 1994 08:49:37 GMT', 1, 1],
  ['no time', 'soon', 1, 1],
])('reads Retry-After with %s', async (_, header, least, most) => {
  const limited = (await exchange('{}', 429, { 'retry-after': header })) as { retryAfterSeconds: number };
  expect(limited).toMatchObject({ fault: 'limited' });
  expect(limited.retryAfterSeconds).toBeGreaterThanOrEqual(least);
  expect(limited.retryAfterSeconds).toBeLessThanOrEqual(most);
});

test('names the directory that sends invalid JSON', async () => {
  expect(await exchange('{"name":')).toEqual({
    fault: 'unavailable',
    detail: 'Yelp sent a response that is not valid JSON.',
  });
});
