import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type SecureVersion } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';

describe('with a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-tls-'));
  let api: TestApi;

  beforeAll(async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const env = { WAYPOST_TLS_CERT: join(folder, 'cert.pem'), WAYPOST_TLS_KEY: join(folder, 'key.pem') };
    writeFileSync(env.WAYPOST_TLS_CERT, cert);
    writeFileSync(env.WAYPOST_TLS_KEY, key);
    api = await TestApi.start(env);
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  /** The first line of the answer and the version that was agreed on, or the reason why there was no agreement. */
  function greet(version: SecureVersion): Promise<string> {
    const options: ConnectionOptions = {
      host: '127.0.0.1',
      port: api.port,
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      // Lets this client offer what it would not offer by itself any more.
      ciphers: 'DEFAULT@SECLEVEL=0',
    };
    return new Promise((resolve) => {
      const socket = connect(options, () => socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n'));
      socket.on('data', (data) => {
        resolve(`${socket.getProtocol()} ${String(data).split('\r\n')[0]}`);
        socket.destroy();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    });
  }

  test('a TLS 1.0 or 1.1 client is refused by the server', async () => {
    expect(await greet('TLSv1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect(await greet('TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  test('TLS 1.2 and 1.3 clients are served', async () => {
    expect(await greet('TLSv1.2')).toBe('TLSv1.2 HTTP/1.1 200 OK');
    expect(await greet('TLSv1.3')).toBe('TLSv1.3 HTTP/1.1 200 OK');
  });
});

test('behind a trusted proxy the address it names is the one that counts; nobody else may name one', async () => {
  const trusting = await TestApi.start({ WAYPOST_TRUSTED_PROXY: '127.0.0.1', WAYPOST_RATE_LIMIT: '1' });
  const direct = await TestApi.start({ WAYPOST_RATE_LIMIT: '1' });
  try {
    const codes = async (api: TestApi) => {
      const answers = ['203.0.113.1', '203.0.113.2'].map((address) =>
        api.call('GET', '/api/event-types', undefined, { 'x-forwarded-for': address }),
      );
      return (await Promise.all(answers)).map(({ code }) => code).sort();
    };
    expect(await codes(trusting)).toEqual([401, 401]);
    expect(await codes(direct)).toEqual([401, 429]);
  } finally {
    await Promise.all([trusting.close(), direct.close()]);
  }
});

test('a request that is under way when the server stops gets its answer', async () => {
  const api = await TestApi.start();
  const partner = await api.addPartner();
  await partner.call('GET', '/api/event-types');
  const blocker = await api.database.pool.connect();
  await blocker.query('begin; lock table webhooks in access exclusive mode');
  const underWay = partner.call('GET', '/api/sales-partners/webhooks');
  await expect
    .poll(
      async () =>
        (await blocker.query("select from pg_locks where not granted and relation = 'webhooks'::regclass")).rowCount,
    )
    .toBe(1);
  const closed = api.server.close();
  await blocker.query('commit');
  blocker.release();
  expect(await underWay).toMatchObject({ code: 200 });
  await closed;
  await expect(partner.call('GET', '/api/event-types')).rejects.toThrow();
  await api.close();
});
