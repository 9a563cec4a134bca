import { vi } from 'vitest';
import type { Database } from '../../src/database/connection.ts';
import type { Sealer } from '../../src/events/signing/sealer.ts';
import { Job } from '../../src/jobs/job.ts';
import { addUses } from '../../src/modules/accounts/deprecated-use/deprecated-use.ts';
import { TestApi, type TestPartner } from './api.ts';
import { startWorker } from './delivery.ts';
import { createDemoData } from './demo.ts';
import { startSandbox, type TestSandbox } from './sandbox.ts';
import { SandboxScene } from './sandbox-scene.ts';

/** An installation with records of every kind. */
export class ExampleWorld extends SandboxScene {
  /** The top partner, which can control the sandbox. */
  readonly owner: TestPartner;
  /** With demo data, and webhooks with deliveries. */
  readonly partner: TestPartner;

  /** In the order of their ids; empty for a given database, which keeps its ids. */
  readonly tables: readonly string[];

  private constructor(scene: SandboxScene, [owner, partner]: [TestPartner, TestPartner], tables: readonly string[]) {
    super(scene);
    this.owner = owner;
    this.partner = partner;
    this.tables = tables;
  }

  static async open(database?: Database, sealer?: Sealer): Promise<ExampleWorld> {
    const sandbox = await startSandbox();
    const api = await ExampleWorld.startApi(sandbox, database, sealer);
    const tables = database ? [] : await numberByTable(api);
    return ExampleWorld.#populate(new SandboxScene({ api, sandbox }), tables, '1');
  }

  static startApi(sandbox: TestSandbox, database?: Database, sealer?: Sealer): Promise<TestApi> {
    const env = { WAYPOST_DEMO: 'on', WAYPOST_RATE_LIMIT: '100000' };
    return TestApi.start(env, database, sandbox.directories, { url: () => sandbox.url, key: sandbox.key }, sealer);
  }

  /** Another root partner with records of every kind in the same installation. */
  addRoot(): Promise<ExampleWorld> {
    return ExampleWorld.#populate(this, this.tables, '2');
  }

  static async #populate(scene: SandboxScene, tables: readonly string[], seed: string): Promise<ExampleWorld> {
    const { api, sandbox } = scene;
    const owner = await api.addPartner();
    const partner = await api.addPartner(owner);
    const world = new ExampleWorld(scene, [owner, partner], tables);
    await createDemoData(api.database, sandbox.directories, partner.partner, { locations: 6, seed });
    await world.#addWebhooks();
    await world.#addImport();
    await world.#addOldUse();
    await sandbox.control.addListing('GOOGLE', bakery, { claim: 'CLAIMABLE' });
    await new Job('feedback.roll-up').enqueue(api.database.pool, {});
    await world.runJobs();
    await world.deliver();
    // The alerts of the failed deliveries.
    await world.runJobs();
    return world;
  }

  /** Delivers all pending events that are due. */
  async deliver(): Promise<void> {
    const worker = startWorker(this.api.services, { retrySchedule: [0.02], breakerThreshold: 1000 });
    const isDone = async () =>
      (await this.query(`select from delivery_queue where due_at < now() + interval '1 minute'`)).rowCount === 0;
    await vi.waitUntil(isDone, { timeout: 10_000, interval: 30 });
    await worker.stop();
  }

  /** One webhook whose receiver accepts, and one whose receiver fails. */
  async #addWebhooks(): Promise<void> {
    const endpoints = [
      ['crm', 'accept'],
      ['legacy-erp', 'fail'],
    ] as const;
    for (const [endpoint, mode] of endpoints) {
      await this.control.setReceiver(endpoint, mode);
      const webhook = { pushUrl: this.control.receiverUrl(endpoint), type: 'LOCATION_CREATED' };
      const { code, body } = await this.partner.call('POST', '/api/sales-partners/webhooks', webhook);
      if (code !== 200) throw new Error(JSON.stringify(body));
    }
    await this.partner.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count: 3 });
  }

  /** A file with a valid and an invalid row. */
  async #addImport(): Promise<void> {
    const { body } = await this.partner.call('GET', '/api/businesses');
    const csv =
      'name,street,streetNo,zip,city,country,categories\n' +
      'Bäckerei Lindner Nippes,Neusser Straße,215,50733,Köln,DE,Bakery\n' +
      'Bäckerei Lindner Deutz,Siegburger Straße,12,50679,Köln,Germoney,Bakery\n';
    const path = `/api/location-imports?businessId=${body.response.businesses[0].id}`;
    await this.partner.call('POST', path, csv, { 'content-type': 'text/csv' });
  }

  async #addOldUse(): Promise<void> {
    const use = { name: 'websiteExtra', version: '20220222', replacedBy: '20230407', count: 17 };
    await addUses(this.api.database.pool, [{ ...use, partnerId: this.partner.partner.id, lastUsed: new Date() }]);
  }
}

const bakery = {
  name: 'Bäckerei Lindner',
  street: 'Venloer Straße',
  streetNo: '310',
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  phone: '+49 221 9524399',
  categories: ['Bakery'],
  openingHours: [{ dayOfWeek: 1, from1: '06:30', to1: '18:00' }],
};

// Above the ids of categories, which are 31 bits of a hash.
const firstId = 3_000_000_000;
const idsPerTable = 1_000_000;

/** Gives each table its own range of ids, so that an id identifies its table. */
async function numberByTable({ database: { pool } }: TestApi): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select sequencename as name from pg_sequences
     where schemaname = 'public' and max_value > $1 order by 1`,
    [2 * firstId],
  );
  for (const [index, { name }] of rows.entries()) {
    await pool.query(`alter sequence ${name} restart ${firstId + index * idsPerTable}`);
  }
  return rows.map(({ name }) => name.replace(/_id(_seq)?$/, ''));
}

/** The table of an id. */
export const tableOf = (id: number, tables: readonly string[]): string | undefined =>
  tables[Math.floor((id - firstId) / idsPerTable)];
