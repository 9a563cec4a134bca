import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { startSandbox, type TestSandbox } from '../../test/support/sandbox.ts';
import { ConfigurationProblem, readConfig } from '../config.ts';
import { createPartner } from '../modules/accounts/partners/partner-store.ts';
import { type DemoCredentials, disableDemoPartner, prepareDemo, prepareDemoWebhooks } from './demo.ts';
import type { Service } from './service.ts';

let api: TestApi;
let dataDir: string;

beforeAll(async () => {
  api = await TestApi.start();
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-demo-'));
});
afterAll(async () => {
  await api.close();
  await rm(dataDir, { recursive: true });
});

const platform = () => ({ database: api.database, sealer: api.services.sealer, close: async () => {} });
const file = () => join(dataDir, 'demo.json');

/** Prepares the demo and returns the content of its file. */
async function prepared(): Promise<DemoCredentials> {
  await prepareDemo(platform(), dataDir, 'http://127.0.0.1');
  return JSON.parse(await readFile(file(), 'utf8'));
}

const signIn = ({ adminEmail: email, adminPassword: password }: DemoCredentials) =>
  api.call('POST', '/api/users/login', { email, password });

test('concurrent first starts have the same credentials', async () => {
  const starts = [1, 2, 3].map(() => prepareDemo(platform(), dataDir, 'http://127.0.0.1'));
  const [first, ...others] = await Promise.all(starts);
  for (const credentials of [...others, await prepared()]) expect(credentials).toEqual(first);
  expect(await signIn(first as DemoCredentials)).toMatchObject({ code: 200 });
});

test('the demo administrator can sign in', async () => {
  const credentials = await prepared();
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const { code, body } = await signIn(credentials);
  expect(code).toBe(200);
  const { accessToken, user } = body.response;
  expect(user).toMatchObject({ email: credentials.adminEmail, role: 'ADMIN', status: 'ACTIVE' });
  expect(await api.call('GET', '/api/users', undefined, { accessToken })).toMatchObject({
    code: 200,
    body: { response: { count: 1, users: [{ id: user.id }] } },
  });
});

test('a restart keeps the credentials; a lost file creates a new password', async () => {
  const credentials = await prepared();
  expect(await prepared()).toEqual(credentials);
  await rm(file());
  const drawn = await prepared();
  expect(drawn).toEqual({ ...credentials, adminPassword: expect.any(String) });
  expect(await signIn(credentials)).toMatchObject({ code: 401 });
  expect(await signIn(drawn)).toMatchObject({ code: 200 });
});

test.each(['null', '[]', '"text"', '{}', 'not JSON', '{"baseUrl": 7, "salesPartnerId": 1}'])(
  'a file that holds %s is written again',
  async (content) => {
    const before = await prepared();
    await writeFile(file(), content);
    expect(await prepared()).toEqual({ ...before, adminPassword: expect.any(String) });
  },
);

test('reports a folder in place of the file', async () => {
  await rm(file());
  await mkdir(file());
  onTestFinished(() => rm(file(), { recursive: true }));
  await expect(prepared()).rejects.toThrow(
    new ConfigurationProblem(
      `The demo credentials cannot be written to ${file()} (EISDIR). Remove the existing entry and make the folder ` +
        'writable for this user, or set WAYPOST_DEMO to off.',
    ),
  );
  expect(await readdir(dataDir)).toEqual(['demo.json']);
});

