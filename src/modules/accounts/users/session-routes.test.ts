import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addUser, signIn, type TestUser } from '../../../../test/support/users.ts';
import { Job } from '../../../jobs/job.ts';
import { setPartnerStatus } from '../partners/partner-store.ts';
import { usersChannel } from './user-store.ts';

const login = '/api/users/login';
const password = 'correct horse battery';
let api: TestApi;
let partner: TestPartner;
let child: TestPartner;
let stranger: TestPartner;
let user: TestUser;

// Sign-ins are limited by IP address: each test uses its own forwarded address.
let address = 0;
const from = () => ({ 'x-forwarded-for': `10.0.0.${address}` });
const attemptLogin = (body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', login, body, { ...from(), ...headers });

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_TRUSTED_PROXY: '127.0.0.1/32', WAYPOST_SESSION_LIFETIME: '1h' });
  partner = await api.addPartner();
  child = await api.addPartner(partner);
  stranger = await api.addPartner();
  user = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', email: 'Anna@Example.com', password });
});
beforeEach(() => {
  address++;
});
afterAll(() => api.close());

const codeOf = async (accessToken: string) =>
  (await api.call('GET', '/api/users/me', undefined, { accessToken, ...from() })).code;

/** Moves the timestamps of all sessions of a user into the past. */
const age = async (id: number, seconds: number) => {
  await api.database.pool.query(
    `update user_sessions set date_created = date_created - make_interval(secs => $2),
       last_used = last_used - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2)
     where user_id = $1`,
    [id, seconds],
  );
  api.database.notifications.raise(usersChannel);
};
const expiryOf = async (id: number) => {
  const { rows } = await api.database.pool.query<{ seconds: number }>(
    `select extract(epoch from max(expires_at) - now())::float8 as seconds from user_sessions where user_id = $1`,
    [id],
  );
  return rows[0]?.seconds as number;
};

