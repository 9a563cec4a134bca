import { pino } from 'pino';

/** The log of commands, on stderr: stdout is for their results. */
export const log = pino({ level: 'warn' }, pino.destination(2));
