import { context, propagation, trace } from '@opentelemetry/api';
import type { Registry } from 'prom-client';
import { useTracer } from './tracing.ts';

interface OtlpOptions {
  endpoint: string;
  version: string;
  /** Exported every minute, unless OTEL_METRICS_EXPORTER is none. */
  metrics?: Registry | undefined;
}

/** Sends traces and metrics to an OpenTelemetry collector. The SDK is loaded only when an endpoint is configured. */
export async function startOtlp({ endpoint, version, metrics }: OtlpOptions): Promise<{ stop(): Promise<void> }> {
  const url = endpoint.replace(/\/$/, '');
  const { detectResources, envDetector, resourceFromAttributes, serviceInstanceIdDetector } = await import(
    '@opentelemetry/resources'
  );
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these attributes.
  const resource = resourceFromAttributes({ 'service.name': 'waypost', 'service.version': version }).merge(
    detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }),
  );
  const stopTraces = await startTraces(`${url}/v1/traces`, resource, version);
  const stopMetrics = metrics && (await startMetrics(`${url}/v1/metrics`, resource, metrics));
  return {
    async stop() {
      await Promise.all([stopTraces(), stopMetrics?.()]);
    },
  };
}

type Resource = import('@opentelemetry/resources').Resource;
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
