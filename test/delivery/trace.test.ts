import { expect, test } from 'vitest';
import { Job } from '../../src/jobs/job.ts';
import { tasksOf } from '../../src/jobs/runner.ts';
import { activeTrace, inSpan, storedTrace, storedTraceFields } from '../../src/telemetry/tracing.ts';
import { type ExportedSpan, startCollector } from '../support/collector.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { jobContext, runTasks } from '../support/jobs.ts';
import { eventually } from '../support/loopback-receivers.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpanId = 'b7ad6b7169203331';
const emitPath = '/api/event-types/LOCATION_CREATED/emit';

test('continues the trace of a request in the event and in each delivery attempt', async () => {
  const collector = await startCollector();
  const scene = await DeliveryScene.open();
  let responses = 0;
  const receiver = await scene.receiver(() => (responses++ === 0 ? 500 : 200));
  const webhook = await scene.webhook(receiver.url());
  const traceparent = `00-${traceId}-${callerSpanId}-01`;
  const { body } = await scene.partner.call('POST', emitPath, {}, { traceparent });
  scene.worker({ retrySchedule: [0] });
  await eventually(() => receiver.requests.length).toBe(2);

  const sent = receiver.requests.map(({ headers }) => String(headers.traceparent));
  expect(sent.map((header) => storedTraceFields(header).traceId)).toEqual([traceId, traceId]);
  expect(new Set(sent).size).toBe(2);

  const deliveryId = `${receiver.requests[0]?.event.id}-${webhook.id}`;
  const attempts = async () => (await scene.partner.call('GET', `/api/deliveries/${deliveryId}`)).body.response.history;
  await eventually(async () => (await attempts()).length).toBe(2);
  const logged = (await attempts()).map(
    ({ request }: { request: { headers: { name: string; value: string }[] } }) =>
      request.headers.find(({ name }) => name === 'traceparent')?.value,
  );
  expect(logged).toEqual(sent);
  const lines = scene.api.logLines.filter((line) => line.traceId === traceId);
  expect(lines.map(({ event }) => event)).toEqual(['request.completed', 'delivery.attempted', 'delivery.attempted']);

  await collector.stop();
  expect(body.status).toBe('SUCCESS');
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const request = named(spans, 'POST /api/event-types/:type/emit');
  expect(request.parentSpanId).toBe(callerSpanId);
  expect(lines.map(({ spanId }) => spanId)).toEqual([
    request.spanId,
    ...sent.map((header) => storedTraceFields(header).spanId),
  ]);
  const recorded = named(spans, 'record LOCATION_CREATED');
  expect(named(spans, 'record-event').parentSpanId).toBe(recorded.spanId);
  const delivered = spans.filter(({ name }) => name === 'delivery.attempt');
  expect(delivered.map(({ parentSpanId }) => parentSpanId)).toEqual([recorded.spanId, recorded.spanId]);
  expect(delivered.map(({ spanId }) => spanId)).toEqual(sent.map((header) => header.split('-')[2]));
});

test('sends no traceparent without a collector', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url());
  scene.worker();
  await scene.partner.call('POST', emitPath, {}, { traceparent: `00-${traceId}-${callerSpanId}-01` });
  await eventually(() => receiver.requests.length).toBe(1);
  expect(receiver.requests[0]?.headers).not.toHaveProperty('traceparent');
});

test('sends the valid tracestate of a request with its deliveries, and shows it in the log', async () => {
  const collector = await startCollector();
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  const traceparent = `00-${traceId}-${callerSpanId}-01`;
  const tracestate = `vendor=a b, tenant@other=t61;1, Invalid=1, large=${'x'.repeat(600)}`;
  await scene.partner.call('POST', emitPath, {}, { traceparent, tracestate });
  scene.worker();
  await eventually(() => receiver.requests.length).toBe(1);
  const [request] = receiver.requests;
  expect(request?.headers.tracestate).toBe('vendor=a b,tenant@other=t61;1');
  expect(request?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));

  const path = `/api/deliveries/${request?.event.id}-${webhook.id}`;
  const attempts = async () => (await scene.partner.call('GET', path)).body.response.history;
  await eventually(async () => (await attempts()).length).toBe(1);
  const logged = (await attempts())[0].request.headers as { name: string; value: string }[];
  for (const name of ['traceparent', 'tracestate']) {
    expect(logged.filter((header) => header.name === name)).toEqual([{ name, value: request?.headers[name] }]);
  }
  await collector.stop();
});

test('ignores the tracestate of a route that requires no key', async () => {
  const collector = await startCollector();
  const scene = await DeliveryScene.open();
  const headers = { traceparent: `00-${traceId}-${callerSpanId}-01`, tracestate: 'vendor=1' };
  await scene.partner.call('POST', '/api/users/login', {}, headers);
  await scene.partner.call('GET', '/api/event-types', undefined, headers);
  await collector.stop();
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  expect(named(spans, 'POST /api/users/login').traceState).toBeUndefined();
  expect(named(spans, 'GET /api/event-types').traceState).toBe('vendor=1');
});

test('a job continues the trace in which it was enqueued', async () => {
  const collector = await startCollector();
  const scene = await DeliveryScene.open();
  const { database } = scene.api;
  const job = new Job<{ number: number }>('test.traced');
  const seen: unknown[] = [];
  const implementation = job.implement(async ({ number }) => {
    const trace = activeTrace() ?? '';
    seen.push([number, storedTraceFields(trace).traceId, storedTrace(trace).tracestate]);
  });
  const parent = { traceparent: `00-${traceId}-${callerSpanId}-01`, tracestate: 'vendor=a b' };
  await inSpan('caller', { kind: 'internal', parent }, () => job.enqueue(database.pool, { number: 1 }));
  await job.enqueue(database.pool, { number: 2 });
  await runTasks(database, tasksOf([implementation], jobContext(database)));
  expect(seen).toEqual([
    [1, traceId, 'vendor=a b'],
    [2, expect.stringMatching(/^[0-9a-f]{32}$/), undefined],
  ]);
  expect(seen[1]).not.toEqual([2, traceId, undefined]);
  await collector.stop();
  expect(collector.spans().filter(({ name }) => name === 'job test.traced')).toHaveLength(2);
});

function named(spans: readonly ExportedSpan[], name: string): ExportedSpan {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`No span ${name} in ${spans.map((span) => span.name).join(', ')}.`);
  return found;
}
