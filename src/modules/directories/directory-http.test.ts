import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DirectoryHttp } from './directory-http.ts';

async function exchange(text: string) {
  const server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
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

test('names the directory that sends invalid JSON', async () => {
  expect(await exchange('{"name":')).toEqual({
    fault: 'unavailable',
    detail: 'Yelp sent a response that is not valid JSON.',
  });
});