test('a second process keeps the base URL of the first', async () => {
  await prepared();
  const running = createServer((_, response) => response.end('{"status":"SUCCESS","response":{"live":true}}'));
  await once(running.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(running.address() as AddressInfo).port}`;
  await prepareDemo(platform(), dataDir, origin);
  expect((await prepared()).baseUrl).toBe(origin);
  running.closeAllConnections();
  running.close();
  await once(running, 'close');
  expect((await prepared()).baseUrl).toBe('http://127.0.0.1');
});

test('replaces a rotated key with the current one', async () => {
  const before = await prepared();
  const call = (privateKey: string, method: string, path: string, body?: object) =>
    api.call(method, path, body, { privateKey });
  const rotation = `/api/sales-partners/${before.salesPartnerId}/rotate-private-key`;
  const { body } = await call(before.privateKey, 'POST', rotation, { overlapHours: 0 });
  expect(body).toMatchObject({ status: 'SUCCESS' });
  const after = await prepared();
  expect(after).toEqual({ ...before, privateKey: body.response.privateKey });
  expect(await call(after.privateKey, 'GET', '/api/sales-partners')).toMatchObject({ code: 200 });
});

test('keeps a password that the administrator changed, and removes the old one from the file', async () => {
  const before = await prepared();
  const { accessToken, user } = (await signIn(before)).body.response;
  const chosen = { password: 'one that I can remember', currentPassword: before.adminPassword };
  expect(await api.call('PATCH', `/api/users/${user.id}`, chosen, { accessToken })).toMatchObject({ code: 200 });
  const { adminPassword, ...rest } = before;
  expect(await prepared()).toEqual(rest);
  expect(await prepared()).toEqual(rest);
  expect(await signIn({ ...before, adminPassword: chosen.password })).toMatchObject({ code: 200 });
  await rm(file());
  expect(await signIn(await prepared())).toMatchObject({ code: 200 });
});

test('the credentials are invalid outside demo mode, also if the partner has another identifier', async () => {
  const credentials = await prepared();
  const { salesPartnerId, privateKey } = credentials;
  const rename = (identifier: string) =>
    api.call('PUT', `/api/sales-partners/${salesPartnerId}`, { identifier }, { privateKey });
  expect(await rename('renamed')).toMatchObject({ code: 200 });
  await disableDemoPartner(platform());
  expect(await signIn(credentials)).toMatchObject({ code: 401 });
  expect((await prepared()).salesPartnerId).toBe(salesPartnerId);
  expect(await rename('demo')).toMatchObject({ code: 200 });
});

test('a partner with the identifier of the demo partner is not changed', async () => {
  const other = await TestApi.start();
  onTestFinished(() => other.close());
  const { partner, privateKey } = await createPartner(other.database.pool, other.services.sealer, {
    identifier: 'demo',
    name: 'Demolition Works',
  });
  const installation = { database: other.database, sealer: other.services.sealer, close: async () => {} };
  await disableDemoPartner(installation);
  expect(await other.call('GET', `/api/sales-partners/${partner.id}`, undefined, { privateKey })).toMatchObject({
    code: 200,
    body: { response: { status: 'ACTIVE' } },
  });
  await expect(prepareDemo(installation, dataDir, 'http://127.0.0.1')).rejects.toThrow(
    /A partner has the identifier "demo"/,
  );
});

const log = pino({ level: 'silent' });
const serviceWith = ({ url, key }: TestSandbox): Service => ({
  ...platform(),
  baseUrl: 'http://127.0.0.1',
  sandbox: { url: () => url, key },
  stop: async () => true,
});
const prepare = (network: TestSandbox, env: NodeJS.ProcessEnv = {}) =>
  prepareDemoWebhooks(serviceWith(network), readConfig(env), log);

const webhooksOf = async ({ privateKey }: DemoCredentials): Promise<{ id: number; pushUrl: string; type: string }[]> =>
  (await api.call('GET', '/api/sales-partners/webhooks', undefined, { privateKey })).body.response;

test('creates five webhooks once and updates them if the port changes', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const demo = await prepared();
  await prepare(sandbox, { WAYPOST_DEMO_LOCATIONS: '0' });
  expect(await webhooksOf(demo)).toEqual([]);

  await Promise.all([prepare(sandbox), prepare(sandbox)]);
  const created = await webhooksOf(demo);
  expect(created.map(({ type }) => type)).toEqual([
    'LOCATION_CREATED',
    'LISTING_DATAPOINT_CHECK',
    'LISTING_UPDATE',
    'LISTING_SYNC_CHECK',
    'LOCATION_STATUS_CHANGED',
  ]);
  for (const { pushUrl } of created) expect(pushUrl).toContain(`${sandbox.url}/demo-receiver/`);
  const { endpoints } = await sandbox.control.receiverEndpoints();
  expect(endpoints.map(({ mode }) => mode)).toEqual(['accept', 'accept', 'accept', 'accept', 'fail']);

  const [first, ...others] = created;
  await api.call('DELETE', `/api/sales-partners/webhooks/${first?.id}`, undefined, { privateKey: demo.privateKey });
  const moved = await startSandbox();
  await moved.control.setReceiver('crm', 'slow');
  await prepare(moved);
  const { endpoints: added } = await moved.control.receiverEndpoints();
  expect(added.map(({ mode }) => mode)).toEqual(['slow', 'accept', 'accept', 'accept', 'fail']);
  await moved.close();
  expect((await webhooksOf(demo)).map(({ pushUrl }) => pushUrl)).toEqual(
    others.map(({ pushUrl }) => pushUrl.replace(sandbox.url, moved.url)),
  );
});
