import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, describe, expect, test } from 'vitest';
import { settingsTable } from './cli/config-command.ts';
import { type Setting, settings } from './config/settings.ts';
import { ConfigurationProblem, checkServing, readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'waypost-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

function problem(env: NodeJS.ProcessEnv): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationProblem) return error.message;
    throw error;
  }
  throw new Error('This configuration was accepted.');
}

describe('values', () => {
  test('defaults to a demo installation on loopback', () => {
    expect(readConfig({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      demo: true,
      allowTargets: ['127.0.0.0/8', '::1/128'],
      requireHttps: false,
      databaseUrl: undefined,
      masterKeys: undefined,
      retrySchedule: [5, 60, 300, 1800, 7200],
      deliveryTimeoutMs: 15_000,
      leaseSeconds: 15,
    });
  });

  test('without demo mode, webhooks require HTTPS and public addresses', () => {
    expect(readConfig({ WAYPOST_DEMO: 'off' })).toMatchObject({
      demo: false,
      allowTargets: [],
      requireHttps: true,
      sandbox: false,
    });
  });

  test('variables take precedence over the demo defaults', () => {
    const given = { WAYPOST_ALLOW_TARGETS: 'none', WAYPOST_REQUIRE_HTTPS: 'on' };
    expect(readConfig(given)).toMatchObject({ demo: true, allowTargets: [], requireHttps: true });
  });

  test('an empty variable counts as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 8080, databaseUrl: undefined });
  });

  test('ignores the variables that Kubernetes adds for Services', () => {
    for (const name of ['WAYPOST', 'WAYPOST_EU']) {
      const link = 'tcp://10.96.0.7:443';
      const added = {
        [`${name}_SERVICE_HOST`]: '10.96.0.7',
        [`${name}_SERVICE_PORT`]: '443',
        [`${name}_SERVICE_PORT_API`]: '443',
        [`${name}_PORT`]: link,
        [`${name}_PORT_443_TCP`]: link,
        [`${name}_PORT_443_TCP_PROTO`]: 'tcp',
        [`${name}_PORT_443_TCP_PORT`]: '443',
        [`${name}_PORT_443_TCP_ADDR`]: '10.96.0.7',
      };
      expect(readConfig({ ...added, WAYPOST_METRICS_PORT: '9464' }).metricsPort).toBe(9464);
    }
  });

  test('reads durations in every unit', () => {
    const read = (text: string) => readConfig({ WAYPOST_RETRY_AFTER_MAX: text }).retryAfterMax;
    expect(['1500ms', '5s', '1m', '2h', '1d'].map(read)).toEqual([1.5, 5, 60, 7200, 86_400]);
  });

  test('a single address is a range of one', () => {
    const { allowTargets } = readConfig({ WAYPOST_ALLOW_TARGETS: '10.1.2.3, fd00::/8,::1' });
    expect(allowTargets).toEqual(['10.1.2.3/32', 'fd00::/8', '::1/128']);
  });

  test('the schedule none means one attempt', () => {
    expect(readConfig({ WAYPOST_RETRY_SCHEDULE: 'none' }).retrySchedule).toEqual([]);
  });

  test('the master key is 32 bytes; further keys follow after commas or line breaks', () => {
    const keys = [7, 8, 9].map((byte) => Buffer.alloc(32, byte));
    const [one = '', two = '', three = ''] = keys.map((key) => key.toString('base64'));
    expect(readConfig({ WAYPOST_MASTER_KEY: one }).masterKeys).toEqual([keys[0]]);
    expect(readConfig({ WAYPOST_MASTER_KEY: `${one}, ${two}\n${three}\n` }).masterKeys).toEqual(keys);
  });

  test('a command is a list of words, or a JSON list', () => {
    const read = (text: string) => readConfig({ WAYPOST_MASTER_KEY_COMMAND: text }).masterKeyCommand;
    expect(read('vault  kv get secret/key')).toEqual(['vault', 'kv', 'get', 'secret/key']);
    expect(read('["/opt/my tools/key", "a b", ""]')).toEqual(['/opt/my tools/key', 'a b', '']);
  });
});

