import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

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

interface Replica {
  readonly status: { state: 'used' | 'lagging' | 'unavailable'; lagSeconds: number | undefined };
}

/** The replica of DATABASE_READ_URL, as this process sees it. */
export function registerReplicaMetrics(registry: Registry, replica: Replica): void {
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

interface PoolGauge {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
  read: (pool: Pool, name: string) => [Record<string, string>, number][];
}
