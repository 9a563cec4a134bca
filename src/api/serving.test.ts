import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { connectTls } from '../../test/support/tls-client.ts';

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

  test('rejects TLS 1.0 and 1.1', async () => {
    expect(await connectTls(api.port, 'TLSv1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect(await connectTls(api.port, 'TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  test('accepts TLS 1.2 and 1.3', async () => {
    expect(await connectTls(api.port, 'TLSv1.2')).toBe('TLSv1.2 HTTP/1.1 200 OK');
    expect(await connectTls(api.port, 'TLSv1.3')).toBe('TLSv1.3 HTTP/1.1 200 OK');
  });
});

test('uses the client address of a trusted proxy only', async () => {
  const trusting = await TestApi.start({ WAYPOST_TRUSTED_PROXY: '127.0.0.1', WAYPOST_RATE_LIMIT: '1' });
  const direct = await TestApi.start({ WAYPOST_RATE_LIMIT: '1' });
  try {
    const codes = async (api: TestApi) => {
      const responses = ['203.0.113.1', '203.0.113.2'].map((address) =>
        api.call('GET', '/api/event-types', undefined, { 'x-forwarded-for': address }),
      );
      return (await Promise.all(responses)).map(({ code }) => code).sort();
    };
    expect(await codes(trusting)).toEqual([401, 401]);
    expect(await codes(direct)).toEqual([401, 429]);
  } finally {
    await Promise.all([trusting.close(), direct.close()]);
  }
});

test('finishes requests in progress when the server stops', async () => {
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
