import { setImmediate } from 'node:timers/promises';
import { type HrTime, TraceFlags } from '@opentelemetry/api';
import { ExportResultCode, millisToHrTime } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { Counter } from 'prom-client';
import { endsWithin, loadResource } from './otlp.ts';

/** Characters of the lines that wait for the collector. */
const maxQueuedLength = 8 * 1024 * 1024;
/** Characters per request: converting them blocks the process for a few milliseconds. */
const maxBatchLength = 128 * 1024;
const maxDelayMs = 1000;
/** Time to send the rest at the shutdown. */
const stopMs = 5000;

type SendLines = (lines: readonly string[]) => Promise<void>;

/**
 * Sends log lines to a collector, in batches, one at a time. Lines are dropped and counted when the queue is full or the
 * collector does not accept them. They are the written ones, so they contain no secrets that the log does not contain.
 */
export class LogExport {
  readonly dropped = new Counter({
    name: 'waypost_log_lines_dropped_total',
    help: 'Log lines that were not exported: queue_full, or export_failed after the retries',
    labelNames: ['reason'],
    registers: [],
  });
  /** Set by the logger. Called at the first failure after a success, and at the first success after a failure. */
  onChange: (failure: Error | undefined) => void = () => {};
  readonly #send: SendLines;
  #lines: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isStopping = false;
  #isFailing = false;

  constructor(send: SendLines) {
    this.#send = send;
    for (const reason of ['queue_full', 'export_failed']) this.dropped.inc({ reason }, 0);
  }

  write(line: string): void {
    if (this.#length + line.length > maxQueuedLength) {
      this.dropped.inc({ reason: 'queue_full' });
      return;
    }
    this.#lines.push(line);
    this.#length += line.length;
    this.#schedule();
  }

  /** Sends the rest. Returns whether no line is left after the time limit. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    this.#startSending();
    const isComplete = await endsWithin(stopMs, this.#sending);
    this.dropped.inc({ reason: 'export_failed' }, this.#lines.length);
    this.#lines = [];
    this.#length = 0;
    return isComplete;
  }

  #schedule(): void {
    if (this.#sending || this.#lines.length === 0) return;
    if (this.#length >= maxBatchLength) this.#startSending();
    else this.#timer ??= setTimeout(() => this.#startSending(), maxDelayMs).unref();
  }

  #startSending(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendBatches();
  }

  async #sendBatches(): Promise<void> {
    do {
      // Not between the statements of the work that wrote the line.
      await setImmediate();
      await this.#sendBatch(this.#nextBatch());
    } while (this.#length >= (this.#isStopping ? 1 : maxBatchLength));
    this.#sending = undefined;
    this.#schedule();
  }

  #nextBatch(): string[] {
    let [count, length] = [0, 0];
    for (const line of this.#lines) {
      if (count > 0 && length + line.length > maxBatchLength) break;
      count += 1;
      length += line.length;
    }
    this.#length -= length;
    return this.#lines.splice(0, count);
  }

  async #sendBatch(batch: readonly string[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      await this.#send(batch);
      this.#report(undefined);
    } catch (error) {
      this.dropped.inc({ reason: 'export_failed' }, batch.length);
      this.#report(error as Error);
    }
  }

  /** Only changes: the line about a failed export is exported as well, and would fail again. */
  #report(failure: Error | undefined): void {
    const isFailing = failure !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.onChange(failure);
  }
}

/** Sends lines by OTLP over HTTP. The exporter reads the variables of OpenTelemetry for headers, certificates and limits. */
export async function openLogExport(url: string, version: string): Promise<LogExport> {
  const exporter = new OTLPLogExporter({ url });
  const resource = await loadResource(version);
  const source = { resource, instrumentationScope: { name: 'waypost', version } };
  return new LogExport(async (lines) => {
    const { promise, resolve } = Promise.withResolvers<{ code: ExportResultCode; error?: Error }>();
    exporter.export(
      lines.map((line) => ({ ...logRecord(line), ...source })),
      resolve,
    );
    const { code, error } = await promise;
    if (code !== ExportResultCode.SUCCESS) throw error ?? new Error('The collector did not accept the lines.');
  });
}

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const severityNumbers: Record<string, number> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };

/** The OpenTelemetry record of a JSON line. Fields that the data model does not have are attributes. */
function logRecord(line: string) {
  const { level, time, msg, traceId, spanId, ...attributes } = JSON.parse(line);
  const hrTime: HrTime = millisToHrTime(new Date(time).getTime());
  return {
    hrTime,
    hrTimeObserved: hrTime,
    severityNumber: severityNumbers[level],
    severityText: level,
    body: msg ?? attributes.event,
    eventName: attributes.event,
    attributes,
    droppedAttributesCount: 0,
    ...(traceId && spanId && { spanContext: { traceId, spanId, traceFlags: TraceFlags.NONE } }),
  };
}