describe('an invalid configuration is rejected with the setting to change', () => {
  test.each([
    ['a port that is no number', { PORT: 'http' }, 'PORT is "http": set it to a whole number from 0 to 65535.'],
    ['a port too high', { PORT: '65536' }, 'whole number from 0 to 65535'],
    ['a longer overlap than a rotation may have', { WAYPOST_KEY_OVERLAP_HOURS: '721' }, 'whole number from 0 to 720'],
    [
      'no concurrency',
      { WAYPOST_WORKER_CONCURRENCY: '0' },
      'WAYPOST_WORKER_CONCURRENCY is "0": set it to a whole number',
    ],
    ['a duration without unit', { WAYPOST_LEASE: '60' }, 'WAYPOST_LEASE is "60": set it to a duration'],
    ['a negative duration', { WAYPOST_POLL_INTERVAL: '-1s' }, 'set it to a duration from 10ms to 1h'],
    ['a range that is none', { WAYPOST_ALLOW_TARGETS: '10.0.0.0/33' }, 'set it to address ranges such as 10.0.0.0/8'],
    ['a proxy of another kind', { WAYPOST_EGRESS_PROXY: 'socks5://127.0.0.1:1080' }, 'set it to a URL without a path'],
    ['a proxy password with %', { WAYPOST_EGRESS_PROXY: 'http://a:50%@proxy.example' }, 'write % as %25'],
    ['a proxy user with %', { WAYPOST_EGRESS_PROXY: 'http://a%2:5@proxy.example' }, 'write % as %25'],
    ['a mail password with %', { WAYPOST_SMTP_URL: 'smtp://a:50%@mail.example?from=a@b.example' }, 'write % as %25'],
    ['a sender with +', { WAYPOST_SMTP_URL: 'smtp://mail.example?from=way+post@b.example' }, 'write + as %2B'],
    ['a database password with %', { DATABASE_URL: 'postgres://a:50%ff@db.example/a' }, 'write % as %25'],
    ['a name for a range', { WAYPOST_TRUSTED_PROXY: 'proxy.example' }, 'set it to address ranges'],
    ['a replica without a primary', { DATABASE_READ_URL: 'postgres://host/db' }, 'Set DATABASE_URL as well.'],
    ['a lag below the interval of checks', { DATABASE_READ_MAX_LAG: '1s' }, 'set it to a duration from 2s to 1h'],
    ['another check of files', { WAYPOST_FILES_CHECK: 'off' }, 'set it to one of require, adopt.'],
    ['a schedule out of order', { WAYPOST_RETRY_SCHEDULE: '5m,1m' }, 'durations in ascending order'],
    ['jitter above one', { WAYPOST_RETRY_JITTER: '1.5' }, 'set it to a number from 0 to 1'],
    ['a switch in other words', { WAYPOST_DEMO: 'no' }, 'WAYPOST_DEMO is "no": set it to one of on, off.'],
    ['a certificate without key', { WAYPOST_TLS_CERT: import.meta.filename }, 'Set WAYPOST_TLS_KEY as well'],
    ['a key without certificate', { WAYPOST_TLS_KEY: import.meta.filename }, 'Set WAYPOST_TLS_CERT as well'],
    ['a missing file', { WAYPOST_TLS_CERT: '/does/not/exist' }, 'set it to the path of a file that this user can read'],
    ['an endpoint without scheme', { OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4318' }, 'starts with http:// or https://.'],
    ['logs without an endpoint', { OTEL_LOGS_EXPORTER: 'otlp' }, 'Set OTEL_EXPORTER_OTLP_ENDPOINT as well.'],
    ['logs by another exporter', { OTEL_LOGS_EXPORTER: 'console' }, 'set it to one of otlp, none.'],
    ['a logs endpoint without scheme', { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'otel:4318' }, 'starts with http://'],
    ['pauses in the wrong order', { WAYPOST_BREAKER_PAUSE: '1h' }, 'WAYPOST_BREAKER_MAX_PAUSE is shorter'],
    [
      'a command that is no list of texts',
      { WAYPOST_MASTER_KEY_COMMAND: '[1]' },
      'set it to a program with its arguments',
    ],
    ['a command that is no JSON', { WAYPOST_MASTER_KEY_COMMAND: '["a"' }, 'set it to a program with its arguments'],
    ['an empty command', { WAYPOST_MASTER_KEY_COMMAND: '[]' }, 'set it to a program with its arguments'],
    [
      'two sources of the master key',
      { WAYPOST_MASTER_KEY: Buffer.alloc(32).toString('base64'), WAYPOST_MASTER_KEY_COMMAND: 'vault' },
      'WAYPOST_MASTER_KEY and WAYPOST_MASTER_KEY_COMMAND are both set. Remove one of them.',
    ],
    [
      'a master key twice',
      { WAYPOST_MASTER_KEY: `${Buffer.alloc(32).toString('base64')} ${Buffer.alloc(32).toString('base64')}` },
      'Name each key once.',
    ],
    [
      'too many master keys',
      {
        WAYPOST_MASTER_KEY: Array.from({ length: 11 }, (_, byte) => Buffer.alloc(32, byte).toString('base64')).join(),
      },
      'up to 10 in all.',
    ],
    [
      'a typing mistake',
      { WAYPOST_RATE_LIMITS: '5' },
      'WAYPOST_RATE_LIMITS is not a setting. Did you mean WAYPOST_RATE_LIMIT?',
    ],
    ['a prefix too many', { WAYPOST_PORT: '8080' }, 'WAYPOST_PORT is not a setting.'],
    [
      'an invented name',
      { WAYPOST_COLOUR_OF_THE_SKY: 'blue' },
      'WAYPOST_COLOUR_OF_THE_SKY is not a setting. Remove it.',
    ],
  ])('%s', (_, env, sentence) => {
    expect(problem(env)).toContain(sentence);
  });

  test.each([
    [
      'postgres://me:secret@/waypost?host=/run/postgresql',
      'postgres://me:secret@localhost/waypost?host=/run/postgresql',
    ],
    ['postgresql://me@/waypost?host=/tmp', 'postgresql://me@localhost/waypost?host=/tmp'],
    ['postgres://me:secret@db:5433/waypost', 'postgres://me:secret@db:5433/waypost'],
    ['postgres://me:50%@db/waypost', 'postgres://me:50%@db/waypost'],
  ])('the database may be named by its socket: %s', (given, understood) => {
    expect(readConfig({ DATABASE_URL: given }).databaseUrl).toBe(understood);
  });

  test('reports all problems at once', () => {
    expect(problem({ PORT: 'x', WAYPOST_LEASE: 'y' }).split('\n')).toHaveLength(2);
  });

  test('does not print secrets', () => {
    const refused = problem({
      WAYPOST_MASTER_KEY: `${Buffer.alloc(32).toString('base64')},c2hvcnQ=`,
      DATABASE_URL: 'mysql://me:hidden@host/db',
    });
    expect(refused).toContain('WAYPOST_MASTER_KEY is invalid: set it to 32 bytes in base64');
    expect(refused).toContain('DATABASE_URL is invalid: set it to a URL that starts with postgres://');
    expect(refused).not.toMatch(/c2hvcnQ|hidden/);
  });
});

describe('secrets in files', () => {
  const url = 'postgres://me:hidden@host/db';

  test.each(['', '\n', '\r\n'])('is read without the newline at its end (%j)', (end) => {
    expect(readConfig({ DATABASE_URL_FILE: file('url', url + end) }).databaseUrl).toBe(url);
  });

  test('every secret, and no other setting, can be given as a file', () => {
    const named = Object.values<Setting>(settings).map(({ variable }) => `${variable}_FILE`);
    const refused = problem(Object.fromEntries(named.map((variable) => [variable, join(folder, 'missing')])));
    for (const { variable, secret } of Object.values<Setting>(settings)) {
      if (secret) expect(refused).toContain(`${variable}_FILE is "${join(folder, 'missing')}", which cannot be read`);
      else if (variable.startsWith('WAYPOST_')) expect(refused).toContain(`${variable}_FILE is not a setting`);
    }
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'both forms',
      { DATABASE_URL: url, DATABASE_URL_FILE: file('url', url) },
      'DATABASE_URL and DATABASE_URL_FILE are both set. Remove one of them.',
    ],
    ['a missing file', { DATABASE_URL_FILE: '/does/not/exist' }, '"/does/not/exist", which cannot be read (ENOENT)'],
    ['a folder', { WAYPOST_AI_KEY_FILE: folder }, 'which cannot be read (EISDIR): set it to the path of a file'],
    ['an empty file', { DATABASE_URL_FILE: file('empty', '\n') }, 'which is empty. Write the value to this file.'],
    [
      'invalid content',
      { WAYPOST_MASTER_KEY_FILE: file('short', 'hidden') },
      'The content of the file of WAYPOST_MASTER_KEY_FILE is invalid: set it to 32 bytes in base64',
    ],
  ])('%s: rejected without the value', (_, env, sentence) => {
    expect(problem(env)).toContain(sentence);
    expect(problem(env)).not.toContain('hidden');
  });
});

describe('serving', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('plain HTTP is served on %s', (host) => {
    expect(() => checkServing(readConfig({ HOST: host }))).not.toThrow();
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com'])('plain HTTP is not served on %s', (host) => {
    expect(() => checkServing(readConfig({ HOST: host }))).toThrow(/Set WAYPOST_TLS_CERT and WAYPOST_TLS_KEY/);
  });

  test('a trusted proxy allows plain HTTP on other addresses', () => {
    expect(() => checkServing(readConfig({ HOST: '0.0.0.0', WAYPOST_TRUSTED_PROXY: '10.0.0.0/8' }))).not.toThrow();
  });

  test('a certificate requires its own key', async () => {
    const [ours, other] = await Promise.all([generate(), generate()]);
    const cert = file('cert.pem', ours.cert);
    const serve = (key: string) => () =>
      checkServing(readConfig({ HOST: '0.0.0.0', WAYPOST_TLS_CERT: cert, WAYPOST_TLS_KEY: file('key.pem', key) }));
    expect(serve(ours.private)).not.toThrow();
    expect(serve(other.private)).toThrow(/Set WAYPOST_TLS_CERT and WAYPOST_TLS_KEY to a certificate and its private/);
  });
});

