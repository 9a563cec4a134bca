import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';
import { connectTls } from '../support/tls-client.ts';

const soon = { timeout: 30_000, interval: 50 };
const type = 'LOCATION_CREATED';

interface Credentials {
  baseUrl: string;
  privateKey: string;
}

/** A request with a private key; returns the status and the body. */
async function call({ baseUrl, privateKey }: Credentials, method: string, path: string, body?: object) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { privateKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const subscribe = (to: Credentials, pushUrl: string) =>
  call(to, 'POST', '/api/sales-partners/webhooks', { pushUrl, type });

const emit = (to: Credentials) => call(to, 'POST', `/api/event-types/${type}/emit`, {});

const ready = ({ baseUrl }: Credentials) =>
  fetch(`${baseUrl}/health/ready`).then(
    ({ status }) => status,
    () => 0,
  );

describe('with a new data folder', { timeout: 120_000 }, () => {
  let dataDir: string;
  let firstStart: Record<string, unknown>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'waypost-start-'));
  });
  afterAll(async () => {
    const remaining = await postmaster();
    if (remaining) process.kill(remaining, 'SIGKILL');
    await rm(dataDir, { recursive: true });
  });

  const start = async (settings: NodeJS.ProcessEnv = {}) => {
    const quiet = { WAYPOST_DATA_DIR: dataDir, PORT: '0', WAYPOST_DEMO_LOCATIONS: '0' };
    const service = startCli(['start'], { ...quiet, ...settings });
    const baseUrl = await service.waitForOutput(/"service\.started".*"baseUrl":"([^"]+)"/);
    return { ...service, baseUrl };
  };
  const demo = async () => JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));

  /** The process id of the running database server. */
  async function postmaster(): Promise<number | undefined> {
    const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => undefined);
    return file === undefined ? undefined : Number.parseInt(file, 10);
  }

  /** The log of the database server. */
  async function serverLog(): Promise<string> {
    const folder = join(dataDir, 'postgres');
    const names = await readdir(folder, { recursive: true });
    const logs = names.filter((name) => name.endsWith('.log') || name.endsWith('.json'));
    return (await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')))).join('');
  }

  test('a signal during the start shuts down cleanly, also while the database is created', async () => {
    for (const isFar of [/database\.created/, /sandbox\.started/]) {
      const service = startCli(['start'], { WAYPOST_DATA_DIR: dataDir, PORT: '0', WAYPOST_DEMO_LOCATIONS: '0' });
      await service.waitForOutput(isFar);
      service.child.kill('SIGTERM');
      const { code, stdout, stderr } = await service.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/"service\.stopped".*"SIGTERM"/);
      expect(await postmaster()).toBe(undefined);
    }
  });

  test('the first start prints its URLs and keys and stores them in a private file', async () => {
    const service = await start();
    firstStart = await demo();
    expect(firstStart).toEqual({
      baseUrl: service.baseUrl,
      privateKey: expect.any(String),
      publicKey: expect.any(String),
      adminEmail: expect.stringMatching(/@/),
      adminPassword: expect.any(String),
      salesPartnerId: expect.any(Number),
    });
    const started = JSON.parse(service.lines().find((line) => line.includes('"service.started"')) ?? '{}');
    expect(started).toMatchObject({ level: 'info', role: 'start', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    const shown = service.lines().join('\n');
    for (const name of ['baseUrl', 'privateKey', 'publicKey', 'adminEmail', 'adminPassword']) {
      expect(shown).toContain(firstStart[name]);
    }
    for (const file of ['demo.json', 'master.key']) expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);

    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    expect((await subscribe(await demo(), receiver.url())).status).toBe(200);
    const { eventIds } = (await emit(await demo())).body.response;
    await expect.poll(() => receiver.ids(), soon).toEqual(eventIds);

    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await postmaster()).toBe(undefined);
  });

  test('a restart keeps all data', async () => {
    const service = await start();
    expect(await demo()).toEqual({ ...firstStart, baseUrl: service.baseUrl });
    const webhooks = await call(await demo(), 'GET', '/api/sales-partners/webhooks');
    expect(webhooks.body.response).toMatchObject([{ type }]);
    expect(await serverLog()).not.toMatch(/not properly shut down/);
    // Ctrl-C arrives from the terminal and from npm, which forwards it.
    service.child.kill('SIGINT');
    service.child.kill('SIGINT');
    expect(await service.interrupt()).toMatchObject({ code: 0 });
    expect(await postmaster()).toBe(undefined);
  });

  test('a restart after SIGKILL finishes the pending work', async () => {
    const receiver = await startReceiver(() => new Promise<number>(() => {}));
    onTestFinished(() => receiver.close());
    const killed = await start();
    await subscribe(await demo(), receiver.url());
    const { eventIds } = (await emit(await demo())).body.response;
    await expect.poll(() => receiver.open, soon).toBe(1);
    killed.child.kill('SIGKILL');
    await killed.ended;

    receiver.respond = () => 200;
    const service = await start();
    expect((await demo()).privateKey).toBe(firstStart.privateKey);
    await expect.poll(() => receiver.ids(), soon).toEqual([...eventIds, ...eventIds]);
    // The terminal is closed.
    service.child.kill('SIGHUP');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(await postmaster()).toBe(undefined);
  });

  test('restarts a killed database server and recovers from a kill of both', async () => {
    const service = await start();
    const credentials = await demo();
    process.kill((await postmaster()) as number, 'SIGKILL');
    await expect.poll(() => ready(credentials), soon).not.toBe(200);
    await expect.poll(() => ready(credentials), soon).toBe(200);
    expect((await emit(credentials)).status).toBe(200);
    process.kill((await postmaster()) as number, 'SIGKILL');
    service.child.kill('SIGKILL');
    await service.ended;
    const next = await start();
    expect((await emit(await demo())).status).toBe(200);
    expect(await serverLog()).toMatch(/not properly shut down/);
    expect(await next.interrupt()).toMatchObject({ code: 0 });
  });

  test('without demo mode, demo keys are invalid and webhooks cannot reach this machine', async () => {
    const service = await start({ WAYPOST_DEMO: 'off' });
    expect(service.lines().join('\n')).not.toContain(firstStart.privateKey);
    // The sandbox is disabled without demo mode.
    expect(service.lines().join('\n')).toMatch(/"directories\.none".*Set WAYPOST_SANDBOX to on/);
    expect(service.lines().join('\n')).not.toMatch(/sandbox\.started/);
    const credentials = { ...(await demo()), baseUrl: service.baseUrl };
    expect(await emit(credentials)).toMatchObject({ status: 401, body: { status: 'BAD_PRIVATE_KEY' } });
    const created = await runCli(['partners', 'create', '--identifier', 'real', '--name', 'Real Partner'], {
      WAYPOST_DATA_DIR: dataDir,
    });
    const privateKey = /privateKey\W+(\S+)/.exec(created.stdout)?.[1] ?? '';
    const rejected = await subscribe({ baseUrl: service.baseUrl, privateKey }, 'https://127.0.0.1/hook');
    expect(rejected).toMatchObject({ status: 400, body: { status: 'INVALID_PARAMETER' } });
    expect(await service.interrupt()).toMatchObject({ code: 0 });
  });
});

