import { once } from 'node:events';
import type { Logger } from 'pino';
import { type Config, checkDemoHost, checkServing, readConfig } from '../config.ts';
import { whenDatabaseIsThere } from '../database/await-database.ts';
import type { DemoData } from '../product/demo/demo-state.ts';
import { createLogger } from '../telemetry/logger.ts';
import { beginDemoData, type DemoCredentials, prepareDemo, retireDemo } from './demo.ts';
import { prepareDemoWebhooks } from './demo-webhooks.ts';
import { type Roles, type Service, startService } from './service.ts';
import { stopRequest } from './shutdown.ts';

const noDirectories =
  'No directory is configured: locations cannot be synced, and there are no listings, reviews or insights. Set ' +
  'WAYPOST_SANDBOX to on for the sandbox network, or add connectors as CONTRIBUTING.md describes ("A directory").';

/** Runs the whole platform or a part of it until it is asked to stop. */
export async function runAs(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config);
  const asked = stopRequest(config);
  try {
    const service = await start(config, roles, log, asked);
    if (!asked.aborted) await once(asked, 'abort');
    log.info({ event: 'service.stopping', reason: asked.reason }, 'Finishing what is under way');
    // Ctrl-C comes from a person who waits; SIGTERM may come while load balancers still send requests here.
    const isComplete = await service.stop({ delayMs: asked.reason === 'SIGTERM' ? config.shutdownDelayMs : 0 });
    if (!isComplete) abandon(log);
  } catch (error) {
    if (!asked.aborted) throw error;
    // Ctrl-C also reaches programs that a start waits for: what they then fail with is no news.
    log.debug({ event: 'service.start-broken-off', err: error });
  }
  log.info({ event: 'service.stopped', reason: asked.reason }, 'Stopped');
}

/** A part that did not stop may hold connections or timers, which would keep the process alive. */
function abandon(log: Logger): never {
  log.error({ event: 'service.not-stopped' }, 'Ending the process, though not every part has stopped');
  process.exit(1);
}

async function start(config: Config, roles: Roles, log: Logger, asked: AbortSignal): Promise<Service> {
  const began = performance.now();
  if (roles.serve) checkServing(config);
  if (roles.serve) checkDemoHost(config, process.env);
  if (!config.sandbox) log.warn({ event: 'directories.none' }, noDirectories);
  const service = await startService(config, roles, log, asked);
  try {
    await whenDatabaseIsThere(() => welcome(service, config, log), { log, signal: asked });
  } catch (error) {
    await service.stop();
    throw error;
  }
  log.info(
    { event: 'service.started', ...roles, baseUrl: service.baseUrl, tookMs: Math.round(performance.now() - began) },
    roles.serve ? `Waypost answers at ${service.baseUrl}` : 'Waypost delivers',
  );
  return service;
}

async function welcome(service: Service, config: Config, log: Logger): Promise<void> {
  if (!config.demo) return service.baseUrl ? retireDemo(service) : undefined;
  const { baseUrl } = service;
  const demo = baseUrl && (await prepareDemo(service, config.dataDir, baseUrl));
  // Before the demo data, whose events they receive.
  await prepareDemoWebhooks(service, config, log);
  if (!demo) return;
  introduce(baseUrl, config, demo, await beginDemoData(service, demo.salesPartnerId, config));
}

const hiddenLines = ({ logLevel }: Config) =>
  ['trace', 'debug', 'info'].includes(logLevel)
    ? ''
    : `\n  Log lines below level ${logLevel} are hidden; WAYPOST_LOG_LEVEL=info shows every delivery.`;

function introduce(baseUrl: string, config: Config, demo: DemoCredentials, data: DemoData | undefined): void {
  process.stdout.write(`
  Waypost is running in demo mode, with one partner to try it with.

    console       ${baseUrl}/console
    API           ${baseUrl}/api
    reference     ${baseUrl}/docs
    health        ${baseUrl}/health/ready

    privateKey    ${demo.privateKey}
    publicKey     ${demo.publicKey}
    admin         ${demo.adminEmail}  ${demo.adminPassword ?? '(the password that was set for him since)'}

  The credentials are also in ${config.dataDir}/demo.json. Next, in another terminal:

    bin/waypost listen --all          receive, verify and print every event
    bin/waypost emit --all            record one example event of each type

  Ctrl-C stops it; everything is kept in ${config.dataDir}.${hiddenLines(config)}
${data ? `\n  ${data.message}\n` : ''}
`);
}
