import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, type GaugeConfiguration, Histogram, type Registry } from 'prom-client';
import type { ReadReplica } from '../database/read-replica.ts';

// Indexed by lane number.
const laneNames = ['first', 'retry', 'replay', 'requested', 'ordered'];
// Seconds.
const shortBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class DeliveryMetrics {
  readonly #attempts: Record<string, Counter.Internal>;
  readonly #duration: Histogram.Internal<string>;
  readonly #latency: Histogram.Internal<string>;
  readonly #claimDuration: Histogram.Internal<string>[];
  readonly #claimedTotal: Counter.Internal[];
  readonly #settleDuration: Histogram;
  readonly #discarded: Counter;

  /** Set by the worker, called at each scrape. */
  claimedCount: () => number = () => 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const attempts = new Counter({
      name: 'waypost_delivery_attempts_total',
      help: 'Delivery attempts by outcome',
      labelNames: ['outcome'],
      registers,
    });
    this.#attempts = Object.fromEntries(
      ['delivered', 'refused', 'gone', 'unreachable'].map((outcome) => [outcome, attempts.labels(outcome)]),
    );
    this.#duration = new Histogram({
      name: 'waypost_delivery_attempt_seconds',
      help: 'Duration of an attempt with DNS lookup and connection, without waiting for a connection slot',
      buckets: [...shortBuckets, 10, 15],
      registers,
    }).labels();
    this.#latency = new Histogram({
      name: 'waypost_delivery_latency_seconds',
      help: 'Time from recording an event to the end of its first attempt, without replays',
      buckets: [...shortBuckets, 10, 30, 60, 300, 1800],
      registers,
    }).labels();
    const claimDuration = new Histogram({
      name: 'waypost_claim_seconds',
      help: 'Time to lease webhooks and claim their due deliveries',
      labelNames: ['lane'],
      buckets: shortBuckets,
      registers,
    });
    this.#claimDuration = laneNames.map((lane) => claimDuration.labels(lane));
    const claimedTotal = new Counter({
      name: 'waypost_claimed_total',
      help: 'Claimed deliveries',
      labelNames: ['lane'],
      registers,
    });
    this.#claimedTotal = laneNames.map((lane) => claimedTotal.labels(lane));
    this.#settleDuration = new Histogram({
      name: 'waypost_settle_seconds',
      help: 'Time to settle a batch of attempts',
      buckets: shortBuckets,
      registers,
    });
    this.#discarded = new Counter({
      name: 'waypost_deliveries_discarded_total',
      help: 'Deliveries that ended without success: the last attempt failed, or the receiver is gone',
      registers,
    });
    const gauge: Gauge = new Gauge({
      name: 'waypost_deliveries_in_flight',
      help: 'Deliveries that this process has claimed and not yet settled',
      registers,
      collect: () => gauge.set(this.claimedCount()),
    });
  }

  recordClaim(lane: number, tookMs: number, count: number): void {
    this.#claimDuration[lane]?.observe(tookMs / 1000);
    this.#claimedTotal[lane]?.inc(count);
  }

  recordAttempt(
    delivery: { attempts: number; recordedAt: string; replayId: number | null },
    outcome: { kind: string; phases: { totalMs: number } },
    verdict: { state: string },
  ): void {
    if (verdict.state === 'DISCARDED') this.#discarded.inc();
    this.#attempts[outcome.kind]?.inc();
    this.#duration.observe(outcome.phases.totalMs / 1000);
    // The first attempt of a skipped event is part of a replay, hours or days after the event.
    if (delivery.attempts > 0 || delivery.replayId !== null) return;
    this.#latency.observe((Date.now() - Date.parse(delivery.recordedAt)) / 1000);
  }

  recordSettlement(tookMs: number): void {
    this.#settleDuration.observe(tookMs / 1000);
  }
}

/** Metrics of the process itself: version, role, Node.js. */
export function registerProcessMetrics(registry: Registry, labels: { version: string; role: string }): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'waypost_build_info',
    help: 'Always 1; the labels are the version, the command that started the process, and the version of Node.js',
    labelNames: ['version', 'role', 'node'],
    registers: [registry],
  }).set({ ...labels, node: process.versions.node }, 1);
}

/** The database connections of this process. */
export class PoolMetrics {
  readonly #pools = new Map<string, Pool>();

  constructor(registry: Registry) {
    const shared = { labelNames: ['pool'], registers: [registry] };
    this.#gauge({
      ...shared,
      name: 'waypost_database_connections',
      help: 'Open database connections',
      labelNames: ['pool', 'state'],
      read: ({ totalCount, idleCount }, pool) => [
        [{ pool, state: 'idle' }, idleCount],
        [{ pool, state: 'used' }, totalCount - idleCount],
      ],
    });
    this.#gauge({
      ...shared,
      name: 'waypost_database_connections_max',
      help: 'Most database connections that a pool opens',
      read: ({ options }, pool) => [[{ pool }, options.max]],
    });
    this.#gauge({
      ...shared,
      name: 'waypost_database_connection_waits',
      help: 'Statements and transactions that wait for a database connection',
      read: ({ waitingCount }, pool) => [[{ pool }, waitingCount]],
    });
  }

  add(name: string, pool: Pool): void {
    this.#pools.set(name, pool);
  }

  #gauge({ read, ...configuration }: PoolGauge): void {
    const gauge: Gauge = new Gauge({
      ...configuration,
      collect: () => {
        for (const [name, pool] of this.#pools) {
          for (const [labels, value] of read(pool, name)) gauge.set(labels, value);
        }
      },
    });
  }
}

/** The replica of DATABASE_READ_URL, as this process sees it. */
export function registerReplicaMetrics(registry: Registry, replica: Pick<ReadReplica, 'status'>): void {
  const registers = [registry];
  const lag: Gauge = new Gauge({
    name: 'waypost_replica_lag_seconds',
    help: 'Upper bound of the lag of the read replica; NaN if it is not known',
    registers,
    collect: () => lag.set(replica.status.lagSeconds ?? Number.NaN),
  });
  const used: Gauge = new Gauge({
    name: 'waypost_replica_used',
    help: '1 while reads that may lag use the read replica, 0 while they use the primary',
    registers,
    collect: () => used.set(replica.status.state === 'used' ? 1 : 0),
  });
}

interface PoolGauge extends GaugeConfiguration<string> {
  read: (pool: Pool, name: string) => [Record<string, string>, number][];
}
