import { setImmediate } from 'node:timers/promises';
import { Logger, runMigrations, runOnce, type TaskList } from 'graphile-worker';
import { expect } from 'vitest';
import { type EventTypeName, eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { TestApi, type TestPartner } from './api.ts';
import { type Receiver, startReceiver, startWorker } from './delivery.ts';

const path = '/api/sales-partners/webhooks';
const silent = new Logger(() => () => {});

/**
 * An API and a receiver for all tests of a file; each test has partners and webhooks of its own. A worker runs only
 * while a test asks for it, so that what waits can be looked at. The path of a push URL says how the receiver answers:
 * `/200/…`, `/500/…`.
 */
export class LogScene {
  readonly api: TestApi;
  readonly receiver: Receiver;
  #urls = 0;

  private constructor(api: TestApi, receiver: Receiver) {
    this.api = api;
    this.receiver = receiver;
  }

  static async open(): Promise<LogScene> {
    const api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
    await runMigrations({ connectionString: api.database.url, logger: silent });
    return new LogScene(api, await startReceiver(({ path }) => Number(path.split('/')[1])));
  }

  async close(): Promise<void> {
    await this.receiver.close();
    await this.api.close();
  }

  /** Has a worker deliver until something is so. A delivery that fails is tried once more and then discarded. */
  async deliverUntil(isSo: () => Promise<unknown>): Promise<void> {
    const worker = startWorker(this.api.services, { retrySchedule: [0.02], breakerThreshold: 1000 });
    try {
      await expect.poll(isSo, { timeout: 10_000, interval: 30 }).toBeTruthy();
    } finally {
      await worker.stop();
    }
  }

  /** Does the jobs that are due now. */
  async runDueJobs(taskList: TaskList): Promise<void> {
    await runOnce({ connectionString: this.api.database.url, taskList, logger: silent, noHandleSignals: true });
  }

  /** Until nothing of a webhook waits any more. */
  deliver(webhook: { id: number }): Promise<void> {
    return this.deliverUntil(async () => (await this.queueOf(webhook)).length === 0);
  }

  query(text: string, values?: unknown[]) {
    return this.api.database.pool.query(text, values);
  }

  async webhook(by: TestPartner, status = 200, settings: object = {}): Promise<{ id: number; pushUrl: string }> {
    const pushUrl = this.receiver.url(`/${status}/${++this.#urls}`);
    const { code, body } = await by.call('POST', path, { pushUrl, type: 'LOCATION_CREATED', ...settings });
    expect(code).toBe(200);
    return body.response;
  }

  async change(by: TestPartner, { id }: { id: number }, change: object): Promise<void> {
    expect((await by.call('PATCH', `${path}/${id}`, change)).code).toBe(200);
  }

  async remove(by: TestPartner, { id }: { id: number }): Promise<void> {
    expect((await by.call('DELETE', `${path}/${id}`)).code).toBe(200);
  }

  /** Its receiver counts as failing until an hour from now. */
  async pause({ id }: { id: number }): Promise<void> {
    await this.query(
      `update webhook_health set trips = 1, consecutive_failures = 10, open_until = now() + interval '1 hour'
       where webhook_id = $1`,
      [id],
    );
  }

  async record({ partner }: TestPartner, type: EventTypeName = 'LOCATION_CREATED'): Promise<number> {
    return this.api.database.transaction((transaction) =>
      recordEvent(transaction, { partner, type, fields: eventTypes[type].example }),
    );
  }

  /** Records events, each in a millisecond of its own, and answers their ids, the oldest first. */
  async recordEvents(by: TestPartner, count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      ids.push(await this.record(by));
      for (const now = Date.now(); Date.now() === now; ) await setImmediate();
    }
    return ids;
  }

  async queueOf({ id }: { id: number }) {
    const { rows } = await this.query(
      `select event_id, lane, due_at, attempts, tries, replay_id from delivery_queue where webhook_id = $1
       order by event_id`,
      [id],
    );
    return rows;
  }
}
