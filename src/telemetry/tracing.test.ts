import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startTracing, traceAttempt } from './tracing.ts';

const delivery = { eventId: 7, webhookId: 3, attempts: 1, type: 'LOCATION_CREATED' };

test('exports a span with the outcome of an attempt', async () => {
  const received: string[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push(`${request.url} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const tracing = await startTracing(`http://127.0.0.1:${port}`, '0.0.0');
  const outcome = { kind: 'refused', response: { status: 503 } };
  expect(await traceAttempt(delivery, 'https://receiver.example/hook', async () => outcome)).toBe(outcome);
  await tracing.stop();
  collector.close();
  expect(received.join()).toContain('/v1/traces');
  for (const text of ['delivery.attempt', 'waypost.event_id', 'refused', '503', 'receiver.example']) {
    expect(received.join()).toContain(text);
  }
});

test('runs the attempt without a collector', async () => {
  expect(await traceAttempt(delivery, 'https://receiver.example/', async () => ({ kind: 'delivered' }))).toEqual({
    kind: 'delivered',
  });
});
