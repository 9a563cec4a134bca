import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const isRoot = process.getuid?.() === 0;
const owner = userInfo().username;
const user = isRoot ? 'nobody' : owner;
const program = `
  const { openPlatform } = await import(${JSON.stringify(new URL('open-platform.ts', import.meta.url).href)});
  const { readConfig } = await import(${JSON.stringify(new URL('../config.ts', import.meta.url).href)});
  process.chdir('/');
  if (process.getuid() === 0) {
    process.setgroups([]);
    process.setgid(65534);
    process.setuid(65534);
  }
  const log = { info() {}, warn() {} };
  await openPlatform(readConfig({ WAYPOST_DATA_DIR: process.argv[1] }), log).then(
    (platform) => platform.close(),
    (error) => console.log(error.constructor.name + ': ' + error.message),
  );
`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-data-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

/** The message of a start as a user other than root. */
async function said(dataDir: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, dataDir]);
  return stdout.trim();
}

test('reports the owner, the user and a fix for a read-only data folder', async () => {
  const dataDir = join(folder, 'closed');
  await mkdir(dataDir);
  await chmod(dataDir, 0o500);
  const remedy = isRoot ? `Run Waypost as ${owner}, change the owner with "chown -R ${user}` : 'Give this user access';
  const message = await said(dataDir);
  expect(message).toContain(`ConfigurationProblem: The data folder ${dataDir} cannot be used (EACCES).`);
  expect(message).toContain(`It belongs to ${owner}, and Waypost runs as ${user}. ${remedy}`);
  expect(message).toContain('set WAYPOST_DATA_DIR');
});

test('reports the parent of a data folder that cannot be created', async () => {
  const above = join(folder, 'above');
  await mkdir(above);
  await chmod(above, 0o500);
  const message = await said(join(above, 'data'));
  expect(message).toContain(`${above} belongs to ${owner}, and Waypost runs as ${user}.`);
});

test.runIf(isRoot)('a file that another user left in the data folder is named', async () => {
  const dataDir = join(folder, 'mixed');
  await mkdir(dataDir);
  await chmod(dataDir, 0o777);
  const lock = join(dataDir, 'postgres-door.lock');
  await writeFile(lock, '', { mode: 0o600 });
  const message = await said(dataDir);
  expect(message).toContain(`ConfigurationProblem: ${lock} in the data folder cannot be used (EACCES).`);
  expect(message).toContain(`It belongs to ${owner}, and Waypost runs as ${user}.`);
});
