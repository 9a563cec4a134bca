import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { listenAsCollector, startCollector } from '../../test/support/collector.ts';
import { LogExport, openLogExport } from './log-export.ts';
import { logOptions } from './logger.ts';
import { inSpan } from './tracing.ts';

const soon = { timeout: 30_000, interval: 10 };

async function open(endpoint: string) {
  const logExport = await openLogExport(`${endpoint}/v1/logs`, '1.2.3');
  const log = pino({ ...logOptions({ logLevel: 'trace', otlpEndpoint: endpoint }), base: null }, logExport);
  return { logExport, log };
}

async function droppedBy({ dropped }: LogExport): Promise<Record<string, number>> {
  const { values } = await dropped.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]));
}

test('exports lines with severity, body, attributes, resource, trace id and span id', async () => {
  const collector = await startCollector();
  const { log, logExport } = await open(collector.endpoint);
  const before = Date.now();
  const ids = await inSpan('work', { kind: 'internal' }, async (span) => {
    log.warn({ event: 'work.slow', tookMs: 1.5, count: 2, isLast: true, list: ['a'], of: { id: 7 } }, 'It was slow');
    return { traceId: span?.traceId, spanId: span?.spanId };
  });
  for (const level of ['trace', 'debug', 'info', 'error', 'fatal'] as const) log[level]({ event: 'work.done' });
  expect(await logExport.stop()).toBe(true);
  const [slow, ...others] = collector.lines();
  expect(slow).toMatchObject({
    severityNumber: 13,
    severityText: 'warn',
    body: { stringValue: 'It was slow' },
    eventName: 'work.slow',
    attributes: [
      { key: 'event', value: { stringValue: 'work.slow' } },
      { key: 'tookMs', value: { doubleValue: 1.5 } },
      { key: 'count', value: { intValue: 2 } },
      { key: 'isLast', value: { boolValue: true } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }] } } },
      { key: 'of', value: { kvlistValue: { values: [{ key: 'id', value: { intValue: 7 } }] } } },
    ],
    ...ids,
  });
  expect(ids.traceId).toMatch(/^[0-9a-f]{32}$/);
  const time = Number(BigInt(slow?.timeUnixNano ?? 0) / 1_000_000n);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
  expect(others.map(({ severityNumber, body }) => [severityNumber, body.stringValue])).toEqual(
    [1, 5, 9, 17, 21].map((number) => [number, 'work.done']),
  );
  expect(others.every(({ traceId, spanId }) => !traceId && !spanId)).toBe(true);

  await collector.stop();
  const [{ resource }] = collector.bodies('/v1/logs')[0].resourceLogs;
  expect(JSON.stringify(resource)).toContain('"service.version","value":{"stringValue":"1.2.3"}');
  // One service.instance.id for all signals.
  expect(collector.bodies('/v1/traces')[0].resourceSpans[0].resource).toEqual(resource);
});

test('exports no secrets', async () => {
  const collector = await listenAsCollector();
  const { log, logExport } = await open(collector.endpoint);
  const headers = { authorization: 'hush', 'x-api-key': 'hush', cookie: ['hush'], host: 'here' };
  const err = Object.assign(new Error('It failed.'), { request: { headers }, password: 'hush' });
  log.error({ err, privateKey: 'hush', nested: [{ accessToken: 'hush' }] }, 'failed');
  expect(await logExport.stop()).toBe(true);
  const text = JSON.stringify(collector.lines());
  expect(text).toContain('It failed.');
  expect(text).toContain('here');
  expect(text).not.toContain('hush');
});

test('a hanging collector gets one request, and lines beyond 8 MiB are dropped and counted', async () => {
  const waiting: ServerResponse[] = [];
  const collector = await listenAsCollector((response) => waiting.push(response));
  const { log, logExport } = await open(collector.endpoint);
  const detail = 'x'.repeat(10_000);
  const written = 3000;
  for (let number = 0; number < written; number += 1) log.info({ number, detail });
  await expect.poll(() => waiting.length, soon).toBe(1);
  // Fills the rest of the queue.
  for (let number = written; number < 2 * written; number += 1) log.info({ number, detail });
  const { queue_full: dropped = 0, export_failed: failed } = await droppedBy(logExport);
  expect(failed).toBe(0);
  const kept = 2 * written - dropped;
  expect(kept * detail.length).toBeGreaterThan(8 * 1024 * 1024 * 0.9);
  expect(kept * detail.length).toBeLessThan(8 * 1024 * 1024 + 2 * 128 * 1024);
  expect(waiting).toHaveLength(1);

  collector.respond = (response) => response.end('{}');
  waiting[0]?.end('{}');
  expect(await logExport.stop()).toBe(true);
  expect(collector.lines()).toHaveLength(kept);
  expect(await droppedBy(logExport)).toEqual({ queue_full: dropped, export_failed: 0 });
});

test('stops within its time limit while the collector hangs, and counts the lines', async () => {
  const collector = await listenAsCollector(() => {});
  const { log, logExport } = await open(collector.endpoint);
  log.info('first');
  const stopped = logExport.stop();
  await expect.poll(() => collector.lines().length, soon).toBe(1);
  log.info('second');
  expect(await stopped).toBe(false);
  expect(await droppedBy(logExport)).toMatchObject({ export_failed: 1 });
});

test('reports a refusing collector once, and its recovery', async () => {
  const collector = await listenAsCollector((response) => response.writeHead(400).end());
  const { log, logExport } = await open(collector.endpoint);
  const reports: (string | undefined)[] = [];
  logExport.onChange = (failure) => {
    reports.push(failure?.message);
    // Exported too, and refused.
    log.warn({ event: 'log-export.failed' });
  };
  for (const refused of [1, 2, 3]) {
    log.info({ refused, detail: 'x'.repeat(130 * 1024) });
    await expect.poll(async () => (await droppedBy(logExport)).export_failed, soon).toBeGreaterThanOrEqual(refused);
  }
  await expect.poll(async () => (await droppedBy(logExport)).export_failed, soon).toBe(4);
  expect(reports).toEqual(['Bad Request']);
  collector.respond = (response) => response.end('{}');
  log.info({ event: 'accepted' });
  await expect.poll(() => reports.length, soon).toBe(2);
  expect(reports[1]).toBeUndefined();
  await logExport.stop();
  expect(await droppedBy(logExport)).toEqual({ queue_full: 0, export_failed: 4 });
});

test('closes the connection to a collector that floods it with a response', async () => {
  let sent = 0;
  const isClosed = vi.fn();
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const collector = await listenAsCollector((response) => {
    response.on('close', isClosed);
    const flood = () => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return response.once('drain', flood);
      }
    };
    flood();
  });
  const { log, logExport } = await open(collector.endpoint);
  log.info('line');
  await logExport.stop();
  await expect.poll(() => isClosed.mock.calls.length, soon).toBe(1);
  expect(sent).toBeLessThan(64 * chunk.length);
  expect(await droppedBy(logExport)).toEqual({ queue_full: 0, export_failed: 1 });
});

test('writing a line does not convert or send it', async () => {
  const batches: (readonly string[])[] = [];
  const logExport = new LogExport(async (lines) => void batches.push(lines));
  logExport.write('x'.repeat(200 * 1024));
  logExport.write('y');
  await Promise.resolve();
  expect(batches).toEqual([]);
  await logExport.stop();
  expect(batches.map((lines) => lines.length)).toEqual([1, 1]);
});
