import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config.ts';
import { LineBuffer } from './line-buffer.ts';

/** One wide line per unit of work; pretty for people, JSON for programs. Keys and bodies are never logged. */
export function createLogger(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  if (config.logFormat === 'pretty') {
    const stream = pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true });
    return pino({ level: config.logLevel, base: null }, stream);
  }
  const lines = new LineBuffer((text) => process.stdout.write(text));
  process.on('exit', () => lines.flush());
  return pino({ level: config.logLevel, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}
