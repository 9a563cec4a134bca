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

/** A delivery scene with alerts. Time passes by moving timestamps in the database into the past. */
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

  /** `early`: also runs jobs that are not due yet. */
  runJobs(options: { early?: boolean } = {}): Promise<void> {
    const log = pino({ level: 'info' }, { write: (line: string) => void this.#logLines.push(line) });
    return runJobs(this.scene.api.database, { env: this.env, log, ...options });
  }

  /** The log lines of all jobs. */
  log(): string {
    return this.#logLines.join('');
  }

  /** Runs the job `alerts.find`, which the schedule enqueues every minute, and the jobs that it enqueues. */
  async findAlerts(): Promise<void> {
    await this.enqueueFindAlerts();
    await this.runJobs();
  }

  enqueueFindAlerts(): Promise<void> {
    return new Job('alerts.find').enqueue(this.scene.api.database.pool, {});
  }

  /** The newest alert first. */
  async alerts(query = '', partner: Pick<TestPartner, 'call'> = this.scene.partner): Promise<Alert[]> {
    return (await partner.call('GET', `${alertsPath}${query}`)).body.response.alerts;
  }

  /** Runs the enqueued jobs and returns the causes of the open alerts of a webhook. */
  async causes({ id }: { id: number }): Promise<string[]> {
    await this.runJobs();
    return (await this.alerts(`?state=OPEN&webhookId=${id}`)).map(({ cause }) => cause).sort();
  }

  /** Waits until the webhook has these open alerts. */
  async expectCauses(webhook: { id: number }, ...causes: string[]): Promise<void> {
    await eventually(() => this.causes(webhook)).toEqual(causes);
  }

  /** Five attempts failed in every hour since `since`, or at each of the times `at`, counted back from now. */
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

  /** Moves the timestamps of alerts and of their messages into the past. */
  async passTime(interval: string): Promise<void> {
    await this.query('update webhook_alert_messages set sent_at = sent_at - $1::interval', [interval]);
    await this.query(
      `update webhook_alerts set opened_at = opened_at - $1::interval, over_at = over_at - $1::interval,
         deadline = deadline - $1::interval`,
      [interval],
    );
  }
}
