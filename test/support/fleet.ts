import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/connection.ts';
import { type EventTypeName, eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { newWebhookSecret } from '../../src/events/signing/keys.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { newSettings } from '../../src/events/subscriptions/webhook.ts';
import { insertWebhook } from '../../src/events/subscriptions/webhook-store.ts';
import { createPartner } from '../../src/modules/accounts/partners/partner-store.ts';
import { startCli, temporaryFolder } from './cli.ts';
import { createTestDatabase } from './database.ts';

/** A database with one partner, and service processes that use it. Stopped after the test. */
export class Fleet {
  readonly database: Database;
  readonly partner: { id: number; identifier: string };
  readonly privateKey: string;
  /** Settings of every process. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #sealer: Sealer;

  private constructor(
    database: Database,
    { partner, privateKey }: Awaited<ReturnType<typeof createPartner>>,
    sealer: Sealer,
    environment: NodeJS.ProcessEnv,
  ) {
    this.database = database;
    this.partner = partner;
    this.privateKey = privateKey;
    this.#sealer = sealer;
    this.environment = environment;
  }

  /** `settings` apply to every process. */
  static async create(settings: NodeJS.ProcessEnv = {}): Promise<Fleet> {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const masterKey = randomBytes(32);
    const sealer = new Sealer(masterKey);
    const created = await createPartner(database.pool, sealer, { identifier: 'hansekontor', name: 'Hansekontor' });
    return new Fleet(database, created, sealer, {
      DATABASE_URL: database.url,
      // The processes share their files.
      WAYPOST_DATA_DIR: temporaryFolder(),
      // Most tests need no directories.
      WAYPOST_SANDBOX: 'off',
      WAYPOST_MASTER_KEY: masterKey.toString('base64'),
      // Tests create their own data.
      WAYPOST_DEMO_LOCATIONS: '0',
      ...settings,
    });
  }

  start(command: 'start' | 'serve' | 'work', settings: NodeJS.ProcessEnv = {}) {
    return startCli([command], { ...this.environment, ...settings });
  }

  webhook(pushUrl: string, type: EventTypeName, settings: { ordered?: boolean } = {}): Promise<number> {
    const sealedSecret = this.#sealer.seal(newWebhookSecret());
    return insertWebhook(this.database.pool, this.partner.id, newSettings({ pushUrl, type, ...settings }), {
      secret: sealedSecret,
    });
  }

  record<T extends EventTypeName>(type: T, count: number): Promise<number[]> {
    const event = { partner: this.partner, type, fields: eventTypes[type].example };
    return this.database.transaction((transaction) =>
      Promise.all(Array.from({ length: count }, () => recordEvent<T>(transaction, event))),
    );
  }

  async rows<Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.pool.query<Row>(statement, values)).rows;
  }

  async waiting(): Promise<number> {
    const [row] = await this.rows<{ depth: number }>('select count(*) as depth from delivery_queue');
    return row?.depth ?? Number.NaN;
  }
}
