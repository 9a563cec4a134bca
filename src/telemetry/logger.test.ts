import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { readConfig } from '../config.ts';
import { LineBuffer, logOptions, logsUrl } from './logger.ts';

test('writes lines together and in order', async () => {
  const handed: string[] = [];
  const lines = new LineBuffer((text) => handed.push(text));
  lines.write('one\n');
  lines.write('two\n');
  expect(handed).toEqual([]);
  await vi.waitFor(() => expect(handed).toEqual(['one\ntwo\n']), 45_000);
});

test('writes a full buffer immediately and flushes completely', () => {
  const handed: string[] = [];
  const lines = new LineBuffer((text) => handed.push(text));
  lines.write('x'.repeat(20_000));
  expect(handed).toHaveLength(1);
  lines.write('last');
  lines.flush();
  lines.flush();
  expect(handed.join('')).toBe(`${'x'.repeat(20_000)}last`);
});

function logged(fields: object): Record<string, unknown> {
  let text = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  pino(logOptions({ logLevel: 'trace', otlpEndpoint: undefined }), output).trace(fields);
  return JSON.parse(text);
}

test.each([
  'privateKey',
  'privatekey',
  'PRIVATE-KEY',
  'private_key',
  'publicKey',
  'accessToken',
  'access-token',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'Set-Cookie',
  'x-sandbox-key',
  'x-api-key',
  'adminPassword',
  'clientSecret',
])('hides %s at any depth', (name) => {
  const headers = { [name]: 'hush', host: 'here' };
  const failed = Object.assign(new Error('It failed.'), { request: { headers } });
  const line = logged({ [name]: ['hush'], options: { list: [{ headers }] }, err: failed });
  expect(JSON.stringify(line)).not.toContain('hush');
  expect(line).toMatchObject({ options: { list: [{ headers: { host: 'here' } }] } });
  expect(line).toMatchObject({ err: { message: 'It failed.', request: { headers: { host: 'here' } } } });
});

test('hides secrets of inner errors, class instances and cycles', () => {
  const failure = (text: string) => Object.assign(new Error(text), { headers: { authorization: 'hush' } });
  class Client {
    readonly password = 'hush';
    readonly host = 'here';
  }
  const cycle: Record<string, unknown> = { password: 'hush' };
  cycle.self = cycle;
  const errors = [failure('first'), failure('second')];
  const err = Object.assign(new AggregateError(errors, 'All failed.', { cause: failure('cause') }), {
    original: failure('original'),
    client: new Client(),
  });
  const line = logged({ err, cycle, client: new Client() });
  expect(JSON.stringify(line)).not.toContain('hush');
  expect(line).toMatchObject({ client: { host: 'here' }, err: { original: { message: 'original' } } });
});

test('names the level', () => {
  expect(logged({})).toMatchObject({ level: 'trace' });
});

test('logs other fields unchanged and does not modify the input', () => {
  const around: Record<string, unknown> = { tokens: 12, keyId: 7, at: new Date(0), cookie: 'crumb' };
  around.self = around;
  expect(logged({ around })).toMatchObject({ around: { tokens: 12, keyId: 7, at: '1970-01-01T00:00:00.000Z' } });
  expect(around.cookie).toBe('crumb');
});

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' };
const logsEndpoint = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://logs:4318/otlp/logs' };

test.each([
  ['not without a setting of logs', endpoint, undefined],
  ['to the collector of traces and metrics', { ...endpoint, OTEL_LOGS_EXPORTER: 'otlp' }, 'http://otel:4318/v1/logs'],
  ['to their own URL', { ...endpoint, ...logsEndpoint }, 'http://logs:4318/otlp/logs'],
  ['not if they are disabled', { ...endpoint, ...logsEndpoint, OTEL_LOGS_EXPORTER: 'none' }, undefined],
])('exports lines %s', (_case, env, url) => {
  expect(logsUrl(readConfig(env))).toBe(url);
});
