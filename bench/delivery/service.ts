/** The service under test, in a separate process: outbox, worker and sender with a real database. */
import { openSync, writeSync } from 'node:fs';
import pino from 'pino';
import { Registry } from 'prom-client';
import { readConfig } from '../../src/config.ts';
import { Database } from '../../src/database/connection.ts';
import { auditDisabled } from '../../src/events/alerts/review-alerts.ts';
import { eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { lanes, openQueueDatabase, readDueDeliveries } from '../../src/events/delivery/delivery-queue.ts';
import { leaseWaitingWebhooks, releaseLeases } from '../../src/events/delivery/leases.ts';
import { DeliveryWorker } from '../../src/events/delivery/worker.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { Sender } from '../../src/events/transport/sender.ts';
import { LineBuffer } from '../../src/telemetry/logger.ts';
import { DeliveryMetrics } from '../../src/telemetry/metrics.ts';

export type ServiceRequest =
  | { ask: 'fill'; events: number; partner: number; locations?: number }
  | { ask: 'start' }
  | { ask: 'stop' }
  | { ask: 'record'; events: number; partner: number; writers: number }
  | { ask: 'pace'; perSecond: number; seconds: number; partner: number }
  | { ask: 'claims'; rounds: number }
  | { ask: 'peakRss' };

const [url = '', masterKey = ''] = process.argv.slice(2);
const config = readConfig({ DATABASE_URL: url, WAYPOST_DEMO: 'on' });
const database = new Database(url, { connections: config.databaseConnections, name: 'waypost bench' });
// Log lines are formatted but discarded, because the disk is not measured.
const discard = openSync('/dev/null', 'w');
const log = pino({}, new LineBuffer((text) => writeSync(discard, text)));

let worker: DeliveryWorker | undefined;
let sender: Sender | undefined;

const type = 'LISTING_SYNC_CHECK';
const fields = eventTypes[type].example;

/** The fields of the nth event, of one of so many locations. */
const fieldsOf = (n: number, locations: number) => ({ ...fields, location: 1 + (n % locations) });

/** One transaction per event: the statement that records it. */
function record(partner: number): Promise<number> {
  return recordEvent(database.autocommit, { partner: { id: partner, identifier: `bench-${partner}` }, type, fields });
}

async function inParallel(writers: number, total: number, work: () => Promise<unknown>): Promise<void> {
  let started = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (started++ < total) await work();
    }),
  );
}

const responses = {
  async fill({ events, partner, locations = 1 }: { events: number; partner: number; locations?: number }) {
    const perTransaction = 500;
    for (let remaining = events; remaining > 0; remaining -= perTransaction) {
      await database.transaction(async (transaction) => {
        const batch = Array.from({ length: Math.min(remaining, perTransaction) }, (_, n) =>
          recordEvent(transaction, {
            partner: { id: partner, identifier: `bench-${partner}` },
            type,
            fields: fieldsOf(remaining + n, locations),
          }),
        );
        await Promise.all(batch);
      });
    }
    await database.pool.query('analyze delivery_queue');
  },
  async start() {
    sender = new Sender({
      policy: { allow: config.allowTargets, requireHttps: false },
      timeoutMs: config.deliveryTimeoutMs,
      connectionsPerHost: config.hostConcurrency,
    });
    worker = new DeliveryWorker({
      config,
      database,
      sender,
      log,
      sealer: new Sealer(Buffer.from(masterKey, 'base64')),
      metrics: new DeliveryMetrics(new Registry()),
      userAgent: 'Waypost/bench',
      auditDisabled,
    });
    worker.start();
  },
  async stop() {
    // Closing the sender aborts requests to hanging receivers.
    await Promise.all([worker?.stop(), sender?.close()]);
  },
  async record({ events, partner, writers }: { events: number; partner: number; writers: number }) {
    await inParallel(writers, events, () => record(partner));
  },
  async pace({ perSecond, seconds, partner }: { perSecond: number; seconds: number; partner: number }) {
    const committed: [number, number][] = [];
    const start = performance.now();
    const pending: Promise<void>[] = [];
    for (let n = 0; n < perSecond * seconds; n++) {
      const due = start + (n * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      pending.push(
        record(partner).then((id) => {
          committed.push([id, performance.timeOrigin + performance.now()]);
        }),
      );
    }
    await Promise.all(pending);
    return committed;
  },
  /** A claim like in the worker: lease waiting webhooks and read 256 deliveries, a fair share of each. */
  async claims({ rounds }: { rounds: number }) {
    const queue = openQueueDatabase(url);
    const lane = lanes.first;
    const tookMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const request = { lane, workerId: 1, leaseSeconds: 60, limit: 256, includeFailing: true, exceptPartners: [] };
      const leases = await leaseWaitingWebhooks(queue.pool, request);
      const limit = Math.ceil(256 / leases.length);
      const requests = leases.map(({ webhookId }) => ({ webhookId, after: null, limit, claimed: [] }));
      const due = await readDueDeliveries(queue.pool, lane, requests);
      tookMs.push(performance.now() - start);
      if (due.length < 256) throw new Error(`A claim found only ${due.length} deliveries.`);
      await releaseLeases(
        queue.pool,
        leases.map(({ token }) => token),
      );
    }
    await queue.close();
    return tookMs;
  },
  async peakRss() {
    return process.resourceUsage().maxRSS / 1024;
  },
};

process.on('message', async (request: ServiceRequest) => {
  try {
    const response = await (responses[request.ask] as (request: ServiceRequest) => Promise<unknown>)(request);
    process.send?.({ result: response });
  } catch (error) {
    process.send?.({ failed: String((error as Error).stack) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ result: 'ready' });
