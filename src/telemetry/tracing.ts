import { type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

let tracer: Tracer | undefined;

/** Sends traces to an OpenTelemetry collector. The SDK is loaded only when an endpoint is configured. */
export async function startTracing(endpoint: string, version: string): Promise<{ stop(): Promise<void> }> {
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'waypost', 'service.version': version }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })),
    ],
  });
  provider.register();
  tracer = trace.getTracer('waypost', version);
  return {
    async stop() {
      tracer = undefined;
      await provider.shutdown();
    },
  };
}

interface TracedOutcome {
  kind: string;
  response?: { status: number } | undefined;
}

/** One span per attempt. */
export function traceAttempt<T extends TracedOutcome>(
  delivery: { eventId: number; webhookId: number; attempts: number; type: string },
  url: string,
  send: () => Promise<T>,
): Promise<T> {
  if (!tracer) return send();
  return tracer.startActiveSpan('delivery.attempt', { kind: SpanKind.CLIENT }, async (span: Span) => {
    const outcome = await send();
    span.setAttributes({
      'waypost.event_id': delivery.eventId,
      'waypost.webhook_id': delivery.webhookId,
      'waypost.event_type': delivery.type,
      'waypost.attempt': delivery.attempts + 1,
      'waypost.outcome': outcome.kind,
      'server.address': new URL(url).host,
      ...(outcome.response ? { 'http.response.status_code': outcome.response.status } : {}),
    });
    if (outcome.kind !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return outcome;
  });
}
