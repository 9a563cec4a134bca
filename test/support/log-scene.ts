import { setImmediate } from 'node:timers/promises';
import { Logger, runMigrations, type TaskList } from 'graphile-worker';
import { expect } from 'vitest';
import { type EventTypeName, eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { TestApi, type TestPartner } from './api.ts';
import { type Receiver, startReceiver, startWorker } from './delivery.ts';
import { runTasks } from './jobs.ts';

const path = '/api/sales-partners/webhooks';
const silent = new Logger(() => () => {});

/**
 * API and receiver for all tests of a file. The worker runs only in `deliverUntil`, so that tests can read the queue. The
 * path of a push URL sets the status of the response: `/200/…`, `/500/…`.
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

  /** Runs a worker until the condition is met. Failed deliveries are retried once, then discarded. */
  async deliverUntil(condition: () => Promise<unknown>): Promise<void> {
    const worker = startWorker(this.api.services, { retrySchedule: [0.02], breakerThreshold: 1000 });
    try {
      await expect.poll(condition, { interval: 30 }).toBeTruthy();
    } finally {
      await worker.stop();
    }
  }

  async runDueJobs(taskList: TaskList): Promise<void> {
    await runTasks(this.api.database, taskList);
  }

  /** Runs a worker until the queue of the webhook is empty. */
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

  /** Opens the breaker for an hour. */
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

  /** Records events in different milliseconds and returns their ids, oldest first. */
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
