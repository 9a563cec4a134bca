import fastify from 'fastify';
import type { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { metricsRoutes, openMetricsPort } from './metrics-port.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

async function open() {
  const server = await openMetricsPort(api.services, 0);
  onTestFinished(() => server.close());
  return server;
}

test('serves metrics and health on a separate loopback port only', async () => {
  const server = await open();
  expect(server.listeningOrigin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const metrics = await fetch(`${server.listeningOrigin}/metrics`);
  expect(metrics.headers.get('content-type')).toContain('text/plain');
  expect(await metrics.text()).toContain('waypost_http_request_seconds');
  expect((await fetch(`${server.listeningOrigin}/health/ready`)).status).toBe(200);
  expect((await api.call('GET', '/metrics')).code).toBe(404);
  expect((await api.call('GET', '/Metrics')).code).toBe(404);
});

test('concurrent requests share one collection', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const collect = vi.fn(() => promise);
  let arrived = 0;
  const server = fastify();
  server.addHook('preHandler', async () => {
    arrived += 1;
  });
  metricsRoutes(server, { metrics: { contentType: 'text/plain', metrics: collect } as unknown as Registry });
  const responses = [1, 2, 3].map(() => server.inject('/metrics'));
  await expect.poll(() => arrived).toBe(3);
  resolve('figures');
  for (const { body } of await Promise.all(responses)) expect(body).toBe('figures');
  expect(collect).toHaveBeenCalledTimes(1);
});
