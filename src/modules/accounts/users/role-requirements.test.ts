import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addUser, type TestUser } from '../../../../test/support/users.ts';
import { isAliasPath } from '../../../api/openapi/examples.ts';
import { roles } from '../../../http/access.ts';

describe('role requirements', () => {
  let api: TestApi;
  let partner: TestPartner;
  const users = new Map<string, TestUser>();

  beforeAll(async () => {
    api = await TestApi.start({ WAYPOST_EMIT_EXAMPLES: 'on' });
    partner = await api.addPartner();
    for (const role of roles) users.set(role, await addUser(api, partner, { role }));
  });
  afterAll(() => api.close());

  test('every write route declares the required role or feature', () => {
    const open = api.server.routeRecords
      .filter(
        ({ method, path, access, needs }) => method !== 'GET' && access !== 'public' && !needs && !isAliasPath(path),
      )
      .map(({ method, path }) => `${method} ${path}`);
    // They check access to the user's own records themselves.
    expect(open.sort()).toEqual([
      'DELETE /api/users/:id/all-sessions',
      'PATCH /api/users/:id',
      'POST /api/tasks/:id/cancel',
      'POST /api/users/login',
      'POST /api/users/logout',
      'PUT /api/users/:id',
    ]);
  });

  const callsOf = (method: string, path: string) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    return [method, path.replace(/:\w+/g, '1'), body] as const;
  };

  test('every route that requires a permission rejects users without it', async () => {
    const { call } = await addUser(api, partner, { role: 'LOCATION_MANAGER', features: [] });
    const declared = api.server.routeRecords.filter(({ access, needs }) => access === 'partner' && needs);
    expect(declared.length).toBeGreaterThan(100);
    for (const { method, path, needs } of declared) {
      const { code, body } = await call(...callsOf(method, path));
      expect({ route: `${method} ${path}`, code }).toEqual({ route: `${method} ${path}`, code: 403 });
      expect(body.message).toContain(needs);
    }
  });

  test('every route for account managers rejects other roles', async () => {
    const declared = api.server.routeRecords.filter(({ accountManager }) => accountManager);
    expect(declared.length).toBeGreaterThan(5);
    for (const { method, path, accountManager } of declared) {
      for (const role of ['BUSINESS_MANAGER', 'LOCATION_MANAGER']) {
        const { call } = users.get(role) as TestUser;
        expect(await call(...callsOf(method, path))).toMatchObject({
          code: 403,
          body: { message: `${accountManager}, you need the role ADMIN or ACCOUNT_MANAGER. Your role is ${role}.` },
        });
      }
      const { call } = users.get('ACCOUNT_MANAGER') as TestUser;
      expect((await call(...callsOf(method, path))).code).not.toBe(403);
    }
  });

  const webhooks = '/api/sales-partners/webhooks';
  const routes = [
    ['GET', webhooks],
    ['POST', webhooks],
    ['GET', `${webhooks}/999999`],
    ['PATCH', `${webhooks}/999999`],
    ['DELETE', `${webhooks}/999999`],
    ['POST', `${webhooks}/999999/rotate-secret`],
    ['POST', `${webhooks}/999999/test`],
    ['GET', `${webhooks}/999999/deliveries`],
    ['GET', `${webhooks}/999999/statistics`],
    ['POST', `${webhooks}/999999/replay`],
    ['GET', `${webhooks}/999999/replays`],
    ['GET', `${webhooks}/999999/replays/1`],
    ['POST', `${webhooks}/999999/replays/1/cancel`],
    ['GET', '/api/events'],
    ['GET', '/api/events/999999'],
    ['GET', '/api/deliveries/1-1'],
    ['POST', '/api/deliveries/1-1/retry'],
    ['POST', '/api/deliveries/1-1/discard'],
    ['POST', '/api/event-types/LOCATION_CREATED/emit'],
    ['POST', '/api/sales-partners'],
    ['PUT', '/api/sales-partners/999999'],
    ['POST', '/api/sales-partners/999999/rotate-private-key'],
    ['GET', '/api/audit-trail'],
    ['GET', '/api/users'],
    ['POST', '/api/users'],
    ['DELETE', '/api/users/999999'],
  ] as const;

  test.each(routes)('%s %s', async (method, path) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    for (const [role, { call }] of users) {
      const response = await call(method, path, body);
      if (role === 'ADMIN') expect(response.code).not.toBe(403);
      else
        expect(response).toMatchObject({
          code: 403,
          body: { status: 'FORBIDDEN', message: expect.stringContaining(role) },
        });
    }
    expect((await partner.call(method, path, body)).code).not.toBe(403);
  });

  test.each(['/api/event-types', '/api/features', '/api/sales-partners', '/api/users/me'])(
    'GET %s is open to all signed-in users',
    async (path) => {
      for (const { call } of users.values()) expect(await call('GET', path)).toMatchObject({ code: 200 });
    },
  );
});
