import { expect, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type EventFields, type EventTypeName, eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import type { Services } from '../../src/http/services.ts';
import { TestApi, type TestPartner } from './api.ts';
import { type Receiver, startReceiver, startWorker } from './delivery.ts';
import { eventually } from './loopback-receivers.ts';

const type = 'LOCATION_CREATED';
const webhooksPath = '/api/sales-partners/webhooks';

export interface TestWebhook {
  id: number;
  secret: string;
  pushUrl: string;
}

interface Attempt {
  eventId: number;
  number: number;
  url: string;
  outcome: string;
  statusCode: number | null;
  reason: string | null;
  verdict: string;
  startedAt: Date;
}

/** API, workers and receivers with their own database. Closed when the test finishes. */
export class DeliveryScene {
  readonly api: TestApi;
  readonly partner: TestPartner;
  readonly #receivers: Receiver[] = [];
  readonly #workers: { stop(): Promise<void> }[] = [];

  private constructor(api: TestApi, partner: TestPartner) {
    this.api = api;
    this.partner = partner;
    onTestFinished(async () => {
      // Receivers first: hanging requests would block the workers.
      await Promise.all(this.#receivers.map((receiver) => receiver.close()));
      await Promise.all(this.#workers.map((worker) => worker.stop()));
      await api.close();
    });
  }

  static async open(sealer?: Services['sealer']): Promise<DeliveryScene> {
    const api = await TestApi.start({}, undefined, undefined, undefined, sealer);
    return new DeliveryScene(api, await api.addPartner());
  }

  async receiver(respond?: Receiver['respond']): Promise<Receiver> {
    const receiver = await startReceiver(respond);
    this.#receivers.push(receiver);
    return receiver;
  }

  worker(changes: Partial<Config> = {}, parts: Partial<Services> = {}): { stop(): Promise<void> } {
    const worker = startWorker({ ...this.api.services, ...parts }, changes);
    this.#workers.push(worker);
    return worker;
  }

  async webhook(pushUrl: string, settings: object = {}, partner = this.partner): Promise<TestWebhook> {
    const { code, body } = await partner.call('POST', webhooksPath, { pushUrl, type, ...settings });
    expect(code).toBe(200);
    return body.response;
  }

  async change({ id }: TestWebhook, change: object): Promise<void> {
    const { code } = await this.partner.call('PATCH', `${webhooksPath}/${id}`, change);
    expect(code).toBe(200);
  }

  /** The webhook as its owner sees it. */
  async get({ id }: TestWebhook) {
    return (await this.partner.call('GET', `${webhooksPath}/${id}`)).body.response;
  }

  /** Records events in one transaction and returns their ids. */
  record(count = 1, { partner } = this.partner): Promise<number[]> {
    const event = { partner, type, fields: eventTypes[type].example } as const;
    return this.api.database.transaction((transaction) =>
      Promise.all(Array.from({ length: count }, () => recordEvent(transaction, event))),
    );
  }

  recordAs<T extends EventTypeName>(name: T, fields: EventFields<T> = eventTypes[name].example, by = this.partner) {
    const event = { partner: by.partner, type: name, fields };
    return this.api.database.transaction((transaction) => recordEvent<T>(transaction, event));
  }

  /** Delivers another event: any work that the worker could have started before has started by then. */
  async deliverUnrelatedEvent(): Promise<void> {
    const receiver = await this.receiver();
    const webhook = await this.webhook(receiver.url(), { type: 'BUSINESS_CREATED' });
    await this.recordAs('BUSINESS_CREATED');
    await eventually(() => this.verdicts(webhook)).toEqual(['DELIVERED']);
  }

  /** Waiting deliveries, oldest event first. */
  async queue({ id }: { id: number }): Promise<{ eventId: number; attempts: number; lane: number; dueAt: Date }[]> {
    const { rows } = await this.api.database.pool.query(
      `select event_id as "eventId", attempts, lane, due_at as "dueAt" from delivery_queue
       where webhook_id = $1 order by event_id`,
      [id],
    );
    return rows;
  }

  async depth({ id }: { id: number }): Promise<number> {
    const statement = 'select count(*) as depth from delivery_queue where webhook_id = $1';
    return (await this.api.database.pool.query(statement, [id])).rows[0].depth;
  }

  /** All attempts in order. */
  async attempts({ id }: { id: number }): Promise<Attempt[]> {
    const { rows } = await this.api.database.pool.query(
      `select event_id as "eventId", number, url, outcome, status_code as "statusCode", reason, verdict,
         started_at as "startedAt"
       from attempts where webhook_id = $1 order by started_at, number`,
      [id],
    );
    return rows;
  }

  async verdicts(webhook: { id: number }): Promise<string[]> {
    return (await this.attempts(webhook)).map(({ verdict }) => verdict);
  }
}