describe('signing in', () => {
  test.each(['Anna@Example.com', 'anna@example.com', ' ANNA@EXAMPLE.COM '])(
    'with %s and the password',
    async (email) => {
      const { code, body } = await attemptLogin({ email, password });
      expect(code).toBe(200);
      const { accessToken, expires, user: signedIn } = body.response;
      expect(accessToken).toMatch(/^[\w-]{43}$/);
      expect(Date.parse(expires) - Date.now()).toBeGreaterThan(3_590_000);
      expect(signedIn).toMatchObject({ id: user.user.id, email: 'Anna@Example.com', role: 'ACCOUNT_MANAGER' });
      expect(signedIn.lastLogin).toBeDefined();
      expect(await codeOf(accessToken)).toBe(200);
    },
  );

  test("with email or userId and the partner's key, in the body or as a header", async () => {
    const { privateKey } = partner;
    const userId = user.user.id;
    const responses = [
      await attemptLogin({ email: 'anna@example.com', privateKey }),
      await attemptLogin({ userId, privateKey }),
      await attemptLogin({ email: 'anna@example.com' }, { privateKey }),
      await attemptLogin({ userId }, { 'x-api-key': privateKey }),
    ];
    for (const { code, body } of responses) {
      expect(code).toBe(200);
      expect(body.response.user.id).toBe(userId);
      expect(await codeOf(body.response.accessToken)).toBe(200);
    }
  });

  test('an unknown address, a wrong password, no password and an inactive user get the same response', async () => {
    await addUser(api, partner, { role: 'ADMIN', email: 'keyonly@example.com' });
    const off = await addUser(api, partner, { role: 'LOCATION_MANAGER', email: 'off@example.com', password });
    await partner.call('PATCH', `/api/users/${off.user.id}`, { status: 'INACTIVE' });
    const responses = [
      await attemptLogin({ email: 'anna@example.com', password: 'wrong password' }),
      await attemptLogin({ email: 'missing@example.com', password }),
      await attemptLogin({ email: 'keyonly@example.com', password }),
      await attemptLogin({ email: 'off@example.com', password }),
      await attemptLogin({ email: "' or 1=1 --", password }),
    ];
    for (const { code, body } of responses) {
      expect({ code, body }).toEqual({ code: responses[0]?.code, body: responses[0]?.body });
    }
    expect(responses[0]).toMatchObject({ code: 401, body: { status: 'NOT_AUTHORIZED' } });
  });

  test('rejects a wrong password even with a valid private key', async () => {
    const response = await attemptLogin(
      { email: 'anna@example.com', password: 'wrong' },
      { privateKey: partner.privateKey },
    );
    expect(response).toMatchObject({ code: 401, body: { status: 'NOT_AUTHORIZED' } });
  });

  test('a private key signs in only users of its own partner', async () => {
    const foreign = [];
    for (const { privateKey } of [stranger, child]) {
      foreign.push(await attemptLogin({ email: 'anna@example.com', privateKey }));
      foreign.push(await attemptLogin({ userId: user.user.id, privateKey }));
      foreign.push(await attemptLogin({ email: 'missing@example.com', privateKey }));
    }
    const ofChild = await addUser(api, child, { role: 'ADMIN' });
    foreign.push(await attemptLogin({ userId: ofChild.user.id, privateKey: partner.privateKey }));
    for (const { code, body } of foreign) expect({ code, body }).toEqual({ code: 401, body: foreign[0]?.body });
    expect(await attemptLogin({ userId: user.user.id, privateKey: 'wrong' })).toMatchObject({
      code: 401,
      body: { status: 'BAD_PRIVATE_KEY' },
    });
  });

  test.each([
    [{}, 'email'],
    [{ email: 'anna@example.com' }, 'password'],
    [{ userId: 1 }, 'password'],
    [{ userId: 1, password }, 'password'],
    [{ password }, 'email'],
    [{ email: null, password: '' }, 'email'],
  ])('rejects %j', async (body, field) => {
    expect(await attemptLogin(body)).toMatchObject({
      code: 400,
      body: { status: 'MISSING_PARAMETER', errors: [{ field }], message: expect.stringContaining('privateKey') },
    });
  });

  test('rejects a password of the wrong type without repeating it in the message', async () => {
    const { code, body } = await attemptLogin({ email: 'anna@example.com', password: 198_401 });
    expect({ code, status: body.status }).toEqual({ code: 400, status: 'WRONG_PARAMETER_TYPE' });
    expect(JSON.stringify(body)).not.toContain('198401');
  });

  test('limits sign-ins to ten per minute and IP address', async () => {
    const codes = [];
    for (let login = 0; login < 11; login++) {
      codes.push(
        (await attemptLogin({ userId: user.user.id, privateKey: login % 2 ? partner.privateKey : 'wrong' })).code,
      );
    }
    expect(codes).toEqual([401, 200, 401, 200, 401, 200, 401, 200, 401, 200, 429]);
    const refused = await attemptLogin({ email: 'anna@example.com', password });
    expect(refused).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    address++;
    expect(await attemptLogin({ email: 'anna@example.com', password })).toMatchObject({ code: 200 });
  });

  test('counts addresses of one IPv6 network together', async () => {
    const loginFrom = (host: string) =>
      api.call('POST', login, { userId: 1, privateKey: 'wrong' }, { 'x-forwarded-for': host });
    for (let host = 1; host <= 10; host++) expect((await loginFrom(`2001:db8:1:2:${host}::1`)).code).toBe(401);
    expect((await loginFrom('2001:db8:1:2:ffff::1')).code).toBe(429);
    expect((await loginFrom('2001:db8:1:3::1')).code).toBe(401);
  });

  test.each([
    ['of a user', 'guessed@example.com'],
    ['that no user has', 'unknown@example.com'],
  ])('delays repeated attempts for an e-mail address %s', async (_, email) => {
    if (email === 'guessed@example.com') await addUser(api, partner, { role: 'ADMIN', email, password });
    const guess = (secret: string) => {
      address++;
      return attemptLogin({ email, password: secret });
    };
    const pass = () => api.database.pool.query("update login_attempts set blocked_until = now() - interval '1 second'");
    for (let attempt = 0; attempt < 6; attempt++) expect((await guess('wrong-password')).code).toBe(401);
    const blocked = await guess('wrong-password');
    expect(blocked).toMatchObject({ code: 429, body: { message: expect.stringContaining('this e-mail address') } });
    expect(Number(blocked.headers.get('retry-after'))).toBeLessThanOrEqual(2);
    expect((await guess(password)).code).toBe(429);
    expect(await attemptLogin({ email: 'anna@example.com', password })).toMatchObject({ code: 200 });
    for (let attempt = 0; attempt < 8; attempt++) {
      await pass();
      expect((await guess('wrong-password')).code).toBe(401);
    }
    const waits = Number((await guess(password)).headers.get('retry-after'));
    expect(waits).toBeGreaterThan(30);
    expect(waits).toBeLessThanOrEqual(60);
    await pass();
    expect((await guess(password)).code).toBe(email === 'guessed@example.com' ? 200 : 401);
  });

  test('a sign-in does not clear the attempts against a user of another partner', async () => {
    const email = 'shared@example.com';
    await addUser(api, partner, { role: 'ADMIN', email, password });
    const own = { email, password: 'another long password' };
    await addUser(api, stranger, { role: 'ADMIN', ...own });
    const codesOf = async (attempts: { email: string; password: string }[]) => {
      const codes: number[] = [];
      for (const attempt of attempts) {
        address++;
        codes.push((await attemptLogin(attempt)).code);
      }
      return codes;
    };
    const wrong = { email, password: 'wrong-password' };
    expect(await codesOf(Array(8).fill(own))).toEqual(Array(8).fill(200));
    expect(await codesOf([wrong, wrong, wrong, own, wrong, wrong, own, wrong, wrong])).toEqual([
      401, 401, 401, 200, 401, 401, 200, 401, 429,
    ]);
  });

  test('counts the attempts of all spellings of an address that find the same user', async () => {
    await addUser(api, partner, { role: 'ADMIN', email: 'victim@example.com', password });
    for (let attempt = 0; attempt < 6; attempt++) {
      address++;
      expect((await attemptLogin({ email: 'victim@example.com', password: 'wrong-password' })).code).toBe(401);
    }
    // The database changes this letter to i, JavaScript to i with a dot above.
    expect((await attemptLogin({ email: 'v\u0130ctim@example.com', password })).code).toBe(429);
  });

  test('the response has the API version of the partner', async () => {
    const old = await api.addPartner();
    expect(await old.call('PUT', `/api/sales-partners/${old.partner.id}`, { apiVersion: '20190104' })).toMatchObject({
      code: 200,
    });
    const { user: them } = await addUser(api, old, { role: 'ADMIN', email: 'old@example.com', password });
    const { body, headers } = await attemptLogin({ email: them.email, password });
    expect(headers.get('x-api-version')).toBe('20190104');
    const { accessToken, user: signedIn } = body.response;
    const me = await api.call('GET', '/api/users/me', undefined, { accessToken, ...from() });
    expect(signedIn).toEqual(me.body.response);
    const asked = await attemptLogin({ email: them.email, password }, { 'x-api-version': '20260713' });
    expect(asked.headers.get('x-api-version')).toBe('20260713');
  });

  test('deactivating a partner ends the sessions of its users and prevents sign-in', async () => {
    const gone = await api.addPartner();
    const them = await addUser(api, gone, { role: 'ADMIN', email: 'gone@example.com', password });
    expect(await codeOf(them.accessToken)).toBe(200);
    await setPartnerStatus(api.database.pool, gone.partner.identifier, 'INACTIVE');
    api.database.notifications.raise('waypost_partners');
    expect(await codeOf(them.accessToken)).toBe(401);
    expect(await attemptLogin({ email: 'gone@example.com', password })).toMatchObject({ code: 401 });
  });

  test('records the sign-in in the audit log without secrets', async () => {
    await attemptLogin({ userId: user.user.id, privateKey: partner.privateKey });
    const { body } = await partner.call('GET', `/api/audit-trail?subject=USER&subjectId=${user.user.id}&max=1`);
    expect(body.response.entries[0]).toMatchObject({
      action: 'LOGGED_IN',
      actor: 'Anna@Example.com',
      details: { by: 'privateKey' },
    });
  });
});

