import pino from 'pino';
import { Job } from '../../src/jobs/job.ts';
import type { TestPartner } from './api.ts';
import { DeliveryScene, type TestWebhook } from './delivery-scene.ts';
import { runJobs } from './jobs.ts';
import { eventually } from './loopback-receivers.ts';

export const alertsPath = '/api/sales-partners/webhooks/alerts';

interface Alert {
  id: number;
  webhookId: number;
  cause: string;
  message: string;
  since: string;
  until?: string;
  deadline?: string;
}

/** A delivery scene with alerts. Times are moved in the database. */
export class AlertScene {
  readonly scene: DeliveryScene;
  readonly env: NodeJS.ProcessEnv;
  readonly #logLines: string[] = [];

  private constructor(scene: DeliveryScene, env: NodeJS.ProcessEnv) {
    this.scene = scene;
    this.env = env;
  }

  static async open(env: NodeJS.ProcessEnv = {}): Promise<AlertScene> {
    return new AlertScene(await DeliveryScene.open(), env);
  }

  query(text: string, values: unknown[] = []) {
    return this.scene.api.database.pool.query(text, values);
  }

  /** With early, also jobs that are not due yet. */
  runJobs(options: { early?: boolean } = {}): Promise<void> {
    const log = pino({ level: 'info' }, { write: (line: string) => void this.#logLines.push(line) });
    return runJobs(this.scene.api.database, { env: this.env, log, ...options });
  }

  /** The log of the jobs. */
  log(): string {
    return this.#logLines.join('');
  }

  /** The job that the schedule enqueues every minute, and the jobs that it enqueues. */
  async findAlerts(): Promise<void> {
    await this.enqueueFind();
    await this.runJobs();
  }

  enqueueFind(): Promise<void> {
    return new Job('alerts.find').enqueue(this.scene.api.database.pool, {});
  }

  /** Newest first. */
  async alerts(query = '', partner: Pick<TestPartner, 'call'> = this.scene.partner): Promise<Alert[]> {
    return (await partner.call('GET', `${alertsPath}${query}`)).body.response.alerts;
  }

  /** The open causes of a webhook, after the jobs that the worker has enqueued. */
  async causes({ id }: { id: number }): Promise<string[]> {
    await this.runJobs();
    return (await this.alerts(`?state=OPEN&webhookId=${id}`)).map(({ cause }) => cause).sort();
  }

  /** Waits until the webhook has these open alerts. */
  async expectCauses(webhook: { id: number }, ...causes: string[]): Promise<void> {
    await eventually(() => this.causes(webhook)).toEqual(causes);
  }

  /** All attempts failed, one per hour, or at the given times ago. */
  async setFailures({ id }: TestWebhook, failures: { since: string; trips?: number; at?: string[] }): Promise<void> {
    await this.query('delete from webhook_statistics where webhook_id = $1', [id]);
    await this.query(
      `insert into webhook_statistics (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
       select $1::bigint, 60, now() - age, 0, 5, 0, '{}'::int[]
       from unnest(coalesce($3::interval[], array(
         select make_interval(hours => hours)
         from generate_series(0, (extract(epoch from $2::interval) / 3600)::int) as hourly (hours)
       ))) as ages (age)`,
      [id, failures.since, failures.at],
    );
    await this.query(
      `update webhook_health set consecutive_failures = 20, trips = $2, last_error = 'Status 500.',
         failing_since = now() - $3::interval
       where webhook_id = $1`,
      [id, failures.trips ?? 0, failures.since],
    );
  }

  async setHealthy({ id }: TestWebhook): Promise<void> {
    await this.query(
      'update webhook_health set consecutive_failures = 0, trips = 0, failing_since = null where webhook_id = $1',
      [id],
    );
  }

  /** Moves everything that the alerts remember into the past. */
  async passTime(interval: string): Promise<void> {
    await this.query('update webhook_alert_messages set sent_at = sent_at - $1::interval', [interval]);
    await this.query(
      `update webhook_alerts set opened_at = opened_at - $1::interval, over_at = over_at - $1::interval,
         deadline = deadline - $1::interval`,
      [interval],
    );
  }
}
