import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../../test/support/cli.ts';
import { Fleet } from '../../test/support/fleet.ts';
import { Sealer } from '../events/signing/sealer.ts';
import { createPartner } from '../modules/accounts/index.ts';

/** An installation with its master key in the data folder, and one partner. */
async function storedInstallation() {
  const { database, environment } = await Fleet.create();
  const dataDir = temporaryFolder();
  const path = join(dataDir, 'master.key');
  await writeFile(path, `${environment.WAYPOST_MASTER_KEY}\n`);
  const env = { DATABASE_URL: database.url, WAYPOST_DATA_DIR: dataDir };
  const keys = async () => (await readFile(path, 'utf8')).trimEnd().split('\n');
  const status = async () => JSON.parse((await runCli(['keys', 'status', '--json'], env)).stdout);
  await runCli(['keys', 'reseal'], env);
  return { database, env, dataDir, path, keys, status };
}

const fingerprintOf = (key = '') => new Sealer(Buffer.from(key, 'base64')).current.fingerprint;

test('rotates the key of the data folder and removes the former one', { timeout: 60_000 }, async () => {
  const { env, dataDir, path, keys, status } = await storedInstallation();
  const [first] = await keys();
  const former = fingerprintOf(first);
  expect(await status()).toEqual([{ fingerprint: former, state: 'current', values: 1, processes: 0 }]);

  const rotated = await runCli(['keys', 'rotate'], env);
  const [second, ...others] = await keys();
  const current = fingerprintOf(second);
  expect(rotated).toEqual({
    code: 0,
    stdout: `The new master key is ${current}. Restart Waypost to use it.\n`,
    stderr: '',
  });
  expect(others).toEqual([first]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['master.key']);
  const inUse = await runCli(['keys', 'remove', former], env);
  expect(inUse).toMatchObject({ code: 1, stderr: expect.stringContaining(`${former} is in use: 1 values are`) });
  const newest = await runCli(['keys', 'remove', current], env);
  expect(newest).toMatchObject({ code: 1, stderr: expect.stringContaining('is the current key. Rotate it first.') });

  expect(await runCli(['keys', 'reseal'], env)).toMatchObject({
    code: 0,
    stdout: `1 values were encrypted again with ${current}.\n`,
  });
  const { stdout } = await runCli(['keys', 'status'], env);
  expect(stdout.split('\n')).toEqual([
    'fingerprint       state    values  processes',
    `${current}  current  1       0`,
    `${former}  unused   0       0`,
    '',
  ]);
  expect(await runCli(['keys', 'remove', former], env)).toMatchObject({ code: 0 });
  expect(await keys()).toEqual([second]);
  expect(await runCli(['partners', 'list'], env)).toMatchObject({ code: 0 });
  expect(await status()).toEqual([{ fingerprint: current, state: 'current', values: 1, processes: 0 }]);
});

test('refuses a rotation that would write more keys than a start accepts', { timeout: 60_000 }, async () => {
  const { env, path, keys } = await storedInstallation();
  const newKeys = (count: number) => Array.from({ length: count }, () => randomBytes(32).toString('base64'));
  const full = [...(await keys()), ...newKeys(9)];
  await writeFile(path, full.join('\n'));
  const rotate = await runCli(['keys', 'rotate'], env);
  expect(rotate).toMatchObject({ code: 1, stderr: expect.stringContaining('master.key has 10 keys, the maximum.') });
  expect(await keys()).toEqual(full);
  await writeFile(path, [...newKeys(1), ...full].join('\n'));
  await expect(runCli(['keys', 'status'], env)).rejects.toThrow(`${path} has more than 10 keys. Restore`);
});

test('names a missing key', { timeout: 60_000 }, async () => {
  const { env, keys } = await storedInstallation();
  const [first] = await keys();
  const other = { ...env, WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') };
  const status = await runCli(['keys', 'status'], other);
  expect(status).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Keys are missing: ${fingerprintOf(first)}.`),
  });
  expect(status.stdout).toMatch(new RegExp(`^${fingerprintOf(first)} +missing +1 +0$`, 'm'));
  await expect(runCli(['keys', 'reseal'], other)).rejects.toThrow(
    `The master key with the fingerprint ${fingerprintOf(first)} is missing. 1 values`,
  );
});

test('reseal reports values that cannot be decrypted', { timeout: 60_000 }, async () => {
  const { database, env } = await storedInstallation();
  const other = new Sealer(randomBytes(32), { unmarked: 'none' });
  await createPartner(database.pool, other, { identifier: 'other', name: 'Other' });
  const { partner } = await createPartner(database.pool, other, { identifier: 'damaged', name: 'Damaged' });
  await database.pool.query('update partner_keys set sealed = $1 where partner_id = $2', [randomBytes(60), partner.id]);
  await runCli(['keys', 'rotate'], env);
  const { code, stdout, stderr } = await runCli(['keys', 'reseal'], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^1 values were encrypted again/) });
  const key = other.current.fingerprint;
  expect(stderr).toContain(`Some values cannot be decrypted: 1 need the missing key ${key}, 1 are damaged.`);
});

test('reads the key from a command', { timeout: 60_000 }, async () => {
  const { database, env, path } = await storedInstallation();
  const fromCommand = { DATABASE_URL: database.url, WAYPOST_MASTER_KEY_COMMAND: JSON.stringify(['cat', path]) };
  expect(await runCli(['keys', 'status'], fromCommand)).toMatchObject({
    code: 0,
    stdout: (await runCli(['keys', 'status'], env)).stdout,
  });
  const rotate = await runCli(['keys', 'rotate'], fromCommand);
  expect(rotate).toMatchObject({ code: 1, stderr: expect.stringContaining('is not in master.key, but configured') });
  await expect(runCli(['partners', 'list'], { ...fromCommand, WAYPOST_MASTER_KEY_COMMAND: 'false' })).resolves.toEqual({
    code: 1,
    stdout: '',
    stderr: 'waypost partners: WAYPOST_MASTER_KEY_COMMAND: false failed (exit code 1).\n',
  });
});

test.each([
  ['no action', [], 'The action is missing. Actions: status, rotate, reseal, remove.'],
  ['no fingerprint', ['remove'], 'The fingerprint is missing.'],
])('refuses %s', async (_, args, sentence) => {
  expect(await runCli(['keys', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});
