import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addBusiness, exampleLocation } from '../../../../test/support/locations.ts';
import { addUser, type TestUser } from '../../../../test/support/users.ts';
import { features, roles } from '../../../http/access.ts';
import { createLocation } from '../../locations/create-location.ts';
import { defaultFeatures, fieldGroups } from './user.ts';

const path = '/api/users';
const password = 'correct horse battery';
let api: TestApi;
let partner: TestPartner;
let child: TestPartner;
let stranger: TestPartner;
let admin: TestUser;
let emails = 0;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  child = await api.addPartner(partner);
  stranger = await api.addPartner();
  admin = await addUser(api, partner, { role: 'ADMIN', email: 'admin@example.com', password });
});
afterAll(() => api.close());

const newEmail = () => `new-${++emails}@example.com`;
const at = ({ user }: TestUser) => `${path}/${user.id}`;
const read = async (who: TestUser) => (await partner.call('GET', at(who))).body.response;
/** User creation is rate limited by partner. */
const create = async (body: object, by?: TestPartner) =>
  (by ?? (await api.addPartner())).call('POST', path, { role: 'ADMIN', ...body });
const logInWith = (email: string, given: string) => api.call('POST', `${path}/login`, { email, password: given });

async function place(who: TestPartner) {
  // Creating locations enqueues jobs, which need their tables.
  await runJobs(api.database);
  const { id: businessId } = await addBusiness(who);
  const actor = { partner: who.partner, by: 'PRIVATE_TOKEN' };
  return api.database.transaction((sql) => createLocation(sql, actor, 'API', { ...exampleLocation, businessId }));
}

