import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { temporaryFolder } from '../../test/support/cli.ts';
import { startSandbox, type TestSandbox } from '../../test/support/sandbox.ts';
import { readConfig } from '../config.ts';
import { type DemoCredentials, prepareDemo } from './demo.ts';
import { prepareDemoWebhooks } from './demo-webhooks.ts';
import type { Service } from './service.ts';

let api: TestApi;
let sandbox: TestSandbox;

beforeAll(async () => {
  api = await TestApi.start();
  sandbox = await startSandbox();
});
afterAll(async () => {
  await api.close();
  await sandbox.close();
});

const log = pino({ level: 'silent' });
const serviceWith = ({ url, key }: TestSandbox): Service => ({
  database: api.database,
  sealer: api.services.sealer,
  baseUrl: 'http://127.0.0.1',
  sandbox: { url: () => url, key },
  close: async () => {},
  stop: async () => true,
});
const prepare = (network: TestSandbox, env: NodeJS.ProcessEnv = {}) =>
  prepareDemoWebhooks(serviceWith(network), readConfig(env), log);

const webhooksOf = async ({ privateKey }: DemoCredentials): Promise<{ id: number; pushUrl: string; type: string }[]> =>
  (await api.call('GET', '/api/sales-partners/webhooks', undefined, { privateKey })).body.response;

test('creates five webhooks once and updates them if the port changes', async () => {
  const demo = await prepareDemo(serviceWith(sandbox), temporaryFolder(), 'http://127.0.0.1');
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
  await prepare(moved);
  await moved.close();
  expect((await webhooksOf(demo)).map(({ pushUrl }) => pushUrl)).toEqual(
    others.map(({ pushUrl }) => pushUrl.replace(sandbox.url, moved.url)),
  );
});
