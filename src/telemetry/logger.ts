import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config.ts';

// Lines are gathered up to this size before they are written, so that a busy worker does not wait for the terminal.
const gatherBytes = 8192;
const flushMs = 500;

/** One wide line per unit of work; pretty for people, JSON for programs. Keys and bodies are never logged. */
export function createLogger(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  if (config.logFormat === 'pretty') {
    const stream = pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true });
    return pino({ level: config.logLevel, base: null }, stream);
  }
  const destination = pino.destination({ dest: 1, sync: false, minLength: gatherBytes });
  setInterval(() => destination.flush(), flushMs).unref();
  return pino({ level: config.logLevel, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
