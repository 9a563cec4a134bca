import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { bakery } from '../../../../test/support/locations.ts';
import { NearMeScene } from '../../../../test/support/near-me.ts';

let scene: NearMeScene;
let partner: TestPartner;
beforeAll(async () => {
  scene = await NearMeScene.open();
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

describe('categories', () => {
  const list = (query: string, headers: Record<string, string> = { publicKey: partner.partner.publicKey }) =>
    scene.api.call('GET', `/api/near-me-check/categories${query}`, undefined, headers);

  test('are searched by words in a language with the public key', async () => {
    const { code, body, headers } = await list('?language=de&query=bäckerei');
    expect(code).toBe(200);
    expect(body.response.categories[0]).toEqual({ id: bakery, name: 'Bäckerei' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect((await list('?query=bakery')).body.response.categories[0]).toEqual({ id: bakery, name: 'Bakery' });
  });

  test('are paginated', async () => {
    const first = (await list('?max=3')).body.response;
    expect(first.categories).toHaveLength(3);
    const second = (await list('?max=3&offset=2')).body.response;
    expect(second.categories[0]).toEqual(first.categories[2]);
    expect(second.count).toBe(first.count);
  });

  test('require a valid public key and a supported language', async () => {
    expect(await list('', {})).toMatchObject({ code: 401, body: { status: 'NOT_AUTHORIZED' } });
    expect(await list('', { publicKey: 'pk_x' })).toMatchObject({ code: 401, body: { status: 'BAD_PUBLIC_KEY' } });
    expect(await list('?language=xx')).toMatchObject({ code: 400, body: { errors: [{ field: 'language' }] } });
  });
});

describe('a report', () => {
  test('returns id and token in the response and at the top level, also for a repeated Idempotency-Key', async () => {
    const business = scene.business();
    const first = await scene.requestReport(partner, business, { 'idempotency-key': 'one' });
    expect(first.body).toEqual({
      status: 'SUCCESS',
      id: expect.any(Number),
      token: expect.stringMatching(/^[\w-]{32}$/),
      response: { id: first.body.id, token: first.body.token },
    });
    expect((await scene.requestReport(partner, business, { 'idempotency-key': 'one' })).body).toEqual(first.body);
    expect(await scene.requestReport(partner, business, { origin: 'https://shop.example' })).toMatchObject({
      code: 200,
    });
    await scene.runJobs();
  });
});

describe('access', () => {
  test('requires the token of the report and no key', async () => {
    const begun = await scene.startReport(partner, scene.business());
    const other = await scene.startReport(partner, scene.business());
    const { code, headers } = await scene.read(begun);
    expect(code).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('no-store');
    for (const token of [other.token, 'x', `${begun.token}x`, begun.token.slice(0, -1)]) {
      expect(await scene.read({ id: begun.id, token })).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    }
    expect(await scene.read({ id: 999_999_999, token: begun.token })).toMatchObject({ code: 404 });
    const tokenless = await scene.api.call('GET', `/api/report/${begun.id}`);
    expect(tokenless).toMatchObject({ code: 400, body: { status: 'MISSING_PARAMETER', errors: [{ field: 'token' }] } });
    await scene.runJobs();
  });

  test('is denied for the key of another partner, even with the token', async () => {
    const begun = await scene.startReport(partner, scene.business());
    const stranger = await scene.api.addPartner();
    expect(await scene.read(begun, { publicKey: stranger.partner.publicKey })).toMatchObject({ code: 404 });
    expect(await scene.read(begun, { publicKey: partner.partner.publicKey })).toMatchObject({ code: 200 });
    await scene.runJobs();
  });

  test('stores only a hash of the token', async () => {
    const begun = await scene.startReport(partner, scene.business());
    const { rows } = await scene.query('select row_to_json(r)::text as row from near_me_reports r where id = $1', [
      begun.id,
    ]);
    expect(rows[0].row).not.toContain(begun.token);
    await scene.runJobs();
  });

  test('path aliases work', async () => {
    const begun = await scene.startReport(partner, scene.business());
    for (const path of [`/report/${begun.id}`, `/api/report/${begun.id}`, `/Report/${begun.id}/`]) {
      expect(await scene.api.call('GET', `${path}?token=${begun.token}`)).toMatchObject({ code: 200 });
    }
    const { body } = await scene.api.call('GET', `/api/report/${begun.id}?token=${begun.token}&colour=red`);
    expect(body.warnings).toEqual(['Unknown query parameter ignored: colour.']);
    await scene.runJobs();
  });
});

describe('bad input', () => {
  test.each([
    [{ name: undefined }, 'name', 'required'],
    [{ streetAndNo: ' ' }, 'streetAndNo', 'pattern'],
    [{ city: 'x'.repeat(101) }, 'city', 'maxLength'],
    [{ country: 'XX' }, 'country', 'country'],
    [{ zip: '123' }, 'zip', 'zip'],
    [{ categoryId: 1 }, 'categoryId', 'known'],
    [{ phone: '12' }, 'phone', 'phone'],
    [{ website: 'javascript:alert(1)' }, 'website', 'url'],
  ])('rejects %j: %s, %s', async (changes, field, rule) => {
    const response = await scene.requestReport(partner, scene.business(changes));
    expect(response).toMatchObject({ code: 400, body: { errors: [expect.objectContaining({ field, rule })] } });
  });

  test('any origin can send requests, also with an Idempotency-Key', async () => {
    const asked = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    for (const path of ['/api/report', '/api/report/1', '/api/near-me-check/categories']) {
      const { code, headers } = await scene.api.call('OPTIONS', path, undefined, asked);
      expect(code).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-headers')).toContain('idempotency-key');
    }
  });

  test('a private key is rejected', async () => {
    const { privateKey } = partner;
    const response = await scene.api.call('POST', '/api/report', scene.business(), { privateKey });
    expect(response).toMatchObject({ code: 401 });
  });
});

describe('quotas', () => {
  const open = (env: NodeJS.ProcessEnv) =>
    TestApi.start(
      { WAYPOST_TRUSTED_PROXY: '127.0.0.1', WAYPOST_DEMO: 'off', WAYPOST_SANDBOX: 'on', ...env },
      scene.api.database,
    );
  const from = (api: TestApi, { partner: { publicKey } }: TestPartner, address: string) =>
    api.call('POST', '/api/report', scene.business(), { publicKey, 'x-forwarded-for': address });

  test('per client network and hour, across keys; an IPv6 /64 counts as one', async () => {
    const api = await open({ WAYPOST_NEAR_ME_REPORTS_PER_VISITOR: '2' });
    try {
      const other = await scene.api.addPartner();
      expect(await from(api, partner, '203.0.113.7')).toMatchObject({ code: 200 });
      expect(await from(api, other, '203.0.113.7')).toMatchObject({ code: 200 });
      const refused = await from(api, partner, '203.0.113.7');
      expect(refused).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await from(api, partner, '203.0.113.8')).toMatchObject({ code: 200 });
      expect(await from(api, partner, '2001:db8:1:2::1')).toMatchObject({ code: 200 });
      expect(await from(api, partner, '2001:db8:1:2:ffff::1')).toMatchObject({ code: 200 });
      expect(await from(api, partner, '2001:db8:1:2:abcd::5')).toMatchObject({ code: 429 });
      expect(await from(api, partner, '2001:db8:1:3::1')).toMatchObject({ code: 200 });
    } finally {
      await api.server.close();
    }
  });

  test('per partner and hour, across clients, without storing rejected reports', async () => {
    const api = await open({ WAYPOST_NEAR_ME_REPORTS_PER_HOUR: '2' });
    try {
      const busy = await scene.api.addPartner();
      expect(await from(api, busy, '198.51.100.1')).toMatchObject({ code: 200 });
      expect(await from(api, busy, '198.51.100.2')).toMatchObject({ code: 200 });
      expect(await from(api, busy, '198.51.100.3')).toMatchObject({ code: 429 });
      const { rows } = await scene.query('select count(*)::int as count from near_me_reports where partner_id = $1', [
        busy.partner.id,
      ]);
      expect(rows[0].count).toBe(2);
      expect(await from(api, await scene.api.addPartner(), '198.51.100.4')).toMatchObject({ code: 200 });
    } finally {
      await api.server.close();
    }
  });
});
