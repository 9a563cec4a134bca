import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, type OpenSpan, startSpan, type TraceHeaders } from '../telemetry/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, if tracing is enabled. */
    span: OpenSpan | undefined;
  }
}

/** A span for each request except probes. It continues the trace of the caller. */
export function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('span', undefined);
  if (!isTracing()) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    if (routeOptions.config.access === 'probe') return done();
    const route = routeOptions.url ?? 'unknown';
    request.span = startSpan(`${method} ${route}`, {
      kind: 'server',
      parent: callerTrace(headers, routeOptions.config.access),
      attributes: { 'http.request.method': method, 'http.route': route, 'waypost.request_id': request.id },
    });
    if (request.span) request.span.run(done);
    else done();
  });
  // The end of the body arrives outside the context of onRequest.
  server.addHook('preValidation', ({ span }, _reply, done) => (span ? span.run(done) : done()));
  server.addHook('onResponse', ({ span, caller }, { statusCode }, done) => {
    span?.end({
      failed: statusCode >= 500,
      attributes: {
        'http.response.status_code': statusCode,
        ...(caller && { 'waypost.partner_id': caller.partnerId }),
      },
    });
    done();
  });
}

/** tracestate is sent to receivers, so it is accepted only on routes that require a key. */
function callerTrace(
  { traceparent, tracestate }: FastifyRequest['headers'],
  access: FastifyContextConfig['access'],
): TraceHeaders | null {
  if (typeof traceparent !== 'string') return null;
  return { traceparent, ...(access === 'partner' && typeof tracestate === 'string' && { tracestate }) };
}
