import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createServer } from '../api/server.ts';
import { type Config, checkServing, version } from '../config.ts';
import { auditDisabled } from '../events/alerts/review-alerts.ts';
import { DeliveryWorker } from '../events/delivery/worker.ts';
import { eventJobs } from '../events/event-service.ts';
import { registerQueueMetrics } from '../events/queue-metrics.ts';
import { EgressProxy } from '../events/transport/egress-proxy.ts';
import { Sender } from '../events/transport/sender.ts';
import { localBaseUrl } from '../http/base-url.ts';
import { composeJobs, type JobSet } from '../jobs/job.ts';
import { JobMetrics, registerJobQueueMetrics } from '../jobs/job-metrics.ts';
import { idCheckpointJob, startJobs } from '../jobs/runner.ts';
import { taskJobs } from '../jobs/tasks/task-job.ts';
import { openDirectories, pageFinder, type SandboxAccess } from '../modules/directories/index.ts';
import { modules } from '../modules/modules.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { storageJob } from '../storage/pending-files.ts';
import type { LogExport } from '../telemetry/log-export.ts';
import { DeliveryMetrics, PoolMetrics, registerProcessMetrics, registerReplicaMetrics } from '../telemetry/metrics.ts';
import { startOtlp } from '../telemetry/otlp.ts';
import { knownSandbox, openSandbox } from './local-sandbox.ts';
import { masterKeyJob } from './master-keys/reseal.ts';
import { explainPort, openMetricsPort } from './metrics-port.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { checkSharedFiles } from './shared-files.ts';
import { Parts } from './shutdown.ts';

export interface Roles {
  /** Serves the API. */
  serve: boolean;
  /** Sends deliveries and runs jobs. */
  work: boolean;
}

export interface Service extends Platform {
  /** The URL of the API, if it is served. */
  baseUrl: string | undefined;
  /** The sandbox network, if this process uses one. */
  sandbox: SandboxAccess | undefined;
  /** Finishes work in progress and stops all parts. Returns whether all stopped in time; the log names the others. */
  stop(options?: StopOptions): Promise<boolean>;
}

/** The command that starts a process with these roles. */
export const roleName = ({ serve, work }: Roles): string => (serve && work ? 'start' : serve ? 'serve' : 'work');

interface StartOptions {
  stopSignal?: AbortSignal;
  /** For its metric. */
  logExport?: LogExport | undefined;
}

interface StopOptions {
  /** How long the API still serves requests while /health/ready returns 503. */
  delayMs?: number;
}

const workMs = 20_000;
/** Time to store the results of the last attempts. */
const settleMs = 10_000;
const toolsMs = 5000;
const sandboxMs = 10_000;
const databaseMs = 50_000;

