import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { Fleet } from '../support/fleet.ts';

const folder = join(import.meta.dirname, '../../deploy/monitoring');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

interface Dashboard {
  panels: { title: string; gridPos: { x: number; w: number }; targets: { expr: string }[] }[];
}

const dashboard: Dashboard = JSON.parse(read('dashboard.json'));
const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

const metricNames = (text: string) => new Set(text.match(/\b(?:waypost|process|nodejs)_[a-z0-9_]+/g));

describe.skipIf(spawnSync('promtool', ['--version']).error && !process.env.CI)('promtool', () => {
  const promtool = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' });

  test('accepts the alert rules and their tests', () => {
    expect(promtool('check', 'rules', join(folder, 'alerts.yml'))).toContain('SUCCESS');
    expect(promtool('test', 'rules', join(folder, 'alerts.test.yml'))).toContain('SUCCESS');
  });

  test('accepts the expressions of the dashboard', () => {
    const rules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = join(temporaryFolder(), 'rules.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(promtool('check', 'rules', file)).toContain(`${expressions.length} rules found`);
  });
});

/** The metrics of the installation in docs/observability.md. */
function installationMetrics(): Set<string> {
  const text = readFileSync(join(folder, '../../docs/observability.md'), 'utf8');
  const [, table = ''] = text.slice(text.indexOf('Metrics of the **installation**')).split('\n\n');
  return metricNames(table);
}

test('alerts and dashboard never add up metrics of the installation', () => {
  const installation = installationMetrics();
  expect(installation.size).toBeGreaterThan(5);
  const rules = read('alerts.yml').replaceAll(/^ *(summary|description):.*$/gm, '');
  const uses = [...`${rules}\n${expressions.join('\n')}`.matchAll(/(\S+(?: by \([^)]*\))? ?\()?(waypost_[a-z_]+)/g)];
  const ofInstallation = uses.filter(([, , name = '']) => installation.has(name));
  expect(ofInstallation.length).toBeGreaterThan(8);
  for (const [use, aggregation = ''] of ofInstallation) expect(aggregation, use).toMatch(/max( by \([^)]*\) )?\($/);
});

test('every alert has a test in which it fires and one in which it does not', () => {
  const alerts = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const tests = read('alerts.test.yml');
  expect(alerts.length).toBeGreaterThan(5);
  for (const name of alerts) {
    expect(tests).toMatch(new RegExp(`alertname: ${name}\n +exp_alerts`));
    expect(tests).toContain(`alertname: ${name} }`);
  }
});

test('alerts and dashboard use metrics that the service exports', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create({ WAYPOST_METRICS_PORT: '0', PORT: '0', WAYPOST_LOG_FORMAT: 'json' });
  const service = fleet.start('start', { DATABASE_READ_URL: fleet.database.url });
  const url = await service.waitForOutput(/Metrics at (\S+\/metrics)/);
  await service.waitForOutput(/service\.started/);
  const text = await (await fetch(url)).text();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]));
  const isExported = (name: string) =>
    types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';
  for (const used of [metricNames(read('alerts.yml')), metricNames(expressions.join('\n'))]) {
    expect(used.size).toBeGreaterThan(5);
    expect([...used].filter((name) => !isExported(name))).toEqual([]);
  }
  expect(text).toMatch(/^waypost_build_info\{version="[^"]+",role="start",node="[^"]+"\} 1$/m);
  for (const pool of ['request', 'job', 'delivery']) {
    expect(text).toMatch(new RegExp(`^waypost_database_connections_max\\{pool="${pool}"\\} [1-9]`, 'm'));
  }
  const documented = metricNames(readFileSync(join(folder, '../../docs/observability.md'), 'utf8'));
  const own = [...types.keys()].filter((name) => name.startsWith('waypost_'));
  expect(own.filter((name) => !documented.has(name))).toEqual([]);
  expect(await service.interrupt()).toMatchObject({ code: 0 });
});
