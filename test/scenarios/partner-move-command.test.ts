import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { markFiles, selectFileNamesWhere } from '../../src/service/shared-files.ts';
import type { TestApi } from '../support/api.ts';
import { runCli, temporaryFolder } from '../support/cli.ts';
import { createPlainDatabase } from '../support/database.ts';
import { runJobs } from '../support/jobs.ts';
import { hasLoadBalancer, startLoadBalancer } from '../support/load-balancer.ts';
import { addMovingPartner, emit, TwoCells } from '../support/two-cells.ts';
import { addUser } from '../support/users.ts';

// A move reads and locks all tables.
vi.setConfig({ testTimeout: 300_000 });

let cells: TwoCells;
let apis: [TestApi, TestApi];

beforeAll(async () => {
  cells = await TwoCells.create();
  apis = await cells.startApis();
});
afterAll(async () => {
  for (const api of apis) await api.close();
});

const addPartner = () => addMovingPartner(apis[0]);

const run = (args: readonly string[], env: NodeJS.ProcessEnv = cells.envOf(0)) =>
  runCli(['partners', 'move', ...args], env);

test.each([
  [[], 'The partner id is missing.'],
  [['x'], 'ID is "x": set it to'],
  [['7'], '--to is missing.'],
  [['7', '--to', '256'], '--settings is missing.'],
  [['7', '--to', '256', '--settings', 'x'], '--to is "256": set it to'],
  [['7', '--to', '1', '--settings', 'x', '--undo', '--finish'], 'cannot be used together'],
  [['7', '--to', '1', '--settings', 'x', '--reload', 'true'], '--reload needs --maps.'],
])('refuses %j', async (args, message) => {
  const { code, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('refuses another file store on either side', async () => {
  const { partner, rootId } = await addPartner();
  const args = [String(rootId), '--to', '1', '--settings'];
  const other = { WAYPOST_DATA_DIR: temporaryFolder() };
  const fromOther = () => run([...args, cells.settingsOf(1)], { ...cells.envOf(0), ...other });
  const unmarked = await fromOther();
  for (const { database, services } of apis) await markFiles(database, services.files);
  const toOther = await run([...args, cells.settingsOf(1, other)]);
  for (const [cell, { code, stderr }] of [
    [0, unmarked] as const,
    [0, await fromOther()] as const,
    [1, toOther] as const,
  ]) {
    const message = `Cell ${cell}: The files of this installation are not in the data folder ${other.WAYPOST_DATA_DIR}:`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  }
  expect((await emit(partner)).code).toBe(200);
});

test('refuses other cells, child partners, other master keys and unknown partners', async () => {
  const parent = await addPartner();
  const child = await apis[0].addPartner(parent.partner);
  const settings = cells.settingsOf(1);
  const otherKey = cells.settingsOf(1, { WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') });
  const id = String(parent.rootId);
  const refusals: [string[], string][] = [
    [[id, '--to', '1', '--settings', '/does/not/exist'], 'cannot be read (ENOENT)'],
    [[id, '--to', '2', '--settings', settings], 'WAYPOST_CELL in'],
    [[id, '--to', '0', '--settings', cells.settingsOf(0)], 'which is this cell'],
    [[String(child.partner.id), '--to', '1', '--settings', settings], `is a child of ${id}`],
    [['123456789', '--to', '1', '--settings', settings], 'There is no partner 123456789 on cell 0'],
    [[id, '--to', '1', '--settings', settings, '--finish'], 'is not being moved'],
    [[id, '--to', '1', '--settings', settings, '--undo'], 'is not being moved'],
    [[id, '--to', '1', '--settings', otherKey], 'master key'],
  ];
  for (const [args, message] of refusals) {
    const { code, stderr } = await run(args);
    expect({ args, code, stderr }).toEqual({ args, code: 1, stderr: expect.stringContaining(message) });
  }
  expect((await emit(parent.partner)).code).toBe(200);
});

test('names the grant that the database role needs', async () => {
  const { rootId } = await addPartner();
  const url = new URL(await createPlainDatabase());
  await migrate({ url: url.href });
  const settings = cells.settingsOf(1, { DATABASE_URL: url.href });
  const { code, stderr } = await run([String(rootId), '--to', '1', '--settings', settings]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`grant set on parameter session_replication_role to ${url.username};`),
  });
});

test('prints the lines of the maps', async () => {
  const { rootId } = await addPartner();
  const { code, stdout } = await run([String(rootId), '--to', '1', '--settings', cells.settingsOf(1)]);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => /^credentials\.map [0-9a-f]{64} 1$/.test(line)).length).toBeGreaterThanOrEqual(3);
  expect(lines.filter((line) => /^webhooks\.map \d+ 1$/.test(line))).toHaveLength(1);
  await cells.onMove(rootId, 0, (move) => move.finish());
});

test.skipIf(!hasLoadBalancer)('old credentials reach the other cell by the maps', async () => {
  const moving = await addPartner();
  const { partner, rootId, file } = moving;
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const password = 'a long password';
  await addUser(apis[0], partner, { role: 'ADMIN', email, password });
  const signedIn = await apis[0].call('POST', '/api/users/login', { email, password });
  const { accessToken } = signedIn.body.response;
  const webhook = { type: 'LOCATION_CREATED', pushUrl: 'https://crm.example/', asymmetricSignature: true };
  const { body } = await partner.call('POST', '/api/sales-partners/webhooks', webhook);
  const maps = join(temporaryFolder(), 'maps');
  mkdirSync(maps);
  const kept = `${'0'.repeat(64)} 1\n`;
  for (const name of ['credentials.map', 'emails.map', 'webhooks.map']) writeFileSync(join(maps, name), kept);
  const reloaded = join(maps, 'reloaded');
  const args = [String(rootId), '--to', '1', '--settings', cells.settingsOf(1)];
  const routing = ['--maps', maps, '--reload', `touch ${reloaded}`];
  expect(await run([...args, ...routing])).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(reloaded, 'utf8')).toBe('');
  expect(await run([...args, '--finish'])).toMatchObject({ code: 0 });
  const map = (name: string) => readFileSync(join(maps, `${name}.map`), 'utf8');
  for (const name of ['credentials', 'emails', 'webhooks']) expect(map(name)).toContain(kept);
  const balancer = await startLoadBalancer({
    ports: [apis[0].port, apis[1].port],
    emails: map('emails'),
    credentials: map('credentials'),
    webhooks: map('webhooks'),
  });
  onTestFinished(balancer.stop);
  const request = async (path: string, init: RequestInit = {}) => {
    let response = await fetch(balancer.baseUrl + path, init);
    // A busy machine can fail health checks of the load balancer.
    while (response.status === 503) response = await fetch(balancer.baseUrl + path, init);
    return { code: response.status, text: await response.text() };
  };
  const { privateKey } = partner;
  for (const headers of [{ privateKey }, { accessToken }])
    expect(await request('/api/sales-partners', { headers })).toMatchObject({ code: 200 });
  expect(await request(`/.well-known/webhook-keys/${body.response.id}`)).toMatchObject({ code: 200 });
  expect(await request(file)).toMatchObject({ code: 200 });
  const signIn = {
    method: 'POST',
    body: JSON.stringify({ email, password }),
    headers: { 'content-type': 'application/json' },
  };
  expect(await request('/api/users/login', signIn)).toMatchObject({ code: 200 });
  // Back on its first cell, it needs only the entries of credentials without a known prefix.
  const back = [String(rootId), '--to', '0', '--settings', cells.settingsOf(0)];
  expect(await run([...back, '--maps', maps], cells.envOf(1))).toMatchObject({ code: 0 });
  expect(await run([...back, '--finish'], cells.envOf(1))).toMatchObject({ code: 0 });
  expect([map('emails'), map('webhooks')]).toEqual([kept, kept]);
  expect((await partner.call('GET', '/api/sales-partners')).code).toBe(200);
});

test('keeps the files if both cells use the same store', async () => {
  const sharing = await TwoCells.create();
  const [api, target] = await sharing.startApis();
  onTestFinished(async () => {
    for (const one of [api, target]) await one.close();
  });
  const { rootId } = await addMovingPartner(api);
  const { WAYPOST_DATA_DIR } = sharing.envOf(0);
  const args = [String(rootId), '--to', '1', '--settings', sharing.settingsOf(1, { WAYPOST_DATA_DIR })];
  expect(await run(args, sharing.envOf(0))).toMatchObject({ code: 0 });
  expect(await run([...args, '--finish'], sharing.envOf(0))).toMatchObject({ code: 0 });
  await runJobs(sharing.databases[0]);
  const { rows } = await target.database.pool.query(selectFileNamesWhere(`partner_id = ${rootId}`));
  // The file and its thumbnail.
  expect(rows).toHaveLength(2);
  for (const { name } of rows) expect(await api.services.files.exists(name)).toBe(true);
});
