import pino, { type Logger, type LoggerOptions } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config.ts';
import { LineBuffer } from './line-buffer.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Log level and redaction of secrets. */
export const logOptions = ({ logLevel }: Pick<Config, 'logLevel'>): LoggerOptions => ({
  level: logLevel,
  formatters: { log: withoutSecrets },
  // Errors of libraries may contain the failed request with its headers.
  serializers: { err: (error: Error) => withoutSecrets({ ...pino.stdSerializers.err(error) }) },
});

/** One structured line per unit of work. Keys and bodies are never logged. */
export function createLogger(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  if (config.logFormat === 'pretty') {
    const stream = pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true });
    return pino({ ...logOptions(config), base: null }, stream);
  }
  const lines = new LineBuffer((text) => process.stdout.write(text));
  process.on('exit', () => lines.flush());
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ ...logOptions(config), base: { pid: process.pid }, timestamp }, lines);
}