describe('sessions', () => {
  test('each sign-in starts a session and signing out ends only that session', async () => {
    const [one, two] = [await signIn(api, user.user.email), await signIn(api, user.user.email)];
    expect(one.accessToken).not.toBe(two.accessToken);
    expect(await codeOf(one.accessToken)).toBe(200);
    expect(await one.call('POST', '/api/users/logout')).toMatchObject({
      code: 200,
      body: { response: { success: true } },
    });
    expect(await one.call('GET', '/api/users/me')).toMatchObject({ code: 401, body: { status: 'BAD_ACCESS_TOKEN' } });
    expect(await one.call('POST', '/api/users/logout')).toMatchObject({ code: 401 });
    expect(await codeOf(two.accessToken)).toBe(200);
  });

  test('an unused session expires and a used session is extended', async () => {
    const lazy = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    const busy = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    await age(busy.user.id, 2000);
    expect(await codeOf(busy.accessToken)).toBe(200);
    expect(await expiryOf(busy.user.id)).toBeGreaterThan(3500);
    await age(busy.user.id, 2000);
    expect(await codeOf(busy.accessToken)).toBe(200);
    await age(lazy.user.id, 3601);
    expect(await codeOf(lazy.accessToken)).toBe(401);
    await age(lazy.user.id, -3601);
    expect(await codeOf(lazy.accessToken)).toBe(200);
  });

  test('a session expires after 30 days even if it is used', async () => {
    const busy = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    await api.database.pool.query(
      "update user_sessions set date_created = now() - interval '30 days' + interval '90 s', last_used = now() - interval '30 min' where user_id = $1",
      [busy.user.id],
    );
    api.database.notifications.raise(usersChannel);
    expect(await codeOf(busy.accessToken)).toBe(200);
    expect(await expiryOf(busy.user.id)).toBeLessThan(91);
  });

  test('does not write to the database on every request', async () => {
    const calm = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    await age(calm.user.id, 60);
    const before = await expiryOf(calm.user.id);
    expect(await codeOf(calm.accessToken)).toBe(200);
    expect(await expiryOf(calm.user.id)).toBeLessThanOrEqual(before);
  });

  test('the job deletes only expired sessions', async () => {
    const old = await addUser(api, partner, { role: 'ADMIN' });
    const young = await addUser(api, partner, { role: 'ADMIN' });
    await age(old.user.id, 4000);
    await runJobs(api.database);
    await api.database.transaction((sql) => new Job('users.forget-expired-sessions').enqueue(sql, {}));
    await runJobs(api.database);
    await age(old.user.id, -4000);
    expect(await codeOf(old.accessToken)).toBe(401);
    expect(await codeOf(young.accessToken)).toBe(200);
  });

  test('stores only hashes of tokens', async () => {
    const { rows } = await api.database.pool.query<{ row: string }>(
      `select user_sessions::text || encode(token_hash, 'escape') || encode(token_hash, 'base64') as row
       from user_sessions`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ row }) => row).join()).not.toContain(user.accessToken);
  });
});

