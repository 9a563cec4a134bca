import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

const hasSystemd = !spawnSync('systemd-analyze', ['--version']).error;

test.skipIf(!hasSystemd)('systemd accepts the unit and rates it as hardened', () => {
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
