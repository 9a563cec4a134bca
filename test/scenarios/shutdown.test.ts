import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { listenAsCollector } from '../support/collector.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { type Reply, startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';

const soon = { timeout: 30_000, interval: 50 };

test('an incomplete request does not delay the shutdown, and the database is stopped', {
  timeout: 120_000,
}, async () => {
  const dataDir = temporaryFolder();
  const port = await freePort();
  const service = startCli(['start'], {
    WAYPOST_DATA_DIR: dataDir,
    PORT: `${port}`,
    WAYPOST_SANDBOX: 'off',
    WAYPOST_DEMO_LOCATIONS: '0',
  });
  await service.waitForOutput(/Waypost is running/);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  socket.write('GET /health/live HTTP/1.1\r\nhost: ');
  service.child.kill('SIGTERM');
  const { code, stdout } = await service.ended;
  expect({ code, overdue: stdout.includes('stop-overdue') }).toEqual({ code: 0, overdue: false });
  await expect(readFile(join(dataDir, 'postgres/cluster/postmaster.pid'))).rejects.toThrow('ENOENT');
});

test('after SIGTERM the process is not ready and still serves requests during the delay', {
  timeout: 120_000,
}, async () => {
  const fleet = await Fleet.create({ WAYPOST_SHUTDOWN_DELAY: '5s' });
  const port = await freePort();
  const service = fleet.start('serve', { PORT: `${port}` });
  await service.waitForOutput(/Waypost is running/);
  const call = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { privateKey: fleet.privateKey } }).then(
      ({ status }) => status,
    );
  expect(await call('/health/ready')).toBe(200);
  service.child.kill('SIGTERM');
  await expect.poll(() => call('/health/ready'), soon).toBe(503);
  expect(await call('/api/event-types')).toBe(200);
  expect((await service.ended).code).toBe(0);
});

test('a request in flight is finished within the time limit of its webhook, and the event is sent once', {
  timeout: 120_000,
}, async () => {
  const fleet = await Fleet.create({ WAYPOST_DELIVERY_TIMEOUT: '10ms' });
  const held = Promise.withResolvers<Reply>();
  const receiver = await startReceiver(() => held.promise);
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), 'LOCATION_CREATED');
  await fleet.rows('update webhooks set timeout_seconds = 30, revision = revision + 1');
  const worker = fleet.start('work');
  const [id] = await fleet.record('LOCATION_CREATED', 1);
  await expect.poll(() => receiver.open, soon).toBe(1);
  const ending = worker.interrupt();
  await worker.waitForOutput(/service\.stopping/);
  held.resolve(200);
  const { code, stdout } = await ending;
  expect({ code, overdue: stdout.includes('stop-overdue') }).toEqual({ code: 0, overdue: false });
  expect(receiver.ids()).toEqual([id]);
  expect(await fleet.rows('select verdict from attempts')).toEqual([{ verdict: 'DELIVERED' }]);
});

test('logs a part that does not stop in time and stops the others', { timeout: 180_000 }, async () => {
  const fleet = await Fleet.create({ WAYPOST_DELIVERY_TIMEOUT: '2s' });
  const proxy = await DatabaseProxy.to(fleet.database.url);
  const held = Promise.withResolvers<Reply>();
  const receiver = await startReceiver(() => held.promise);
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), 'LOCATION_CREATED');
  const worker = fleet.start('work', { DATABASE_URL: proxy.url });
  await worker.waitForOutput(/worker is running/);
  await fleet.record('LOCATION_CREATED', 1);
  await expect.poll(() => receiver.open, soon).toBe(1);
  // The result of the delivery cannot be stored.
  proxy.stall();
  held.resolve(200);
  worker.child.kill('SIGTERM');
  const { code, stdout } = await worker.ended;
  expect(stdout).toMatch(/"service\.stop-overdue","part":"delivery worker"/);
  expect(code).toBe(1);
});

test('a process sends its log lines to the collector, also the last ones', { timeout: 120_000 }, async () => {
  const collector = await listenAsCollector((response) => response.writeHead(400).end());
  const fleet = await Fleet.create({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_LOGS_EXPORTER: 'otlp',
    WAYPOST_LOG_FORMAT: 'json',
    WAYPOST_METRICS_PORT: '0',
  });
  const service = fleet.start('work');
  const metrics = await service.waitForOutput(/Metrics at (\S+\/metrics)/);
  await service.waitForOutput(/service\.started/);
  await service.waitForOutput(/"event":"log-export\.failed","reason":"Bad Request","code":400/);
  const text = await (await fetch(metrics)).text();
  expect(Number(/^waypost_log_lines_dropped_total\{reason="export_failed"\} (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(
    0,
  );

  const refused = collector.lines().length;
  collector.respond = (response) => response.end('{}');
  const { code, stdout } = await service.interrupt();
  expect(code).toBe(0);
  const events = collector.lines().map(({ eventName }) => eventName);
  expect(events.slice(refused)).toEqual(expect.arrayContaining(['service.stopping', 'service.stopped']));
  // Sent once each, although the first one is refused like the other lines.
  expect(events.filter((event) => event?.startsWith('log-export'))).toEqual([
    'log-export.failed',
    'log-export.recovered',
  ]);
  expect(stdout.match(/log-export\.failed/g)).toHaveLength(1);
});

test('a collector that does not respond delays the shutdown for some seconds', { timeout: 120_000 }, async () => {
  const collector = await listenAsCollector(() => {});
  const fleet = await Fleet.create({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_LOGS_EXPORTER: 'otlp',
    WAYPOST_LOG_FORMAT: 'json',
  });
  const service = fleet.start('work');
  await service.waitForOutput(/service\.started/);
  await expect.poll(() => collector.lines().length, soon).toBeGreaterThan(0);
  const { code, stdout } = await service.interrupt();
  expect({ code, overdue: stdout.includes('stop-overdue') }).toEqual({ code: 0, overdue: false });
  expect(stdout).toContain('service.stopped');
});
