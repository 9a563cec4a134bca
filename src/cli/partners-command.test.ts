import { randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { runToEnd } from './command-process.ts';

let database: Database;
let api: TestApi;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await TestApi.start({}, database);
  env = { DATABASE_URL: database.url, WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') };
});
afterAll(() => api.close());

const partners = (...args: string[]) => runToEnd(['partners', ...args], env);

/** What a command has printed, by name. */
const printed = (stdout: string): Record<string, string> =>
  Object.fromEntries(stdout.split('\n').map((line) => line.split(/ +/) as [string, string]));

async function create(identifier: string, ...args: string[]): Promise<Record<string, string>> {
  const { code, stdout } = await partners('create', '--identifier', identifier, '--name', 'A Partner', ...args);
  expect(code).toBe(0);
  return printed(stdout);
}

const codeWith = async (privateKey = '') => (await api.call('GET', '/api/event-types', undefined, { privateKey })).code;

describe('create', () => {
  test('makes a partner whose key works at once', async () => {
    const { id, identifier, privateKey, publicKey } = await create('hansekontor');
    expect(identifier).toBe('hansekontor');
    const answer = await api.call('GET', `/api/sales-partners/${id}`, undefined, { privateKey });
    expect(answer.body.response).toMatchObject({ identifier: 'hansekontor', name: 'A Partner', publicKey });
  });

  test('with a parent makes a child', async () => {
    const parent = await create('parent');
    const child = await create('child', '--parent', parent.id ?? '');
    const answer = await api.call('GET', `/api/sales-partners/${child.id}`, undefined, {
      privateKey: parent.privateKey,
    });
    expect(answer.body.response).toMatchObject({ identifier: 'child', parent: Number(parent.id) });
  });

  test('with an e-mail address makes an admin whose password is shown once and kept as a hash', async () => {
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
    [
      'an identifier that is taken',
      ['--identifier', 'taken', '--name', 'X'],
      1,
      'The identifier "taken" is already in use.',
    ],
    [
      'a parent that is not there',
      ['--identifier', 'x', '--name', 'X', '--parent', '999'],
      1,
      'There is no partner 999.',
    ],
    ['no identifier', ['--name', 'X'], 2, '--identifier is missing.'],
    ['no name', ['--identifier', 'x'], 2, '--name is missing.'],
    ['a strange identifier', ['--identifier', 'a b', '--name', 'X'], 2, '--identifier is "a b", which does not fit.'],
    ['an empty name', ['--identifier', 'x', '--name', ' '], 2, '--name is " ", which does not fit.'],
    ['a parent by name', ['--identifier', 'x', '--name', 'X', '--parent', 'acme'], 2, '--parent is "acme"'],
    [
      'no e-mail address',
      ['--identifier', 'x', '--name', 'X', '--admin-email', 'me'],
      2,
      'set it to an e-mail address',
    ],
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
  test('issues a key; both are valid during the overlap', async () => {
    const { id = '', privateKey } = await create('rotating');
    const { code, stdout } = await partners('rotate-key', id, '--overlap-hours', '2');
    expect(code).toBe(0);
    const rotated = printed(stdout);
    expect(await codeWith(privateKey)).toBe(200);
    expect(await codeWith(rotated.privateKey)).toBe(200);
    expect((Date.parse(rotated.signsFrom ?? '') - Date.now()) / 3_600_000).toBeCloseTo(2, 1);
  });

  test('with an overlap of 0, a running server refuses the old key from then on', async () => {
    const { id = '', privateKey } = await create('switching');
    expect(await codeWith(privateKey)).toBe(200);
    await partners('rotate-key', id, '--overlap-hours', '0');
    await expect.poll(() => codeWith(privateKey)).toBe(401);
  });

  test.each([
    ['nobody', [], 2, 'Whose key?'],
    ['somebody who is not there', ['999'], 1, 'There is no partner 999.'],
    ['a name', ['acme'], 2, 'ID is "acme"'],
    ['half an hour too few', ['1', '--overlap-hours', '-1'], 2, '--overlap-hours'],
    ['more than a month', ['1', '--overlap-hours', '721'], 2, 'a whole number from 0 to 720'],
  ])('refuses %s', async (_, args, code, sentence) => {
    const ended = await partners('rotate-key', ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
  });

  test('says how to end a rotation that is under way', async () => {
    const { id = '' } = await create('twice');
    await partners('rotate-key', id);
    const { code, stderr } = await partners('rotate-key', id);
    expect(code).toBe(1);
    expect(stderr).toContain('A rotation is under way');
  });
});

test.each([
  [[], 'Say what to do: create, list, rotate-key.'],
  [['delete', '7'], 'Say what to do: create, list, rotate-key.'],
  [['list', '--name', 'x'], 'There is no option --name.'],
])('%j makes no sense', async (args, sentence) => {
  const { code, stderr } = await partners(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});

test('configuration that makes no sense is said', async () => {
  const { code, stderr } = await runToEnd(['partners', 'list'], { ...env, PORT: 'x' });
  expect(code).toBe(1);
  expect(stderr).toContain('PORT is "x": set it to a whole number');
});
