import pino, { type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config.ts';
import { activeTraceId } from './tracing.ts';

type LogConfig = Pick<Config, 'logLevel' | 'otlpEndpoint'>;

/** Log level, redaction of secrets, and with tracing the id of the trace. */
export const logOptions = ({ logLevel, otlpEndpoint }: LogConfig): LoggerOptions => ({
  level: logLevel,
  formatters: { level: (level) => ({ level }), log: withoutSecrets },
  ...(otlpEndpoint && { mixin: activeTraceId }),
  // The formatter has serialized all errors.
  serializers: { err: (serialized: object) => serialized },
});

/** JSON lines with the given fields, or readable lines for a terminal. Secrets are redacted. */
export async function createLogger(
  config: LogConfig & Pick<Config, 'logFormat'>,
  fields: { role: string; version: string },
): Promise<Logger> {
  if (config.logFormat === 'pretty') {
    const { default: pretty } = await import('pino-pretty');
    const stream = pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true });
    return pino({ ...logOptions(config), base: null }, stream);
  }
  const lines = new LineBuffer((text) => process.stdout.write(text));
  process.on('exit', () => lines.flush());
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ ...logOptions(config), base: { pid: process.pid, ...fields }, timestamp }, lines);
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
