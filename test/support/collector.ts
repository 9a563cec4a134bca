import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { startOtlp } from '../../src/telemetry/otlp.ts';

export interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** An OpenTelemetry collector on loopback, and the export of this process to it. */
export async function startCollector(metrics?: Registry) {
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several formats
  const received: { path: string | undefined; body: any }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, body: await json(request) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const otlp = await startOtlp({ endpoint, version: '1.2.3', metrics });
  let stopped: Promise<void> | undefined;
  /** Exports the rest. */
  const stop = () => {
    stopped ??= otlp.stop();
    return stopped;
  };
  onTestFinished(async () => {
    await stop();
    server.close();
  });
  return {
    endpoint,
    stop,
    bodies: (path: string) => received.filter((entry) => entry.path === path).map(({ body }) => body),
    spans: (): ExportedSpan[] =>
      received
        .filter(({ path }) => path === '/v1/traces')
        .flatMap(({ body }) => body.resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  };
}
