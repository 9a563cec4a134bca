import { context, propagation, trace } from '@opentelemetry/api';
import type { Registry } from 'prom-client';
import { withTimeout } from '../values/with-timeout.ts';
import { useTracer } from './tracing.ts';

interface OtlpOptions {
  endpoint: string;
  version: string;
  /** Exported every minute, unless OTEL_METRICS_EXPORTER is none. */
  metrics?: Registry | undefined;
}

/** Sends traces and metrics to an OpenTelemetry collector. The SDK is loaded only when an endpoint is configured. */
export async function startOtlp({ endpoint, version, metrics }: OtlpOptions): Promise<{ stop(): Promise<void> }> {
  const resource = await loadResource(version);
  const stopTraces = await startTraces(signalUrl(endpoint, 'traces'), resource, version);
  const stopMetrics = metrics && (await startMetrics(signalUrl(endpoint, 'metrics'), resource, metrics));
  return {
    async stop() {
      await endsWithin(stopMs, Promise.allSettled([stopTraces(), stopMetrics?.()]));
    },
  };
}

/** A collector that does not respond is no reason for a shutdown to fail. */
const stopMs = 4000;

/** Returns whether the work ended within the time limit. */
export const endsWithin = (limitMs: number, work: Promise<unknown> | undefined): Promise<boolean> =>
  withTimeout(
    limitMs,
    Promise.resolve(work).then(() => true),
    () => false,
  );

export const signalUrl = (endpoint: string, signal: 'traces' | 'metrics' | 'logs'): string =>
  `${endpoint.replace(/\/$/, '')}/v1/${signal}`;

type Resource = import('@opentelemetry/resources').Resource;

let resource: Promise<Resource> | undefined;

/** The attributes of this process, the same for all signals. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override them. */
export function loadResource(version: string): Promise<Resource> {
  resource ??= detectResource(version);
  return resource;
}

async function detectResource(version: string): Promise<Resource> {
  const { detectResources, envDetector, resourceFromAttributes, serviceInstanceIdDetector } = await import(
    '@opentelemetry/resources'
  );
  return resourceFromAttributes({ 'service.name': 'waypost', 'service.version': version }).merge(
    detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }),
  );
}

type Stop = () => Promise<void>;

async function startTraces(url: string, resource: Resource, version: string): Promise<Stop> {
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { W3CTraceContextPropagator }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/core'),
    ]);
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  // Without the propagator of baggage, which callers could send to receivers.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  useTracer(trace.getTracer('waypost', version));
  return async () => {
    useTracer(undefined);
    for (const api of [trace, context, propagation]) api.disable();
    await provider.shutdown();
  };
}

async function startMetrics(url: string, resource: Resource, registry: Registry): Promise<Stop> {
  const [{ MeterProvider, PeriodicExportingMetricReader }, { OTLPMetricExporter }, { RegistryProducer }] =
    await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('./registry-producer.ts'),
    ]);
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url }),
    metricProducers: [new RegistryProducer(registry, resource)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}