/** Starts the parts of a process. If a part fails or a stop is requested meanwhile, the started parts are stopped. */
export async function startService(
  config: Config,
  roles: Roles,
  log: Logger,
  { stopSignal, logExport }: StartOptions = {},
): Promise<Service> {
  const parts = new Parts(log);
  const stopping = new AbortController();
  let closeDelayMs = 0;
  const stop = async ({ delayMs = 0 }: StopOptions = {}) => {
    closeDelayMs = delayMs;
    stopping.abort();
    return parts.stop();
  };
  try {
    if (roles.serve) checkServing(config);
    const metrics = new Registry();
    registerProcessMetrics(metrics, { version, role: roleName(roles) });
    if (logExport) metrics.registerMetric(logExport.dropped);
    const otlp = await openOtlp(config, metrics);
    if (otlp) parts.add({ name: 'OpenTelemetry', stage: 'base', limitMs: toolsMs, stop: () => otlp.stop() });
    const platform = await openPlatform(config, log, stopSignal);
    parts.add({ name: 'database', stage: 'base', limitMs: databaseMs, stop: () => platform.close() });
    stopSignal?.throwIfAborted();
    const { database, sealer } = platform;

    registerQueueMetrics(metrics, database.pool);
    registerJobQueueMetrics(metrics, database.pool);
    const pools = new PoolMetrics(metrics);
    pools.add('request', database.pool);
    if (database.replica) {
      registerReplicaMetrics(metrics, database.replica);
      pools.add('replica', database.replica.pool({ limit: 'request', connections: config.databaseConnections }));
    }
    const sender = new Sender({
      policy: { allow: config.allowTargets, requireHttps: config.requireHttps },
      timeoutMs: config.deliveryTimeoutMs,
      connectionsPerHost: config.hostConcurrency,
      proxy: config.egressProxy && new EgressProxy(config.egressProxy),
    });
    parts.add({ name: 'sender', stage: 'tools', limitMs: toolsMs, stop: () => sender.abort() });
    const files = openFileStore(config);
    parts.add({ name: 'file store', stage: 'tools', limitMs: toolsMs, stop: async () => files.close() });
    await checkSharedFiles(config, database, files, log);

    const sandbox = roles.work ? await openSandbox(config, log) : undefined;
    if (sandbox) parts.add({ name: 'sandbox', stage: 'tools', limitMs: sandboxMs, stop: () => sandbox.stop() });
    stopSignal?.throwIfAborted();
    const directories = openDirectories(config, sandbox?.access ?? knownSandbox(config));
    parts.add({ name: 'directories', stage: 'tools', limitMs: toolsMs, stop: async () => directories.close() });
    if (roles.work) {
      const jobs = await startJobs(platformJobs, {
        database,
        config,
        log,
        sealer,
        directories,
        files,
        metrics: new JobMetrics(metrics),
      });
      pools.add('job', jobs.pool);
      parts.add({ name: 'jobs', stage: 'work', limitMs: workMs, stop: () => jobs.stop() });
      const deliveryMetrics = new DeliveryMetrics(metrics);
      const userAgent = `Waypost/${version}`;
      const worker = new DeliveryWorker({
        config,
        database,
        sealer,
        sender,
        metrics: deliveryMetrics,
        log,
        userAgent,
        auditDisabled,
      });
      pools.add('delivery', worker.pool);
      worker.start();
      parts.add({
        name: 'delivery worker',
        stage: 'work',
        get limitMs() {
          return worker.longestRequestMs + settleMs;
        },
        stop: () => worker.stop(),
      });
      stopSignal?.throwIfAborted();
    }
    const services = {
      config,
      database,
      sealer,
      sender,
      files,
      log,
      metrics,
      stopping: stopping.signal,
      pages: pageFinder(directories),
      ...(sandbox && { sandbox: sandbox.access }),
    };
    if (config.metricsPort !== undefined) {
      const metricsServer = await openMetricsPort(services, config.metricsPort);
      parts.add({ name: 'metrics port', stage: 'work', limitMs: toolsMs, stop: () => metricsServer.close() });
      log.info({ event: 'metrics.started' }, `Metrics at ${metricsServer.listeningOrigin}/metrics`);
    }
    let baseUrl: string | undefined;
    if (roles.serve) {
      const server = createServer(services);
      const limitMs = config.shutdownDelayMs + workMs;
      const close = async () => {
        await pause(closeDelayMs);
        await server.close();
      };
      parts.add({ name: 'API', stage: 'work', limitMs, stop: close });
      baseUrl = await listen(server, config);
    }
    stopSignal?.throwIfAborted();
    return { ...platform, baseUrl, sandbox: sandbox?.access, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openOtlp({ otlpEndpoint: endpoint, otlpMetrics }: Config, metrics: Registry) {
  if (!endpoint) return undefined;
  return startOtlp({ endpoint, version, metrics: otlpMetrics === 'otlp' ? metrics : undefined });
}

async function listen(server: FastifyInstance, { host, port, tlsCert }: Config): Promise<string> {
  await server.listen({ host, port }).catch((error) => explainPort(error, { host, port, settings: 'HOST or PORT' }));
  const address = server.addresses()[0] as AddressInfo | undefined;
  return localBaseUrl({ host, port: address?.port ?? port, tlsCert });
}

/** All background jobs. */
export const platformJobs: JobSet = {
  jobs: composeJobs([
    idCheckpointJob,
    ...eventJobs,
    ...taskJobs,
    storageJob,
    masterKeyJob,
    ...modules.flatMap(({ jobs }) => jobs),
  ]),
  async releaseLeases(sql, processIds) {
    for (const { releaseLeases } of modules) await releaseLeases?.(sql, processIds);
  },
};
