import { expect, test } from 'vitest';
import { Job } from '../../src/jobs/job.ts';
import { tasksOf } from '../../src/jobs/runner.ts';
import { activeTraceparent, inSpan, traceIdOf } from '../../src/telemetry/tracing.ts';
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
  expect(sent.map(traceIdOf)).toEqual([traceId, traceId]);
  expect(new Set(sent).size).toBe(2);

  const deliveryId = `${receiver.requests[0]?.event.id}-${webhook.id}`;
  const attempts = async () => (await scene.partner.call('GET', `/api/deliveries/${deliveryId}`)).body.response.history;
  await eventually(async () => (await attempts()).length).toBe(2);
  const logged = (await attempts()).map(
    ({ request }: { request: { headers: { name: string; value: string }[] } }) =>
      request.headers.find(({ name }) => name === 'traceparent')?.value,
  );
  expect(logged).toEqual(sent);
  const lines = scene.api.logLines.filter((line) => line.traceId === traceId).map(({ event }) => event);
  expect(lines).toEqual(['request.completed', 'delivery.attempted', 'delivery.attempted']);

  await collector.stop();
  expect(body.status).toBe('SUCCESS');
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const request = named(spans, 'POST /api/event-types/:type/emit');
  expect(request.parentSpanId).toBe(callerSpanId);
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

test('a job continues the trace in which it was enqueued', async () => {
  const collector = await startCollector();
  const scene = await DeliveryScene.open();
  const { database } = scene.api;
  const job = new Job<{ number: number }>('test.traced');
  const seen: unknown[] = [];
  const implementation = job.implement(async ({ number }) => {
    seen.push([number, traceIdOf(activeTraceparent() ?? '')]);
  });
  const enqueuedIn = await inSpan('caller', { kind: 'internal' }, async (span) => {
    await job.enqueue(database.pool, { number: 1 });
    return span?.traceId;
  });
  await job.enqueue(database.pool, { number: 2 });
  await runTasks(database, tasksOf([implementation], jobContext(database)));
  expect(seen).toEqual([
    [1, enqueuedIn],
    [2, expect.stringMatching(/^[0-9a-f]{32}$/)],
  ]);
  expect(seen[1]).not.toEqual([2, enqueuedIn]);
  await collector.stop();
  expect(collector.spans().filter(({ name }) => name === 'job test.traced')).toHaveLength(2);
});

function named(spans: readonly ExportedSpan[], name: string): ExportedSpan {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`No span ${name} in ${spans.map((span) => span.name).join(', ')}.`);
  return found;
}