test('without demo mode a new installation has neither a demo partner nor demo data', { timeout: 60_000 }, async () => {
  const fleet = await Fleet.create({
    PORT: '0',
    WAYPOST_DEMO: 'off',
    WAYPOST_DEMO_LOCATIONS: '6',
    WAYPOST_SANDBOX: 'on',
  });
  const service = fleet.start('start');
  await service.waitForOutput(/"service\.started"/);
  expect(await fleet.rows('select identifier from sales_partners')).toEqual([{ identifier: fleet.partner.identifier }]);
  expect(await fleet.rows('select from tasks')).toEqual([]);
  expect(await fleet.rows('select from locations')).toEqual([]);
  expect(service.lines().join('\n')).not.toMatch(/privateKey|Demo data/);
});

test('a certificate enables TLS 1.2 and 1.3 only', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-start-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await runCli(['certificate', '--out', folder]);
  const port = await freePort();
  const fleet = await Fleet.create({
    HOST: '0.0.0.0',
    WAYPOST_DEMO: 'on',
    PORT: `${port}`,
    WAYPOST_TLS_CERT: join(folder, 'cert.pem'),
    WAYPOST_TLS_KEY: join(folder, 'key.pem'),
  });
  await fleet.start('serve').waitForOutput(/"service\.started".*"baseUrl":"https:/);
  expect(await connectTls(port, 'TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  expect(await connectTls(port, 'TLSv1.2')).toBe('TLSv1.2 HTTP/1.1 200 OK');
  expect(await connectTls(port, 'TLSv1.3')).toBe('TLSv1.3 HTTP/1.1 200 OK');
});

/** The error response of PostgreSQL during recovery. */
const stillStarting = (() => {
  const fields = Buffer.from('SFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** The URL of a database server that never finishes starting. */
async function startingServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', (hello) => socket.end(hello.length === 8 ? 'N' : stillStarting));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/none`;
}

test.each<[string, () => Promise<string>, RegExp]>([
  ['is unreachable', async () => 'postgres://127.0.0.1:1/none', /Waiting for the database: .*ECONNREFUSED/],
  ['has no socket', async () => 'postgres:///none?host=/nowhere', /Waiting for the database: .*ENOENT/],
  ['is still starting', startingServer, /Waiting for the database: the database system is starting up/],
])('waits for a database that %s until Ctrl-C', { timeout: 60_000 }, async (_, url, sentence) => {
  const service = startCli(['start'], { DATABASE_URL: await url() });
  await service.waitForOutput(sentence);
  expect(await service.interrupt()).toMatchObject({ code: 0, stderr: '' });
});

describe('an invalid configuration stops the start with the setting to change', { timeout: 60_000 }, () => {
  const failed = async (settings: NodeJS.ProcessEnv): Promise<string> => {
    const { code, stderr } = await startCli(['start'], settings).ended;
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/^ +at /m);
    return stderr;
  };

  test.each<[string, NodeJS.ProcessEnv, RegExp]>([
    [
      'plain HTTP on a public host',
      { HOST: '0.0.0.0' },
      /^HOST is "0\.0\.0\.0".*Set WAYPOST_TLS_CERT and WAYPOST_TLS_KEY/,
    ],
    [
      'a demo on a public host without an explicit setting',
      { HOST: '0.0.0.0', WAYPOST_TRUSTED_PROXY: '10.0.0.0/8' },
      /^HOST is "0\.0\.0\.0", which other machines can reach.*Set WAYPOST_DEMO to off/,
    ],
    ['a file instead of the data folder', { WAYPOST_DATA_DIR: '/dev/null' }, /\/dev\/null.*set WAYPOST_DATA_DIR/],
    ['a data folder that cannot be created', { WAYPOST_DATA_DIR: '/dev/null/data' }, /ENOTDIR.*set WAYPOST_DATA_DIR/],
  ])('%s', async (_what, settings, sentence) => {
    expect(await failed(settings)).toMatch(sentence);
  });

  test('a wrong master key', async () => {
    const fleet = await Fleet.create({ PORT: '0' });
    const service = fleet.start('start');
    await service.waitForOutput(/"service\.started"/);
    await service.interrupt();
    const other = Buffer.alloc(32).toString('base64');
    expect(await failed({ DATABASE_URL: fleet.database.url, WAYPOST_MASTER_KEY: other })).toMatch(
      /The master key with the fingerprint [\da-f]{16} is missing\. \d+ values .* Set WAYPOST_MASTER_KEY/,
    );
  });

  test('a database server without TLS', async () => {
    const url = `${await startingServer()}?sslmode=require`;
    expect(await failed({ DATABASE_URL: url })).toMatch(/\(The server does not support SSL/);
  });

  test('a port in use', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { port } = new URL(receiver.url());
    const fleet = await Fleet.create();
    for (const [command, setting] of [
      ['start', 'PORT'],
      ['work', 'WAYPOST_METRICS_PORT'],
      ['serve', 'WAYPOST_METRICS_PORT'],
    ] as const) {
      const { code, stderr } = await fleet.start(command, { [setting]: port }).ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use.*${setting}`));
      expect(stderr).not.toMatch(/^ +at /m);
    }
  });
});
