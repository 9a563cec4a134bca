import pino, { type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config.ts';
import type { LogExport } from './log-export.ts';
import { signalUrl } from './otlp.ts';
import { activeTraceFields } from './tracing.ts';

type LogConfig = Pick<Config, 'logLevel' | 'otlpEndpoint'>;

/** Log level, redaction of secrets, and with tracing the ids of the trace and the span. */
export const logOptions = ({ logLevel, otlpEndpoint }: LogConfig): LoggerOptions => ({
  level: logLevel,
  formatters: { level: (level) => ({ level }), log: withoutSecrets },
  ...(otlpEndpoint && { mixin: activeTraceFields }),
  // The formatter has serialized all errors.
  serializers: { err: (serialized: object) => serialized },
});

interface LineStream {
  write(line: string): void;
}

type ExportConfig = Pick<Config, 'otlpEndpoint' | 'otlpLogs' | 'otlpLogsEndpoint'>;
type OutputConfig = LogConfig & ExportConfig & Pick<Config, 'logFormat'>;

interface Log {
  log: Logger;
  /** The export of the lines to a collector, if it is configured. Stopped by the caller, after the last line. */
  logExport: LogExport | undefined;
}

/** JSON lines with the given fields, or readable lines for a terminal. Secrets are redacted. */
export async function openLog(config: OutputConfig, fields: { role: string; version: string }): Promise<Log> {
  const logExport = await openExport(config, fields.version);
  const isPretty = config.logFormat === 'pretty';
  const output = isPretty ? await prettyLines() : bufferedLines();
  const base = isPretty ? null : { pid: process.pid, ...fields };
  const timestamp = isPretty || pino.stdTimeFunctions.isoTime;
  const log = pino({ ...logOptions(config), base, timestamp }, logExport ? writeToBoth(output, logExport) : output);
  if (logExport) logExport.onChange = (failure) => reportExport(log, failure);
  return { log, logExport };
}

async function prettyLines(): Promise<LineStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true });
}

function bufferedLines(): LineStream {
  const lines = new LineBuffer((text) => process.stdout.write(text));
  process.on('exit', () => lines.flush());
  return lines;
}

const writeToBoth = (one: LineStream, other: LineStream): LineStream => ({
  write(line) {
    one.write(line);
    other.write(line);
  },
});

/** The SDK is loaded only when log lines are exported. */
async function openExport(config: ExportConfig, version: string): Promise<LogExport | undefined> {
  const url = logsUrl(config);
  if (url === undefined) return undefined;
  const { openLogExport } = await import('./log-export.ts');
  return openLogExport(url, version);
}

/** Undefined if log lines are not exported. */
export function logsUrl({ otlpLogs, otlpLogsEndpoint, otlpEndpoint }: ExportConfig): string | undefined {
  if (otlpLogs === 'none') return undefined;
  return otlpLogsEndpoint ?? (otlpLogs && otlpEndpoint && signalUrl(otlpEndpoint, 'logs'));
}

function reportExport(log: Logger, failure: Error | undefined): void {
  if (!failure) {
    log.info({ event: 'log-export.recovered' }, 'The collector accepts log lines again');
    return;
  }
  const { code } = failure as { code?: unknown };
  log.warn(
    { event: 'log-export.failed', reason: failure.message, code },
    'The collector does not accept log lines. Check OTEL_EXPORTER_OTLP_ENDPOINT; the lines are on standard output',
  );
}

const maxSize = 16 * 1024;
const maxDelayMs = 50;

/** Batches log lines: one write per line would cost more than creating the line. */
export class LineBuffer {
  readonly #write: (text: string) => void;
  #lines: string[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= maxSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), maxDelayMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#size === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#size = 0;
    this.#write(text);
  }
}

// Tested without separators and in lower case: matches privateKey, private-key, PRIVATE_KEY and set-cookie.
const secretNamePattern =
  /(private|public|api|access|master|sandbox|secret)key$|token$|secret$|password$|cookie$|authorization$/;
const hidden = '[hidden]';
// Cache by field name. Limited, because receivers choose their header names.
const isSecretByName = new Map<string, boolean>();
const maxCachedNames = 1000;

/** Replaces the values of keys, tokens and cookies at any depth. Libraries may log all headers at debug level. */
function withoutSecrets<T>(value: T): T {
  return redact(value, []) as T;
}

/** Copies only objects that contain secrets or cycles, because every delivery writes a log line. */
function redact(value: unknown, ancestors: readonly object[]): unknown {
  if (!mayContainSecrets(value)) return value;
  if (ancestors.includes(value)) return '[Circular]';
  const path = [...ancestors, value];
  // Errors of libraries may contain the failed request with its headers.
  if (value instanceof Error) return redact({ ...pino.stdSerializers.err(value) }, path);
  let copy: Record<string, unknown> | undefined;
  for (const [name, inner] of Object.entries(value)) {
    const safe = isSecret(name, inner) ? hidden : typeof inner === 'object' ? redact(inner, path) : inner;
    if (safe === inner) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = safe;
  }
  return copy ?? value;
}

/** Plain objects, arrays, serialized errors and instances of other classes, but not dates, bytes and the like. */
const mayContainSecrets = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('toJSON' in value) && !ArrayBuffer.isView(value);

/** Numbers and booleans are not secrets, for example a count of tokens. */
const isSecret = (name: string, value: unknown) =>
  (typeof value === 'string' || Array.isArray(value)) && isSecretName(name);

function isSecretName(name: string): boolean {
  const cached = isSecretByName.get(name);
  if (cached !== undefined) return cached;
  const matches = secretNamePattern.test(name.replaceAll(/[-_ ]/g, '').toLowerCase());
  if (isSecretByName.size < maxCachedNames) isSecretByName.set(name, matches);
  return matches;
}
