import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { newestVersion } from './versions/timeline.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

describe('paths', () => {
  test.each(['/api/sales-partners/webhooks', '/salespartners/webhooks', '/API/SalesPartners/Webhooks/'])(
    '%s is the list of webhooks',
    async (path) => {
      expect(await partner.call('GET', path)).toMatchObject({ code: 200, body: { response: [] } });
    },
  );

  test('an unknown path', async () => {
    for (const path of ['/api', '/api/nothing', '/api/sales-partners/1/2/3', '/favicon.ico']) {
      expect(await partner.call('GET', path)).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    }
  });

  test.each([
    ['PUT', '/api/sales-partners/webhooks', 'GET, HEAD, POST'],
    ['POST', '/salespartners/webhooks/1', 'DELETE, GET, HEAD, PATCH'],
    ['DELETE', '/api/sales-partners/1', 'GET, HEAD, PUT'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['OPTIONS', '/api/event-types', 'GET, HEAD'],
  ])('%s %s is not allowed', async (method, path, allowed) => {
    const response = await partner.call(method, path, method === 'POST' ? {} : undefined);
    expect(response).toMatchObject({ code: 405, body: { status: 'METHOD_NOT_ALLOWED' } });
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
    expect(response.body.message).toContain(response.headers.get('allow'));
  });
});

describe('versions', () => {
  const versionOf = async (path: string, headers?: Record<string, string>) =>
    (await partner.call('GET', path, undefined, headers)).headers.get('x-api-version');

  test('a response echoes the requested version', async () => {
    expect(await versionOf('/api/event-types?v=20230407')).toBe('20230407');
    expect(await versionOf('/api/event-types?v=_20230407')).toBe('20230407');
    expect(await versionOf('/api/event-types', { 'X-Api-Version': '_20191022' })).toBe('20191022');
    expect(await versionOf('/api/event-types?v=20230407', { 'X-Api-Version': '20191022' })).toBe('20230407');
  });

  test('a date after the newest version means the newest', async () => {
    expect(await versionOf('/api/event-types?v=20991231')).toBe(newestVersion);
  });

  test("without one it is the partner's pinned version", async () => {
    const pinned = await api.addPartner();
    expect((await pinned.call('GET', '/api/event-types')).headers.get('x-api-version')).toBe(newestVersion);
    await pinned.call('PUT', `/api/sales-partners/${pinned.partner.id}`, { apiVersion: '_20191022' });
    expect((await pinned.call('GET', '/api/event-types')).headers.get('x-api-version')).toBe('20191022');
    expect((await pinned.call('GET', '/api/nothing')).headers.get('x-api-version')).toBe(newestVersion);
  });

  test.each(['20230230', '2023', 'latest', '', '20230407x', '2023-04-07'])('"%s" is not a version', async (version) => {
    expect(await partner.call('GET', `/api/event-types?v=${version}`)).toMatchObject({
      code: 400,
      body: { status: 'INVALID_PARAMETER', errors: [{ field: 'v', rule: 'version' }] },
    });
  });
});

describe('observability', () => {
  test('the process is alive and ready', async () => {
    expect(await api.call('GET', '/health/live')).toMatchObject({ code: 200, body: { status: 'SUCCESS' } });
    expect(await api.call('GET', '/health/ready')).toMatchObject({ code: 200, body: { response: { ready: true } } });
  });

  test('is not ready with a missing migration, and names it', async () => {
    const { rows } = await api.database.pool.query('delete from migrations returning name');
    const response = await api.call('GET', '/health/ready');
    for (const { name } of rows) await api.database.pool.query('insert into migrations (name) values ($1)', [name]);
    expect(response).toMatchObject({ code: 503, body: { message: expect.stringContaining(rows[0].name) } });
  });

  test('measures requests by route, not by path', async () => {
    await partner.call('GET', '/api/sales-partners/webhooks/404404');
    const body = await api.services.metrics.metrics();
    expect(body).toContain(
      'waypost_http_request_seconds_count{method="GET",route="/api/sales-partners/webhooks/:id",status="404"}',
    );
    expect(body).not.toContain('404404');
    expect((await api.call('GET', '/metrics')).code).toBe(404);
  });

  test('logs one line per request with partner, route and status', async () => {
    const response = await partner.call('GET', '/salespartners/webhooks?type=LOCATION_CREATED');
    const requestId = response.headers.get('x-request-id');
    await expect
      .poll(() => api.logLines.filter((line) => line.requestId === requestId))
      .toMatchObject([
        {
          event: 'request.completed',
          method: 'GET',
          route: '/api/sales-partners/webhooks',
          status: 200,
          tookMs: expect.any(Number),
          partnerId: partner.partner.id,
        },
      ]);
  });

  test('does not log health checks', async () => {
    const probe = await api.call('GET', '/health/live');
    const { headers } = await partner.call('GET', '/api/event-types');
    const requestIds = () => api.logLines.map(({ requestId }) => requestId);
    await expect.poll(requestIds).toContain(headers.get('x-request-id'));
    expect(requestIds()).not.toContain(probe.headers.get('x-request-id'));
  });

  test('does not log keys or secrets', async () => {
    const { body } = await partner.call('POST', '/api/sales-partners', { identifier: 'logged', name: 'Logged' });
    await partner.call('GET', '/api/sales-partners', undefined, { privateKey: `${partner.privateKey}x` });
    const lines = JSON.stringify(api.logLines);
    expect(lines).not.toContain(partner.privateKey);
    expect(lines).not.toContain(body.response.privateKey);
  });
});

test('responses forbid caching, framing and sniffing', async () => {
  const { headers } = await partner.call('GET', '/api/event-types');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-request-id')).not.toBe((await api.call('GET', '/health/live')).headers.get('x-request-id'));
});
