import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlCommand } from '../../console/src/pages/webhooks/curl-command.ts';

test('sends the request unchanged', () => {
  const url = 'https://receiver.example/hook?a[0]=1&b=$HOME&c={d,e}';
  const body = '{"comment":"Lindner\'s \\\\ `bakery` $(id) \\n!","id":1}';
  const headers = [
    { name: 'content-length', value: '52' },
    { name: 'webhook-id', value: '1' },
    { name: 'x-team', value: "it's" },
  ];
  const command = curlCommand(url, headers, body);
  // A function named curl prints its arguments.
  const script = `curl() { for each; do printf '%s\\0' "$each"; done; }\n${command}`;
  const args = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  expect(args).toEqual(['--globoff', url, '-H', 'webhook-id: 1', '-H', "x-team: it's", '--data-binary', body]);
});
