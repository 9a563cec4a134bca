import { once } from 'node:events';
import type { Logger } from 'pino';
import { type Config, version } from '../config.ts';
import { waitForDatabase } from '../database/faults.ts';
import type { DemoData } from '../modules/demo/index.ts';
import type { LogExport } from '../telemetry/log-export.ts';
import { openLog } from '../telemetry/logger.ts';
import { type DemoCredentials, disableDemoPartner, prepareDemo, prepareDemoWebhooks, startDemoData } from './demo.ts';
import { type Roles, roleName, type Service, startService } from './service.ts';
import { stopRequest } from './shutdown.ts';

const noDirectories =
  'No directory is configured: locations cannot be synced, and there are no listings, reviews or insights. Set ' +
  'WAYPOST_SANDBOX to on to use the sandbox network, or add connectors as described in CONTRIBUTING.md ("Directory").';

/** Runs the whole platform or a part of it until it is asked to stop. */
export async function runAs(roles: Roles, config: Config): Promise<void> {
  const stopSignal = stopRequest(config);
  const { log, logExport } = await openLog(config, { role: roleName(roles), version });
  let isStopped = true;
  let isExported = true;
  try {
    isStopped = await runUntilStopped(config, roles, { log, logExport, stopSignal });
  } finally {
    if (logExport) isExported = await logExport.stop();
  }
  // Parts that did not stop, and requests to the collector, may keep the process alive.
  if (!isStopped) process.exit(1);
  if (!isExported) process.exit();
  exitSoon(log);
}

interface Run {
  log: Logger;
  logExport: LogExport | undefined;
  stopSignal: AbortSignal;
}

/** Returns whether all parts stopped in time. */
async function runUntilStopped(config: Config, roles: Roles, run: Run): Promise<boolean> {
  const { log, stopSignal } = run;
  try {
    const service = await start(config, roles, run);
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
    log.info({ event: 'service.stopping', reason: stopSignal.reason }, 'Shutting down: finishing work in progress');
    // No delay after Ctrl-C. After SIGTERM, load balancers may still send requests.
    const isComplete = await service.stop({ delayMs: stopSignal.reason === 'SIGTERM' ? config.shutdownDelayMs : 0 });
    if (!isComplete) {
      log.error({ event: 'service.not-stopped' }, 'Not all parts stopped in time. Exiting');
      return false;
    }
  } catch (error) {
    if (!stopSignal.aborted) throw error;
    // Ctrl-C also stops child processes, so errors during the start are expected.
    log.debug({ event: 'service.start-aborted', err: error });
  }
  log.info({ event: 'service.stopped', reason: stopSignal.reason }, 'Stopped');
  return true;
}

/** For a connection or timer that no part closed: the process would not exit. */
function exitSoon(log: Logger): void {
  setTimeout(() => {
    log.error(
      { event: 'service.not-exited', resources: process.getActiveResourcesInfo() },
      'Stopped, but connections or timers are still open. Exiting',
    );
    process.exit();
  }, exitMs).unref();
}

const exitMs = 5000;

async function start(config: Config, roles: Roles, { log, logExport, stopSignal }: Run): Promise<Service> {
  const began = performance.now();
  if (!config.sandbox) log.warn({ event: 'directories.none' }, noDirectories);
  const service = await startService(config, roles, log, { stopSignal, logExport });
  try {
    await waitForDatabase(() => prepareDemoMode(service, config, log), { log, signal: stopSignal });
  } catch (error) {
    await service.stop();
    throw error;
  }
  log.info(
    { event: 'service.started', ...roles, baseUrl: service.baseUrl, tookMs: Math.round(performance.now() - began) },
    roles.serve ? `Waypost is running at ${service.baseUrl}` : 'The Waypost worker is running',
  );
  return service;
}

async function prepareDemoMode(service: Service, config: Config, log: Logger): Promise<void> {
  if (!config.demo) return service.baseUrl ? disableDemoPartner(service) : undefined;
  const { baseUrl } = service;
  const demo = baseUrl && (await prepareDemo(service, config.dataDir, baseUrl));
  // Before the demo data, to receive its events.
  await prepareDemoWebhooks(service, config, log);
  if (!demo) return;
  printWelcome(baseUrl, config, demo, await startDemoData(service, demo.salesPartnerId, config));
}

const hiddenLines = ({ logLevel }: Config) =>
  ['trace', 'debug', 'info'].includes(logLevel)
    ? ''
    : `\n  Log lines below level ${logLevel} are hidden; WAYPOST_LOG_LEVEL=info shows every delivery.`;

function printWelcome(baseUrl: string, config: Config, demo: DemoCredentials, data: DemoData | undefined): void {
  process.stdout.write(`
  Waypost is running in demo mode with a demo partner.

    console       ${baseUrl}/console
    API           ${baseUrl}/api
    reference     ${baseUrl}/docs
    health        ${baseUrl}/health/ready

    privateKey    ${demo.privateKey}
    publicKey     ${demo.publicKey}
    admin         ${demo.adminEmail}  ${demo.adminPassword ?? '(password changed by the user)'}

  The credentials are also in ${config.dataDir}/demo.json. Next, in another terminal:

    bin/waypost listen --all          receive, verify and print every event
    bin/waypost emit --all            record one example event of each type

  Press Ctrl-C to stop. All data is stored in ${config.dataDir}.${hiddenLines(config)}
${data ? `\n  ${data.message}\n` : ''}
`);
}