describe('creating', () => {
  test('applies defaults and returns no secrets', async () => {
    const email = newEmail();
    const { code, body } = await create({ email, role: 'LOCATION_MANAGER', password }, partner);
    expect(code).toBe(200);
    expect(body.response).toEqual({
      id: expect.any(Number),
      email,
      name: '',
      role: 'LOCATION_MANAGER',
      status: 'ACTIVE',
      language: 'en',
      alertEmails: false,
      features: defaultFeatures.LOCATION_MANAGER,
      featuresDetailed: { LOCATION_WRITE: fieldGroups },
      businessIds: [],
      locationIds: [],
      dateCreated: expect.any(String),
      lastUpdated: expect.any(String),
    });
    expect(await logInWith(email, password)).toMatchObject({ code: 200 });
    const { rows } = await api.database.pool.query('select users::text as row from users where email = $1', [email]);
    expect(rows[0].row).toContain('$argon2id$');
    expect(rows[0].row).not.toContain(password);
  });

  test('accepts all fields', async () => {
    const business = await addBusiness(partner);
    const wanted = {
      email: newEmail(),
      name: 'Åsa Lindström',
      role: 'BUSINESS_MANAGER',
      status: 'INACTIVE',
      language: 'sv-SE',
      features: ['LOCATION_READ', 'LOCATION_WRITE'],
      featuresDetailed: { LOCATION_WRITE: ['ADDRESS', 'OPENING_HOURS'] },
      businessIds: [business.id],
    };
    const { code, body } = await create(wanted, partner);
    expect(code).toBe(200);
    expect(body.response).toMatchObject(wanted);
  });

  test('write features include read features, and administrators have all', async () => {
    const narrow = { email: newEmail(), role: 'LOCATION_MANAGER', features: ['INBOX_WRITE', 'INBOX_WRITE'] };
    expect((await create(narrow)).body.response).toMatchObject({
      features: ['INBOX_READ', 'INBOX_WRITE'],
      featuresDetailed: {},
    });
    const boss = { email: newEmail(), features: ['INBOX_READ'], featuresDetailed: { LOCATION_WRITE: [] } };
    expect((await create(boss)).body.response).toMatchObject({
      features,
      featuresDetailed: { LOCATION_WRITE: fieldGroups },
    });
  });

  test('an e-mail address is unique per partner, ignoring case, even for concurrent requests', async () => {
    const email = newEmail();
    const who = await api.addPartner();
    const responses = await Promise.all([email, email.toUpperCase(), email].map((one) => create({ email: one }, who)));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
    expect(responses.find(({ code }) => code === 409)?.body).toMatchObject({
      status: 'CONFLICT',
      errors: [{ field: 'email', rule: 'unique' }],
    });
  });

  test("accepts an e-mail address of another partner's user, and both can sign in", async () => {
    const email = newEmail();
    const other = await api.addPartner();
    const theirs = await other.call('POST', '/api/users', { email, role: 'ADMIN', password: 'theirs-is-a-secret' });
    const ours = await create({ email, password: 'ours-is-another-one' });
    expect([theirs.code, ours.code]).toEqual([200, 200]);
    const signedIn = async (body: object) =>
      (await api.call('POST', '/api/users/login', body)).body.response?.user.id as number | undefined;
    expect(await signedIn({ email, password: 'theirs-is-a-secret' })).toBe(theirs.body.response.id);
    expect(await signedIn({ email, password: 'ours-is-another-one' })).toBe(ours.body.response.id);
    expect(await signedIn({ email, privateKey: other.privateKey })).toBe(theirs.body.response.id);
    expect(await signedIn({ email, password: 'neither-of-the-two' })).toBeUndefined();
  });

  test.each([
    [{ email: 'invalid' }, 'INVALID_PARAMETER', 'email'],
    [{ email: 'a b@example.com' }, 'INVALID_PARAMETER', 'email'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'INVALID_PARAMETER', 'email'],
    [{ role: 'KING' }, 'INVALID_PARAMETER', 'role'],
    [{ role: null }, 'MISSING_PARAMETER', 'role'],
    [{ email: '' }, 'MISSING_PARAMETER', 'email'],
    [{ password: 'short' }, 'INVALID_PARAMETER', 'password'],
    [{ password: 'x'.repeat(201) }, 'INVALID_PARAMETER', 'password'],
    [{ language: 'English' }, 'INVALID_PARAMETER', 'language'],
    [{ features: ['FLY'] }, 'INVALID_PARAMETER', 'features[0]'],
    [{ featuresDetailed: { LOCATION_WRITE: ['ROOF'] } }, 'INVALID_PARAMETER', 'featuresDetailed.LOCATION_WRITE[0]'],
    [{ businessIds: [0] }, 'INVALID_PARAMETER', 'businessIds[0]'],
    [{ businessIds: [999_999] }, 'INVALID_PARAMETER', 'businessIds'],
    [{ locationIds: [999_999] }, 'INVALID_PARAMETER', 'locationIds'],
  ])('rejects %j', async (given, status, field) => {
    const email = newEmail();
    const { code, body } = await create({ email, ...given });
    expect({ code, status: body.status }).toEqual({ code: 400, status });
    expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect(JSON.stringify(body)).not.toContain('xxxx');
    expect(await api.database.pool.query('select from users where email = $1', [email])).toMatchObject({ rowCount: 0 });
  });

  test('rejects businesses and locations of other partners', async () => {
    const [own, foreign] = [await place(partner), await place(stranger)];
    const { code, body } = await admin.call('POST', path, {
      email: newEmail(),
      role: 'LOCATION_MANAGER',
      businessIds: [own.businessId, foreign.businessId],
      locationIds: [foreign.id, own.id],
    });
    expect(code).toBe(400);
    expect(body.errors).toEqual([
      {
        field: 'businessIds',
        rule: 'exists',
        message: expect.stringMatching(new RegExp(`: ${foreign.businessId}\\.$`)),
      },
      { field: 'locationIds', rule: 'exists', message: expect.stringMatching(new RegExp(`: ${foreign.id}\\.$`)) },
    ]);
  });

  test('limits creation to ten users per ten seconds, without counting idempotent repeats', async () => {
    const who = await api.addPartner();
    const first = { email: newEmail(), role: 'ADMIN' };
    const once = { 'Idempotency-Key': 'once' };
    const { body } = await who.call('POST', path, first, once);
    for (let user = 1; user < 10; user++) expect((await create({ email: newEmail() }, who)).code).toBe(200);
    const refused = await create({ email: newEmail() }, who);
    expect(refused).toMatchObject({
      code: 429,
      body: { status: 'QUOTA_LIMIT_EXCEED', message: expect.stringContaining('10 s') },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await who.call('POST', path, first, once)).toMatchObject({ code: 200, body });
    expect(await create({ email: newEmail() })).toMatchObject({ code: 200 });
  });
});

describe('permissions', () => {
  const others = roles.filter((role) => role !== 'ADMIN');

  test.each(others)('%s can access only their own user', async (role) => {
    const them = await addUser(api, partner, { role, password });
    expect(await them.call('GET', at(them))).toMatchObject({
      code: 200,
      body: { response: { id: them.user.id, role } },
    });
    expect(await them.call('GET', `${path}/me`)).toMatchObject({ code: 200, body: { response: { id: them.user.id } } });
    expect(await them.call('PATCH', at(them), { name: 'New', language: 'de' })).toMatchObject({
      code: 200,
      body: { response: { name: 'New', language: 'de' } },
    });
    const refused = [
      await them.call('GET', path),
      await them.call('POST', path, { email: newEmail(), role: 'ADMIN' }),
      await them.call('GET', at(admin)),
      await them.call('GET', `${path}/999999`),
      await them.call('PATCH', at(admin), { name: 'Mine' }),
      await them.call('DELETE', at(admin)),
      await them.call('DELETE', at(them)),
    ];
    for (const response of refused) expect(response).toMatchObject({ code: 403, body: { status: 'FORBIDDEN' } });
  });

  test.each([
    { role: 'ADMIN' },
    { features: ['LOCATION_WRITE'] },
    { featuresDetailed: null },
    { businessIds: [1] },
    { locationIds: [1] },
    { status: 'INACTIVE' },
    { alertEmails: true },
    { email: 'other@example.com' },
    { name: 'Fine', role: 'ADMIN' },
  ])('users cannot give themselves %j', async (body) => {
    const them = await addUser(api, partner, { role: 'LOCATION_MANAGER' });
    const before = await read(them);
    expect(await them.call('PATCH', at(them), body)).toMatchObject({ code: 403 });
    expect(await them.call('PUT', at(them), body)).toMatchObject({ code: 403 });
    expect(await read(them)).toEqual(before);
  });

  test('users can write back their own record as they read it', async () => {
    const them = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    const before = await read(them);
    expect(await them.call('PUT', at(them), { ...before, name: 'New Name' })).toMatchObject({ code: 200 });
    const { lastUpdated, ...after } = await read(them);
    expect(before).toMatchObject({ ...after, name: before.name });
    expect(after.name).toBe('New Name');
    expect(await them.call('PUT', at(them), { ...before, role: 'ADMIN' })).toMatchObject({ code: 403 });
  });

  test("users of other partners are not found; a parent's key can read but not change users of child partners", async () => {
    const ofChild = await addUser(api, child, { role: 'ADMIN' });
    const before = (await child.call('GET', at(ofChild))).body.response;
    expect(await partner.call('GET', at(ofChild))).toMatchObject({ code: 200 });
    for (const who of [partner, admin, stranger]) {
      for (const response of [
        ...(who === partner ? [] : [await who.call('GET', at(ofChild))]),
        await who.call('PATCH', at(ofChild), { name: 'Mine' }),
        await who.call('DELETE', at(ofChild)),
      ]) {
        expect(response).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
      }
    }
    expect(await ofChild.call('GET', at(admin))).toMatchObject({ code: 404 });
    expect((await child.call('GET', at(ofChild))).body.response).toEqual(before);
    const { body } = await child.call('GET', path);
    expect(body.response).toMatchObject({ count: 1, users: [{ id: ofChild.user.id }] });
  });
});

test('deleting a user ends their sessions and frees their e-mail address', async () => {
  const them = await addUser(api, partner, { role: 'ADMIN' });
  expect(await them.call('GET', at(them))).toMatchObject({ code: 200 });
  expect(await admin.call('DELETE', at(them))).toMatchObject({ code: 200, body: { response: { success: true } } });
  expect(await them.call('GET', `${path}/me`)).toMatchObject({ code: 401, body: { status: 'BAD_ACCESS_TOKEN' } });
  expect(await admin.call('GET', at(them))).toMatchObject({ code: 404 });
  expect(await admin.call('DELETE', at(them))).toMatchObject({ code: 404 });
  expect(await create({ email: them.user.email })).toMatchObject({ code: 200 });
});

test('filters and pages the list', async () => {
  const who = await api.addPartner();
  const wanted = [
    { role: 'ADMIN', email: 'zoe@list.example' },
    { role: 'LOCATION_MANAGER', email: 'yann@list.example' },
    { role: 'LOCATION_MANAGER', email: '100%_x@list.example' },
  ] as const;
  for (const user of wanted) await addUser(api, who, user);
  const found = async (query: string) => {
    const { response } = (await who.call('GET', `${path}?${query}`)).body;
    return { ...response, users: response.users.map(({ email }: { email: string }) => email.split('@')[0]) };
  };
  expect(await found('')).toMatchObject({ count: 3, countIsExact: true, users: ['zoe', 'yann', '100%_x'] });
  expect(await found('role=ADMIN')).toMatchObject({ count: 1, users: ['zoe'] });
  expect(await found('role=ADMIN,LOCATION_MANAGER&status=INACTIVE')).toMatchObject({ count: 0, users: [] });
  expect(await found('query=%25_')).toMatchObject({ users: ['100%_x'] });
  expect(await found('query=YANN')).toMatchObject({ users: ['yann'] });
  const page = await found('max=2');
  expect(page).toMatchObject({ count: 3, users: ['zoe', 'yann'], after: expect.any(Number) });
  expect(await found(`max=2&after=${page.after}`)).toMatchObject({ users: ['100%_x'] });
  expect(await found('offset=1&max=1')).toMatchObject({ users: ['yann'] });
  expect(await found('sort=name')).toMatchObject({ users: ['100%_x', 'yann', 'zoe'] });
  expect(await found('sort=role&order=DESC')).toMatchObject({ users: ['100%_x', 'yann', 'zoe'] });
  await api.database.pool.query("update users set last_login = now() where email = 'yann@list.example'");
  const latest = await found('sort=lastLogin&order=DESC&max=1');
  expect(latest).toMatchObject({ users: ['yann'] });
  expect(await found(`sort=lastLogin&order=DESC&after=${latest.after}`)).toMatchObject({ users: ['100%_x', 'zoe'] });
  await who.call('DELETE', `${path}/${latest.after}`);
  expect(await found(`after=${latest.after}`)).toMatchObject({ users: ['100%_x'] });
  expect(await who.call('GET', `${path}?sort=name&after=${latest.after}`)).toMatchObject({
    code: 400,
    body: { errors: [{ field: 'after' }] },
  });
});

test('lists features and the defaults of each role', async () => {
  const { code, body } = await partner.call('GET', '/api/features');
  expect(code).toBe(200);
  expect(body.response.features.map(({ name }: { name: string }) => name)).toEqual(features);
  for (const { description } of body.response.features) expect(description).toMatch(/\w/);
  expect(Object.keys(body.response.defaultFeatures)).toEqual(roles);
  expect(body.response.defaultFeatures).toMatchObject({
    ADMIN: features,
    LOCATION_MANAGER: [
      'LOCATION_READ',
      'LOCATION_WRITE',
      'INBOX_READ',
      'INBOX_WRITE',
      'SOCIAL_POST_READ',
      'ASSET_READ',
    ],
  });
});

test('passwords are not logged', () => {
  const log = JSON.stringify(api.logLines);
  for (const secret of [password, 'another long secret', admin.accessToken]) {
    expect(log).not.toContain(secret);
  }
});
