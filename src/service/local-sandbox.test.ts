import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { TestControl } from '../../test/support/sandbox.ts';
import { processesOf } from '../../test/support/sandbox-processes.ts';
import { readConfig } from '../config.ts';
import { knownSandbox, openSandbox } from './local-sandbox.ts';

const soon = { timeout: 20_000, interval: 50 };
const log = pino({ level: 'silent' });

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-beside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(dataDir: string, settings: NodeJS.ProcessEnv = {}) {
  const sandbox = await openSandbox(readConfig({ WAYPOST_DATA_DIR: dataDir, ...settings }), log);
  if (!sandbox) throw new Error('There is no sandbox.');
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= sandbox.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { access: sandbox.access, control: new TestControl(sandbox.access), stop };
}

const profile = { name: 'Zum Anker', street: 'Kai', city: 'Kiel', country: 'DE' };

test('runs a child process with its state in the data folder and stops it on exit', async () => {
  const dataDir = newFolder();
  const first = await open(dataDir);
  const { id } = await first.control.addListing('GOOGLE', profile);
  expect((await first.control.status()).life).toBe(true);
  expect(JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))).toEqual({
    url: first.access.url(),
    key: first.access.key,
  });
  expect(statSync(join(dataDir, 'sandbox.json')).mode & 0o777).toBe(0o600);
  await first.stop();
  expect(await processesOf(dataDir)).toEqual([]);

  const second = await open(dataDir);
  expect(second.access.key).toBe(first.access.key);
  expect((await second.control.listing('GOOGLE', id)).profile).toEqual(profile);
});

test('a new network has no activity outside demo mode', async () => {
  const { control } = await open(newFolder(), { WAYPOST_DEMO: 'off', WAYPOST_SANDBOX: 'on' });
  expect((await control.status()).life).toBe(false);
});

test('restarts a killed network with its state', async () => {
  const dataDir = newFolder();
  const { control } = await open(dataDir);
  const { id } = await control.addListing('GOOGLE', profile);
  const [pid = 0] = await processesOf(dataDir);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => control.listing('GOOGLE', id).catch(() => undefined), soon).toMatchObject({ id });
  expect(await processesOf(dataDir)).not.toContain(pid);
});

test('processes with one data folder share the network, and one takes over when its owner exits', async () => {
  const dataDir = newFolder();
  const first = await open(dataDir);
  const second = await open(dataDir);
  expect(second.access.url()).toBe(first.access.url());
  expect(await processesOf(dataDir)).toHaveLength(1);
  const { id } = await first.control.addListing('GOOGLE', profile);
  await first.stop();
  await expect.poll(() => second.control.listing('GOOGLE', id).catch(() => undefined), soon).toMatchObject({ id });
});

test('concurrent first starts use one key, and a process without a network finds it', async () => {
  const dataDir = newFolder();
  const known = knownSandbox(readConfig({ WAYPOST_DATA_DIR: dataDir }));
  expect(known?.isKnown?.()).toBe(false);
  const [first, second] = await Promise.all([open(dataDir), open(dataDir)]);
  expect(known?.isKnown?.()).toBe(true);
  for (const { control } of [first, second]) expect(await control.status()).toMatchObject({ life: true });
  expect(second.access.key).toBe(first.access.key);
  expect({ url: known?.url(), key: known?.key }).toEqual({ url: first.access.url(), key: first.access.key });
});

test.each(['sandbox.lock', 'sandbox.json'])(
  'a data folder in which %s cannot be written ends nothing, and the network comes when it can be',
  async (name) => {
    const dataDir = newFolder();
    mkdirSync(join(dataDir, name));
    const { control } = await open(dataDir);
    // It may have been started, until its files could not be written.
    await expect.poll(() => processesOf(dataDir), soon).toEqual([]);
    rmSync(join(dataDir, name), { recursive: true });
    await expect.poll(() => control.status().catch(() => undefined), soon).toMatchObject({ life: true });
  },
);

test('uses the configured URL, and none if disabled', async () => {
  const settings = { WAYPOST_SANDBOX_URL: 'http://sandbox.example/', WAYPOST_SANDBOX_KEY: 'k' };
  const { access } = await open(newFolder(), settings);
  expect([access.url(), access.key]).toEqual(['http://sandbox.example', 'k']);
  expect(await openSandbox(readConfig({ WAYPOST_SANDBOX: 'off' }), log)).toBe(undefined);
});

test('a URL requires a key', () => {
  expect(() => readConfig({ WAYPOST_SANDBOX_URL: 'http://sandbox.example' })).toThrow(
    'Set WAYPOST_SANDBOX_KEY as well',
  );
});
