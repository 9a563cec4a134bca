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
  /** The traceparent of the parent; null for a trace of its own. Default: the active span. */
  parent?: string | null | undefined;
  attributes?: Attributes;
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

  /** W3C trace context, to store it or to send it. */
  get traceparent(): string | undefined {
    const carrier: { traceparent?: string } = {};
    propagation.inject(this.#context, carrier);
    return carrier.traceparent;
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

const contextOf = (traceparent: string | null): Context =>
  traceparent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });

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

/** The traceparent of the active span, to store it. */
export function activeTraceparent(): string | undefined {
  if (!tracer) return undefined;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** A callback that runs in the trace that is active now. */
export const bindTrace = <T extends (...args: never[]) => unknown>(callback: T): T =>
  tracer ? context.bind(context.active(), callback) : callback;

/** Field of a log line. */
export function activeTraceId(): { traceId?: string } {
  const traceId = tracer && trace.getActiveSpan()?.spanContext().traceId;
  return traceId ? { traceId } : {};
}

/** The second part of `00-{trace id}-{span id}-{flags}`. */
export const traceIdOf = (traceparent: string): string | undefined => traceparent.split('-')[1];