describe('ending all sessions of a user', () => {
  const end = (who: { call: TestPartner['call'] }, id: number) => who.call('DELETE', `/api/users/${id}/all-sessions`);

  test('the user, an administrator or the partner can end them immediately', async () => {
    const admin = await addUser(api, partner, { role: 'ADMIN' });
    const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
    for (const by of ['self', 'admin', 'partner']) {
      const sessions = [await signIn(api, them.user.email), await signIn(api, them.user.email)];
      for (const { accessToken } of sessions) expect(await codeOf(accessToken)).toBe(200);
      const who = by === 'self' ? (sessions[0] as TestUser) : by === 'admin' ? admin : partner;
      const { code, body } = await end(who, them.user.id);
      expect(code).toBe(200);
      expect(body.response).toMatchObject({ success: true });
      expect(body.response.endedSessions).toBeGreaterThanOrEqual(2);
      for (const { accessToken } of sessions) expect(await codeOf(accessToken)).toBe(401);
    }
    expect(await codeOf(admin.accessToken)).toBe(200);
  });

  test('other users cannot, and users of other partners are not found', async () => {
    const other = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    const ofChild = await addUser(api, child, { role: 'ADMIN' });
    expect(await end(other, user.user.id)).toMatchObject({ code: 403 });
    expect(await end(stranger, user.user.id)).toMatchObject({ code: 404 });
    expect(await end(partner, ofChild.user.id)).toMatchObject({ code: 404 });
    expect(await end(partner, 999_999)).toMatchObject({ code: 404 });
    expect(await codeOf(ofChild.accessToken)).toBe(200);
  });
});

test('a private key has no user: logout and "me" are rejected', async () => {
  for (const [method, path] of [
    ['GET', '/api/users/me'],
    ['POST', '/api/users/logout'],
  ] as const) {
    expect(await partner.call(method, path)).toMatchObject({
      code: 401,
      body: { status: 'NOT_AUTHORIZED', message: expect.stringContaining('/api/users/login') },
    });
  }
});

test('passwords, tokens and keys are not logged', async () => {
  const { accessToken } = (await attemptLogin({ email: 'anna@example.com', password })).body.response;
  const { privateKey } = partner;
  await attemptLogin({ email: 'anna@example.com', password: 'not her password' });
  await attemptLogin({ userId: user.user.id, privateKey });
  await attemptLogin({ email: 'anna@example.com', password: `${password}\0` });
  await api.call('GET', '/api/users/me', undefined, { accessToken });
  await api.call('GET', '/api/users/me', undefined, { authorization: `Bearer ${accessToken}` });
  await api.call('GET', '/api/users/me', undefined, { accessToken: `${accessToken}x`, privateKey });
  await expect.poll(() => api.logLines.filter(({ route }) => route === '/api/users/me').length).toBeGreaterThan(2);
  const log = JSON.stringify(api.logLines);
  expect(log).toContain('/api/users/login');
  for (const secret of [password, 'not her password', accessToken, privateKey]) expect(log).not.toContain(secret);
});
