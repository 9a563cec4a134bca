import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';
import { freePort } from '../support/free-port.ts';
import { checkOut, previousRelease } from '../support/previous-release.ts';

const type = 'LOCATION_CREATED';
const clients = 4;
const filledEvents = 200;
const soon = { timeout: 120_000, interval: 100 };

/** Requests of several clients without a pause, until it is stopped. */
class Load {
  readonly eventIds: number[] = [];
  readonly failures: string[] = [];
  requests = 0;
  /** The processes that clients use, in turn. */
  baseUrls: string[];
  readonly #privateKey: string;
  #stopping = false;
  readonly #clients: Promise<void>[];

  constructor(baseUrl: string, privateKey: string, webhook: number) {
    this.baseUrls = [baseUrl];
    this.#privateKey = privateKey;
    this.#clients = Array.from({ length: clients }, () => this.#run(webhook));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#clients);
  }

  async call(method: string, path: string, body?: object) {
    const baseUrl = this.baseUrls[this.requests++ % this.baseUrls.length];
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: { privateKey: this.#privateKey, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(60_000),
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text).response;
  }

  async #run(webhook: number): Promise<void> {
    const webhooks = '/sales-partners/webhooks';
    while (!this.#stopping) {
      try {
        this.eventIds.push(...(await this.call('POST', `/event-types/${type}/emit`, {})).eventIds);
        await this.call('GET', `${webhooks}/${webhook}/deliveries`);
        await this.call('PATCH', `${webhooks}/${webhook}`, { description: `request ${this.requests}` });
        await this.call('GET', '/events');
      } catch (error) {
        this.failures.push(`${error}`);
      }
    }
  }
}

/** Waits until the clients have sent more requests. */
const moreRequests = (load: Load, count: number) => {
  const from = load.requests;
  return expect.poll(() => load.requests, soon).toBeGreaterThan(from + count);
};

async function expectAllDelivered(load: Load, receiver: Receiver): Promise<void> {
  const missing = () => {
    const received = new Set(receiver.ids());
    return load.eventIds.filter((id) => !received.has(id)).length;
  };
  await expect.poll(missing, soon).toBe(0);
}

test.skipIf(previousRelease === undefined)(
  'migrates a filled database of the previous release under load: no request fails, no event is lost',
  { timeout: 300_000 },
  async () => {
    const previous = checkOut(previousRelease ?? '');
    const dataDir = temporaryFolder();
    const env = {
      DATABASE_URL: await createEmptyDatabase(),
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_MASTER_KEY: randomBytes(32).toString('base64'),
      WAYPOST_SANDBOX: 'off',
      WAYPOST_DEMO_LOCATIONS: '0',
      WAYPOST_CONSOLE: 'off',
      WAYPOST_RATE_LIMIT: '1000000',
      WAYPOST_LOG_LEVEL: 'warn',
    };
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const baseUrlOf = async (port: number) => {
      const baseUrl = `http://127.0.0.1:${port}`;
      const status = () => fetch(`${baseUrl}/health/ready`).then((response) => response.status, String);
      await expect.poll(status, soon).toBe(200);
      return baseUrl;
    };

    // Releases without this command migrate at the start.
    await startCli(['migrate'], env, previous).ended;
    const oldPort = await freePort();
    const old = startCli(['start'], { ...env, PORT: `${oldPort}` }, previous);
    const oldUrl = await baseUrlOf(oldPort);
    await old.waitForOutput(/demo partner/);
    const { privateKey } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
    const created = await fetch(`${oldUrl}/api/sales-partners/webhooks`, {
      method: 'POST',
      headers: { privateKey, 'content-type': 'application/json' },
      body: JSON.stringify({ pushUrl: receiver.url(), type }),
    });
    const { id: webhook } = ((await created.json()) as { response: { id: number } }).response;

    const load = new Load(oldUrl, privateKey, webhook);
    onTestFinished(() => load.stop());
    await expect.poll(() => load.eventIds.length, soon).toBeGreaterThan(filledEvents);

    const migration = await startCli(['migrate'], env).ended;
    expect(migration).toMatchObject({ code: 0, stderr: '' });
    expect(migration.stdout).toMatch(/^applied /);
    await moreRequests(load, 100);
    expect(load.failures).toEqual([]);

    const newPort = await freePort();
    const current = startCli(['start'], { ...env, PORT: `${newPort}` });
    load.baseUrls = [oldUrl, await baseUrlOf(newPort)];
    await moreRequests(load, 100);
    load.baseUrls = load.baseUrls.slice(1);
    await moreRequests(load, clients);
    expect((await old.interrupt()).code).toBe(0);
    await moreRequests(load, 100);
    await load.stop();

    expect(load.failures).toEqual([]);
    await expectAllDelivered(load, receiver);
    expect((await current.interrupt()).code).toBe(0);
  },
);
