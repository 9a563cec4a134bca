import { randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { runCli } from '../../test/support/cli.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';

let database: Database;
let api: TestApi;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await TestApi.start({}, database);
  env = { DATABASE_URL: database.url, WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') };
});
afterAll(() => api.close());

const partners = (...args: string[]) => runCli(['partners', ...args], env);

/** The printed values by name. */
const printed = (stdout: string): Record<string, string> =>
  Object.fromEntries(stdout.split('\n').map((line) => line.split(/ +/) as [string, string]));

async function create(identifier: string, ...args: string[]): Promise<Record<string, string>> {
  const { code, stdout } = await partners('create', '--identifier', identifier, '--name', 'A Partner', ...args);
  expect(code).toBe(0);
  return printed(stdout);
}

const codeWith = async (privateKey = '') => (await api.call('GET', '/api/event-types', undefined, { privateKey })).code;

const auditOf = async ({ privateKey = '' }: Record<string, string>) =>
  (await api.call('GET', '/api/audit-trail?subject=SALES_PARTNER', undefined, { privateKey })).body.response.entries;

describe('create', () => {
  test('creates a partner with a valid key', async () => {
    const { id, identifier, privateKey, publicKey } = await create('hansekontor');
    expect(identifier).toBe('hansekontor');
    const response = await api.call('GET', `/api/sales-partners/${id}`, undefined, { privateKey });
    expect(response.body.response).toMatchObject({ identifier: 'hansekontor', name: 'A Partner', publicKey });
  });

  test('creates a child of a parent', async () => {
    const parent = await create('parent');
    const child = await create('child', '--parent', parent.id ?? '');
    const response = await api.call('GET', `/api/sales-partners/${child.id}`, undefined, {
      privateKey: parent.privateKey,
    });
    expect(response.body.response).toMatchObject({ identifier: 'child', parent: Number(parent.id) });
    expect(await auditOf(parent)).toMatchObject([
      { actor: 'SYSTEM', action: 'CREATED', subjectId: Number(child.id), details: { identifier: 'child' } },
      { actor: 'SYSTEM', action: 'CREATED', subjectId: Number(parent.id) },
    ]);
  });

  test('creates an admin whose password is printed once and stored as a hash', async () => {
    const { id, adminEmail, adminPassword = '' } = await create('with-admin', '--admin-email', 'Admin@Example.test');
    const { rows } = await database.pool.query('select * from users where partner_id = $1', [id]);
    expect(rows).toMatchObject([{ email: adminEmail, role: 'ADMIN' }]);
    expect(await verify(rows[0].password_hash, adminPassword)).toBe(true);
  });

  test('accepts the e-mail address of an administrator of another partner', async () => {
    await create('first', '--admin-email', 'shared@example.test');
    expect(await create('second', '--admin-email', 'SHARED@example.test')).toMatchObject({
      adminEmail: 'SHARED@example.test',
    });
  });

  test.each([
    ['an identifier in use', ['--identifier', 'taken', '--name', 'X'], 1, 'The identifier "taken" is already in use.'],
    [
      'a parent that is not there',
      ['--identifier', 'x', '--name', 'X', '--parent', '999'],
      1,
      'There is no partner 999.',
    ],
    ['no identifier', ['--name', 'X'], 2, '--identifier is missing.'],
    ['no name', ['--identifier', 'x'], 2, '--name is missing.'],
    ['an invalid identifier', ['--identifier', 'a b', '--name', 'X'], 2, '--identifier is "a b", which is invalid.'],
    ['an empty name', ['--identifier', 'x', '--name', ' '], 2, '--name is " ", which is invalid.'],
    ['a parent by name', ['--identifier', 'x', '--name', 'X', '--parent', 'acme'], 2, '--parent is "acme"'],
    ...['me', 'me@localhost', `me@${'m'.repeat(250)}.example`].map((email): [string, string[], number, string] => [
      `the e-mail address ${email.slice(0, 20)}`,
      ['--identifier', 'x', '--name', 'X', '--admin-email', email],
      2,
      'set it to an e-mail address',
    ]),
  ])('refuses %s', async (_, args, code, sentence) => {
    if (args.includes('taken')) await create('taken');
    const ended = await partners('create', ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
  });
});

test('list shows every partner, children below their parents, and no key', async () => {
  const top = await create('list-top');
  await create('list-other');
  await create('list-child', '--parent', top.id ?? '');
  const { code, stdout } = await partners('list');
  expect(code).toBe(0);
  const shown = stdout.split('\n').filter((line) => line.includes('list-'));
  expect(shown.map((line) => line.split(/ +/)[1])).toEqual(['list-top', 'list-child', 'list-other']);
  expect(shown[1]).toContain(`child of ${top.id}`);
  expect(stdout).not.toContain(top.privateKey);
});

describe('rotate-key', () => {
  test('creates a key; both are valid during the overlap', async () => {
    const { id = '', privateKey } = await create('rotating');
    const { code, stdout } = await partners('rotate-key', id, '--overlap-hours', '2');
    expect(code).toBe(0);
    const rotated = printed(stdout);
    expect(await codeWith(privateKey)).toBe(200);
    expect(await codeWith(rotated.privateKey)).toBe(200);
    expect((Date.parse(rotated.signsFrom ?? '') - Date.now()) / 3_600_000).toBeCloseTo(2, 1);
    const [latest] = await auditOf(rotated);
    expect(latest).toMatchObject({ actor: 'SYSTEM', action: 'KEY_ROTATED', details: { overlapHours: 2 } });
  });

  test('with an overlap of 0, a running server rejects the old key', async () => {
    const { id = '', privateKey } = await create('switching');
    expect(await codeWith(privateKey)).toBe(200);
    await partners('rotate-key', id, '--overlap-hours', '0');
    await expect.poll(() => codeWith(privateKey)).toBe(401);
  });

  test.each([
    ['no partner', [], 2, 'The partner id is missing.'],
    ['an unknown partner', ['999'], 1, 'There is no partner 999.'],
    ['a name', ['acme'], 2, 'ID is "acme"'],
    ['half an hour too few', ['1', '--overlap-hours', '-1'], 2, '--overlap-hours'],
    ['more than a month', ['1', '--overlap-hours', '721'], 2, 'a whole number from 0 to 720'],
  ])('refuses %s', async (_, args, code, sentence) => {
    const ended = await partners('rotate-key', ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
  });

  test('explains how to end a rotation in progress', async () => {
    const { id = '' } = await create('twice');
    await partners('rotate-key', id);
    const { code, stderr } = await partners('rotate-key', id);
    expect(code).toBe(1);
    expect(stderr).toContain('A rotation is in progress');
  });
});

test.each([
  [[], 'Actions: create, list, rotate-key, emails, move.'],
  [['delete', '7'], 'Actions: create, list, rotate-key, emails, move.'],
  [['list', '--name', 'x'], 'There is no option --name.'],
])('rejects %j', async (args, sentence) => {
  const { code, stderr } = await partners(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});

test('reports an invalid configuration', async () => {
  const { code, stderr } = await runCli(['partners', 'list'], { ...env, PORT: 'x' });
  expect(code).toBe(1);
  expect(stderr).toContain('PORT is "x": set it to a whole number');
});