describe('the printed table', () => {
  test('lists every setting with its default', () => {
    const table = settingsTable({});
    for (const { variable, meaning } of Object.values(settings)) {
      expect(table).toMatch(new RegExp(`^${variable} `, 'm'));
      expect(table).toContain(meaning);
    }
    expect(table).toMatch(/^PORT +8080 +8080 /m);
  });

  test('shows the file of a secret, also if it cannot be read', () => {
    const table = settingsTable({ DATABASE_URL_FILE: file('url', 'hidden'), WAYPOST_AI_KEY_FILE: '/does/not/exist' });
    expect(table).toMatch(new RegExp(`^DATABASE_URL +- +in ${join(folder, 'url')} `, 'm'));
    expect(table).toMatch(/^WAYPOST_AI_KEY +- +in \/does\/not\/exist /m);
    expect(table).not.toContain('hidden');
  });

  test('shows effective values, and hides secrets', () => {
    const table = settingsTable({ PORT: '9', DATABASE_URL: 'postgres://me:hidden@host/db', WAYPOST_DEMO: 'off' });
    expect(table).toMatch(/^PORT +8080 +9 /m);
    expect(table).toMatch(/^DATABASE_URL +- +set /m);
    expect(table).toMatch(/^WAYPOST_MASTER_KEY +- +not set /m);
    expect(table).toMatch(/^WAYPOST_REQUIRE_HTTPS +on \(demo: off\) +on /m);
    expect(table).not.toContain('hidden');
  });
});
