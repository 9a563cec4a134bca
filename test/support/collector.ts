import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { startOtlp } from '../../src/telemetry/otlp.ts';

export interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  attributes: ExportedAttribute[];
}

interface ExportedAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface ExportedLine {
  timeUnixNano: string;
  severityNumber: number;
  severityText: string;
  body: { stringValue: string };
  eventName?: string;
  attributes: ExportedAttribute[];
  traceId?: string;
  spanId?: string;
}

type Respond = (response: ServerResponse) => void;

const accept: Respond = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** An OpenTelemetry collector on loopback. */
export async function listenAsCollector(respond: Respond = accept) {
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several formats
  const received: { path: string | undefined; body: any }[] = [];
  const collector = {
    endpoint: '',
    /** Sends the response to a request; `accept` by default. */
    respond,
    bodies: (path: string) => received.filter((entry) => entry.path === path).map(({ body }) => body),
    spans: (): ExportedSpan[] =>
      collector
        .bodies('/v1/traces')
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
    lines: (): ExportedLine[] =>
      collector
        .bodies('/v1/logs')
        .flatMap(({ resourceLogs }) => resourceLogs)
        .flatMap(({ scopeLogs }) => scopeLogs)
        .flatMap(({ logRecords }) => logRecords),
  };
  const server = createServer(async (request, response) => {
    // A process can end during a request.
    const body = await json(request).catch(() => undefined);
    if (body === undefined) return;
    received.push({ path: request.url, body });
    collector.respond(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  collector.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

/** A collector, and the export of traces and metrics of this process to it. */
export async function startCollector(metrics?: Registry) {
  const collector = await listenAsCollector();
  const otlp = await startOtlp({ endpoint: collector.endpoint, version: '1.2.3', metrics });
  let stopped: Promise<void> | undefined;
  /** Exports the rest. */
  const stop = () => {
    stopped ??= otlp.stop();
    return stopped;
  };
  onTestFinished(stop);
  return Object.assign(collector, { stop });
}
