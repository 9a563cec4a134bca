import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createServer } from '../api/server.ts';
import { type Config, checkServing } from '../config.ts';
import { DeliveryWorker } from '../events/delivery/worker.ts';
import { Sender } from '../events/transport/sender.ts';
import { ownAddress } from '../http/public-address.ts';
import { startJobs } from '../jobs/runner.ts';
import { openDirectories } from '../platform/directories/open-directories.ts';
import type { SandboxAccess } from '../platform/directories/sandbox-control.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { DeliveryMetrics } from '../telemetry/delivery-metrics.ts';
import { registerQueueMetrics } from '../telemetry/queue-metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { version } from '../version.ts';
import { openMetricsPort } from './metrics-port.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { explainPort } from './port-problem.ts';
import { openSandbox } from './sandbox-beside.ts';

export interface Roles {
  /** Answers the API. */
  serve: boolean;
  /** Sends deliveries and runs jobs. */
  work: boolean;
}

export interface Service extends Platform {
  /** Where the API is, when it is served. */
  baseUrl: string | undefined;
  /** The sandbox network, when this process works with one. */
  sandbox: SandboxAccess | undefined;
  /** Finishes what is under way and leaves everything in order. */
  stop(): Promise<void>;
}

/**
 * Starts what a process is asked to be; what was started is stopped again when a later part fails to start, or when
 * somebody has asked for the end meanwhile.
 */
export async function startService(config: Config, roles: Roles, log: Logger, asked?: AbortSignal): Promise<Service> {
  const undo: (() => Promise<unknown>)[] = [];
  // One that fails must not keep the others from leaving everything in order, the database above all.
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) {
      await step().catch((error) => log.error({ event: 'service.stop-failed', err: error }));
    }
  };
  try {
    if (roles.serve) checkServing(config);
    const tracing = config.otlpEndpoint ? await startTracing(config.otlpEndpoint, version) : undefined;
    if (tracing) undo.push(() => tracing.stop());
    const platform = await openPlatform(config, log);
    undo.push(() => platform.close());
    asked?.throwIfAborted();
    const { database, sealer } = platform;

    const metrics = new Registry();
    collectDefaultMetrics({ register: metrics });
    registerQueueMetrics(metrics, database.pool);
    const sender = new Sender({
      policy: { allow: config.allowTargets, requireHttps: config.requireHttps },
      timeoutMs: config.deliveryTimeoutMs,
      connectionsPerHost: config.hostConcurrency,
    });
    undo.push(() => sender.close());
    const files = openFileStore(config);
    undo.push(() => files.close());

    const sandbox = roles.work ? await openSandbox(config, log) : undefined;
    if (sandbox) undo.push(() => sandbox.stop());
    asked?.throwIfAborted();
    if (roles.work) {
      const directories = openDirectories(config, sandbox?.access);
      undo.push(() => directories.close());
      const jobs = await startJobs({ database, config, log, directories, files });
      undo.push(() => jobs.stop());
      const deliveryMetrics = new DeliveryMetrics(metrics);
      const userAgent = `Waypost/${version}`;
      const worker = new DeliveryWorker({ config, database, sealer, sender, metrics: deliveryMetrics, log, userAgent });
      worker.start();
      undo.push(() => worker.stop());
      asked?.throwIfAborted();
    }
    const services = {
      config,
      database,
      sealer,
      sender,
      files,
      log,
      metrics,
      ...(sandbox && { sandbox: sandbox.access }),
    };
    if (config.metricsPort !== undefined) {
      const metricsServer = await openMetricsPort(services, config.metricsPort);
      undo.push(() => metricsServer.close());
      log.info({ event: 'metrics.started' }, `Metrics at ${metricsServer.listeningOrigin}/metrics`);
    }
    let baseUrl: string | undefined;
    if (roles.serve) {
      const server = createServer(services);
      undo.push(() => server.close());
      baseUrl = await listen(server, config);
    }
    asked?.throwIfAborted();
    return { ...platform, baseUrl, sandbox: sandbox?.access, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(server: FastifyInstance, { host, port, tlsCert }: Config): Promise<string> {
  await server.listen({ host, port }).catch((error) => explainPort(error, { host, port, settings: 'HOST or PORT' }));
  const address = server.addresses()[0] as AddressInfo | undefined;
  return ownAddress({ host, port: address?.port ?? port, tlsCert });
}
