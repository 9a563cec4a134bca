import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

let tracer: Tracer | undefined;

/** Set while traces are exported. Without a tracer, the functions of this file only check this variable. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

export const isTracing = (): boolean => tracer !== undefined;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

interface SpanOptions {
  kind: keyof typeof kinds;
  /** The parent in another process; null for a trace of its own. Default: the active span. */
  parent?: TraceHeaders | null | undefined;
  attributes?: Attributes;
}

/** W3C trace context, as headers of a request. */
export interface TraceHeaders {
  traceparent: string;
  tracestate?: string;
}

/** Trace context is stored as one text: `{traceparent}`, or `{traceparent} {tracestate}`. */
export function storedTrace(stored: string): TraceHeaders {
  const space = stored.indexOf(' ');
  return space < 0
    ? { traceparent: stored }
    : { traceparent: stored.slice(0, space), tracestate: stored.slice(space + 1) };
}

/** The text to store, undefined if the span is not valid. The propagator validates tracestate and limits its length. */
function traceToStore(of: Context): string | undefined {
  const headers: Partial<TraceHeaders> = {};
  propagation.inject(of, headers);
  const { traceparent, tracestate } = headers;
  return traceparent && tracestate ? `${traceparent} ${tracestate}` : traceparent;
}

/** A span that the caller ends. */
export class OpenSpan {
  readonly #span: Span;
  readonly #context: Context;

  constructor(span: Span, parent: Context) {
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get spanId(): string {
    return this.#span.spanContext().spanId;
  }

  /** To store it, or to send it as `storedTrace`. */
  get trace(): string | undefined {
    return traceToStore(this.#context);
  }

  /** Runs a function in which this span is active. */
  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  end({ failed = false, attributes = {} }: { failed?: boolean; attributes?: Attributes } = {}): void {
    this.#span.setAttributes(attributes);
    if (failed) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

/** Undefined if tracing is disabled. */
export function startSpan(name: string, { kind, parent, attributes = {} }: SpanOptions): OpenSpan | undefined {
  if (!tracer) return undefined;
  const parentContext = parent === undefined ? context.active() : contextOf(parent);
  return new OpenSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, parentContext), parentContext);
}

const contextOf = (parent: TraceHeaders | null): Context =>
  parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, parent);

/** Runs a function in a span of its own. The text of an error may contain data and is not recorded. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan | undefined) => Promise<T>,
): Promise<T> {
  const span = startSpan(name, options);
  if (!span) return work(undefined);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end({ failed: true, attributes: errorAttributes(error) });
    throw error;
  }
}

export function errorAttributes(error: unknown): Attributes {
  const { code, name } = error as { code?: unknown; name?: string };
  return { 'error.type': typeof code === 'string' ? code : (name ?? 'Error') };
}

const maxTextLength = 2000;

/** Only inside another span: the statements of idle workers would be thousands of traces. */
export function startStatementSpan(statement: string | { name?: string; text?: string }): OpenSpan | undefined {
  if (!tracer || !trace.getActiveSpan()) return undefined;
  const { name, text = '' } = typeof statement === 'string' ? { text: statement } : statement;
  const summary = name || (/\w+/.exec(text)?.[0] ?? 'statement').toLowerCase();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.trim().slice(0, maxTextLength) };
  return startSpan(summary, { kind: 'client', attributes });
}

/** The active span, to store it. */
export const activeTrace = (): string | undefined => (tracer ? traceToStore(context.active()) : undefined);

/** A callback that runs in the trace that is active now. */
export const bindTrace = <T extends (...args: never[]) => unknown>(callback: T): T =>
  tracer ? context.bind(context.active(), callback) : callback;

interface TraceFields {
  traceId?: string | undefined;
  spanId?: string | undefined;
}

/** Fields of a log line in the active span. */
export function activeTraceFields(): TraceFields {
  const span = tracer && trace.getActiveSpan()?.spanContext();
  return span ? { traceId: span.traceId, spanId: span.spanId } : {};
}

/** Fields of a log line from `00-{trace id}-{span id}-{flags}`. */
export function storedTraceFields(stored: string): TraceFields {
  const [, traceId, spanId] = stored.split('-', 3);
  return { traceId, spanId };
}
