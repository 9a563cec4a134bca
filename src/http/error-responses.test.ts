import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { Database } from '../database/connection.ts';

const path = '/api/sales-partners/webhooks';
const good = JSON.stringify({ pushUrl: 'http://127.0.0.1:9/', type: 'LOCATION_CREATED' });
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

describe('unreadable bodies', () => {
  test.each([
    ['broken JSON', '{"pushUrl":', {}, 'not valid JSON'],
    ['a bare word', 'pushUrl', {}, 'not valid JSON'],
    ['a poisoned prototype', '{"__proto__":{"admin":true}}', {}, 'not valid JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), {}, 'UTF-8'],
    ['a charset that is not UTF-8', good, { 'content-type': 'application/json; charset=utf-16' }, 'utf-16'],
    ['a compressed body', gzipSync(good), { 'content-encoding': 'gzip' }, 'gzip'],
    ['a form', 'pushUrl=x', { 'content-type': 'application/x-www-form-urlencoded' }, 'application/json'],
    ['plain text', good, { 'content-type': 'text/plain' }, 'application/json'],
    ['an unreadable content type', good, { 'content-type': ';;' }, 'application/json'],
    ['more than 1 MiB', JSON.stringify({ description: 'x'.repeat(1024 * 1024) }), {}, '1 MiB'],
    ['a tower of brackets', '['.repeat(200_000) + ']'.repeat(200_000), {}, 'nested'],
  ])('%s', async (_what, body, headers, hint) => {
    const response = await partner.call('POST', path, body, headers);
    expect(response).toMatchObject({
      code: 400,
      body: { status: 'BAD_REQUEST', message: expect.stringContaining(hint) },
    });
    expect((await partner.call('GET', path)).body.response).toEqual([]);
  });

  test('accepts a byte order mark and the charset utf-8', async () => {
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')]);
    expect(await partner.call('POST', path, body, { 'content-type': 'application/json; charset=UTF-8' })).toMatchObject(
      {
        body: { status: 'MISSING_PARAMETER' },
      },
    );
  });
});

describe('invalid bodies', () => {
  test.each([
    ['nothing', undefined, 'MISSING_PARAMETER', ['pushUrl', 'type']],
    ['an empty body', '', 'MISSING_PARAMETER', ['pushUrl', 'type']],
    ['null', 'null', 'MISSING_PARAMETER', ['pushUrl', 'type']],
    ['a missing field', '{"type":"LOCATION_CREATED"}', 'MISSING_PARAMETER', ['pushUrl']],
    ['an empty field', '{"type":"","pushUrl":"http://127.0.0.1/"}', 'MISSING_PARAMETER', ['type']],
    ['a list', '[]', 'WRONG_PARAMETER_TYPE', ['body']],
    ['text', '"x"', 'WRONG_PARAMETER_TYPE', ['body']],
    ['a number for text', '{"type":"LOCATION_CREATED","pushUrl":7}', 'WRONG_PARAMETER_TYPE', ['pushUrl']],
    ['a number for a type', '{"type":7,"pushUrl":"http://127.0.0.1/"}', 'WRONG_PARAMETER_TYPE', ['type']],
    ['text for yes or no', `${good.slice(0, -1)},"enabled":"yes"}`, 'WRONG_PARAMETER_TYPE', ['enabled']],
    ['an unknown value', '{"type":"NEWS","pushUrl":"http://127.0.0.1/"}', 'INVALID_PARAMETER', ['type']],
    ['a NUL', `${good.slice(0, -1)},"description":"\\u0000"}`, 'INVALID_PARAMETER', ['description']],
    ['half a character', `${good.slice(0, -1)},"description":"\\ud83d"}`, 'INVALID_PARAMETER', ['description']],
    ['a number in a list', `${good.slice(0, -1)},"retrySchedule":[5,0]}`, 'INVALID_PARAMETER', ['retrySchedule[1]']],
  ])('%s', async (_what, body, status, fields) => {
    const response = await partner.call('POST', path, body);
    expect(response).toMatchObject({ code: 400, body: { status, message: expect.any(String) } });
    expect(response.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
    for (const error of response.body.errors) expect(error.message).toContain(error.field);
    expect((await partner.call('GET', path)).body.response).toEqual([]);
  });

  test('the error describes a missing field', async () => {
    const { body } = await partner.call('POST', path, { type: 'LOCATION_CREATED' });
    expect(body.message).toContain('pushUrl is required: URL that deliveries are sent to.');
  });

  test('the error lists the accepted values', async () => {
    const { body } = await partner.call('POST', path, { pushUrl: 'http://127.0.0.1/', type: 'NEWS' });
    expect(body.errors).toMatchObject([{ field: 'type', rule: 'enum' }]);
    expect(body.message).toContain('LOCATION_CREATED, ');
  });
});

describe('invalid paths and queries', () => {
  test.each([
    ['/api/sales-partners/webhooks/abc', 'WRONG_PARAMETER_TYPE', 'id'],
    ['/api/sales-partners/webhooks/1.5', 'WRONG_PARAMETER_TYPE', 'id'],
    ['/api/sales-partners/webhooks/99999999999999999999999', 'WRONG_PARAMETER_TYPE', 'id'],
    ['/api/sales-partners/webhooks/0', 'INVALID_PARAMETER', 'id'],
    ['/api/sales-partners?max=many', 'WRONG_PARAMETER_TYPE', 'max'],
    ['/api/sales-partners?max=0', 'INVALID_PARAMETER', 'max'],
    ['/api/sales-partners?max=1&max=2', 'WRONG_PARAMETER_TYPE', 'max'],
    ['/api/sales-partners/webhooks?type=LOCATION_CREATED,NEWS', 'INVALID_PARAMETER', 'type[1]'],
  ])('%s', async (url, status, field) => {
    expect(await partner.call('GET', url)).toMatchObject({ code: 400, body: { status, errors: [{ field }] } });
  });

  test('a path with broken percent-encoding', async () => {
    expect(await partner.call('GET', '/api/event-types/%E0%A4%A')).toMatchObject({
      code: 400,
      body: { status: 'BAD_REQUEST', message: expect.stringContaining('percent-encoding') },
    });
  });

  test('a path segment that is too long', async () => {
    expect(await partner.call('GET', `/api/event-types/${'x'.repeat(500)}`)).toMatchObject({
      code: 400,
      body: { status: 'BAD_REQUEST' },
    });
  });
});

test('responds to malformed HTTP and closes the connection', async () => {
  const socket = connect(api.port, '127.0.0.1');
  socket.write('GARBAGE\r\n\r\n');
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(response.slice(response.indexOf('{')))).toMatchObject({ status: 'BAD_REQUEST' });
});

test('ignores unknown fields with a warning', async () => {
  const child = { identifier: 'with-extras', name: 'Extra', colour: 'green', publicKey: 'mine' };
  expect(await partner.call('POST', '/api/sales-partners?v=20260713', child)).toMatchObject({
    code: 200,
    body: {
      status: 'SUCCESS',
      response: { publicKey: expect.not.stringMatching(/^mine$/) },
      warnings: [expect.stringContaining('colour, publicKey')],
    },
  });
});

test('closes the connection if the client does not', async () => {
  const socket = connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
  const open = () => new Promise<number>((resolve) => api.server.server.getConnections((_, count) => resolve(count)));
  const before = await open();
  socket.write('no HTTP\r\n\r\n');
  await once(socket.resume(), 'end');
  await expect.poll(open, { timeout: 20_000 }).toBeLessThanOrEqual(before);
  socket.destroy();
});

describe('server errors', () => {
  test('a deadlock returns 503 with Retry-After, and nothing is changed', async () => {
    await api.database.pool.query(`
      create function deadlock() returns trigger language plpgsql as $$
      begin raise exception 'deadlock detected' using errcode = '40P01'; end $$;
      create trigger deadlock after insert on labels for each row execute function deadlock()`);
    const { code, headers, body } = await partner.call('POST', '/api/labels', { name: 'Flagship' });
    await api.database.pool.query('drop function deadlock cascade');
    expect({ code, retryAfter: headers.get('retry-after'), body }).toMatchObject({
      code: 503,
      retryAfter: '1',
      body: { status: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('Nothing was changed') },
    });
    expect((await partner.call('GET', '/api/labels')).body.response).toMatchObject({ labels: [] });
  });

  test('an unavailable database returns 503 with Retry-After', async () => {
    const away = new Database('postgres://127.0.0.1:1/nowhere', { connections: 1, name: 'away' });
    const broken = await TestApi.start({}, away);
    try {
      const response = await broken.call('GET', path, undefined, { privateKey: 'any' });
      expect(response).toMatchObject({
        code: 503,
        body: { status: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('database') },
      });
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await broken.call('GET', '/health/live')).toMatchObject({ code: 200 });
      expect(await broken.call('GET', '/health/ready')).toMatchObject({
        code: 503,
        body: { status: 'SERVICE_UNAVAILABLE' },
      });
    } finally {
      await broken.close();
    }
  });

  test('a broken database connection returns 503', async () => {
    await partner.call('GET', path);
    const blocker = await api.database.pool.connect();
    await blocker.query('begin; lock table webhooks in access exclusive mode');
    const underWay = partner.call('GET', path);
    const breakWaiting = async () => {
      const { rowCount } = await blocker.query(
        "select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'webhooks'::regclass",
      );
      return rowCount;
    };
    await expect.poll(breakWaiting).toBe(1);
    await blocker.query('rollback');
    blocker.release();
    const response = await underWay;
    expect(response).toMatchObject({ code: 503, body: { status: 'SERVICE_UNAVAILABLE' } });
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await partner.call('GET', path)).toMatchObject({ code: 200 });
  });

  test('a read-only database returns 503, and the process is not ready', async () => {
    const readOnly = new Database(api.database.url, {
      connections: 2,
      name: 'read-only',
      settings: { default_transaction_read_only: 'on' },
    });
    const broken = await TestApi.start({}, readOnly);
    try {
      const response = await broken.call('POST', path, good, { privateKey: partner.privateKey });
      expect(response).toMatchObject({ code: 503, body: { status: 'SERVICE_UNAVAILABLE' } });
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await broken.call('GET', '/health/ready')).toMatchObject({
        code: 503,
        body: { message: expect.stringContaining('read-only') },
      });
    } finally {
      await broken.close();
    }
  });

  test('an unexpected error only exposes the request id', async () => {
    const broken = await TestApi.start();
    try {
      const caller = await broken.addPartner();
      await broken.database.pool.query('alter table webhooks rename column push_url to somewhere');
      const response = await caller.call('GET', path);
      const requestId = response.headers.get('x-request-id') as string;
      expect(response.code).toBe(500);
      expect(response.body).toEqual({ status: 'SERVER_ERROR', message: expect.stringContaining(requestId) });
      expect(broken.logLines).toContainEqual(
        expect.objectContaining({
          event: 'request.failed',
          requestId,
          err: expect.objectContaining({ message: expect.stringContaining('push_url') }),
        }),
      );
    } finally {
      await broken.close();
    }
  });
});
