import { pino } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { startCollector } from '../../test/support/collector.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { Database } from '../database/connection.ts';
import { logOptions } from './logger.ts';
import { activeTrace, activeTraceFields, inSpan, startSpan, startStatementSpan } from './tracing.ts';

test('exports the metrics of the registry', async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'sent_total', help: 'Sent', labelNames: ['outcome'], registers }).inc({ outcome: 'done' }, 3);
  new Gauge({ name: 'waiting', help: 'Waiting', registers }).set(7);
  const seconds = new Histogram({
    name: 'took_seconds',
    help: 'Took',
    buckets: [1, 2],
    labelNames: ['job'],
    registers,
  });
  for (const value of [0.5, 1.5, 1.5, 9]) seconds.observe({ job: 'a' }, value);
  const collector = await startCollector(registry);
  await collector.stop();
  const [{ resource, scopeMetrics }] = collector.bodies('/v1/metrics')[0].resourceMetrics;
  expect(JSON.stringify(resource)).toContain('"service.version","value":{"stringValue":"1.2.3"}');
  const [{ metrics }] = scopeMetrics;
  const job = [{ key: 'job', value: { stringValue: 'a' } }];
  expect(metrics).toMatchObject([
    {
      name: 'sent_total',
      sum: { isMonotonic: true, dataPoints: [{ asDouble: 3, attributes: [{ key: 'outcome' }] }] },
    },
    { name: 'waiting', gauge: { dataPoints: [{ asDouble: 7 }] } },
    {
      name: 'took_seconds',
      unit: 's',
      histogram: {
        dataPoints: [{ attributes: job, explicitBounds: [1, 2], bucketCounts: [1, 2, 1], sum: 12.5, count: 4 }],
      },
    },
  ]);
});

test('exports nested spans, and the type but not the text of an error', async () => {
  const collector = await startCollector();
  const failure = inSpan('outer', { kind: 'internal' }, async () => {
    startStatementSpan({ name: 'read-row', text: 'select 1' })?.end();
    throw Object.assign(new Error('secret'), { code: '23505' });
  });
  await expect(failure).rejects.toThrow('secret');
  await collector.stop();
  const [statement, outer] = collector.spans();
  expect(statement).toMatchObject({ name: 'read-row', parentSpanId: outer?.spanId, traceId: outer?.traceId });
  expect(outer).toMatchObject({ name: 'outer', status: { code: 2 } });
  expect(JSON.stringify(collector.spans())).toContain('23505');
  expect(JSON.stringify(collector.spans())).not.toContain('secret');
});

test('a statement that waits for a connection stays in the trace of its caller', async () => {
  const collector = await startCollector();
  const source = await createTestDatabase();
  onTestFinished(() => source.close());
  const database = new Database(source.url, { connections: 1, name: 'test' });
  const traceIds = await Promise.all(
    [1, 2, 3].map((number) =>
      inSpan(`caller ${number}`, { kind: 'internal', parent: null }, async (span) => {
        await database.pool.query({ name: `statement ${number}`, text: 'select 1' });
        return span?.traceId;
      }),
    ),
  );
  await database.close();
  await collector.stop();
  const statements = collector.spans().filter(({ name }) => name.startsWith('statement'));
  expect(statements.map(({ traceId }) => traceId)).toEqual(traceIds);
});

test('statements outside of a span have no span', async () => {
  const collector = await startCollector();
  expect(startStatementSpan('select 1')).toBeUndefined();
  await collector.stop();
});

test('log lines inside a span have its ids', async () => {
  const collector = await startCollector();
  const lines: string[] = [];
  const options = logOptions({ logLevel: 'info', otlpEndpoint: new URL(collector.endpoint).href });
  const log = pino(options, { write: (line: string) => void lines.push(line) });
  const ids = await inSpan('work', { kind: 'internal' }, async (span) => {
    log.info({ event: 'inside' });
    return { traceId: span?.traceId, spanId: span?.spanId };
  });
  log.info({ event: 'outside' });
  const [inside, outside] = lines.map((line) => JSON.parse(line));
  expect(inside).toMatchObject({ event: 'inside', ...ids });
  expect(ids.spanId).toHaveLength(16);
  expect(outside).not.toHaveProperty('traceId');
});

test('creates no spans without a collector', async () => {
  expect(startSpan('request', { kind: 'server', parent: null })).toBeUndefined();
  expect(await inSpan('work', { kind: 'internal' }, async (span) => span)).toBeUndefined();
  expect(activeTrace()).toBeUndefined();
  expect(activeTraceFields()).toEqual({});
});
