import { addressWith, anyText, duration, oneOf, wholeNumber } from '../parse.ts';
import type { Setting } from './setting.ts';

/** For which a replaced key or secret stays valid, whoever says so. */
export const longestOverlapHours = 720;

/** Settings of keys, the command line, logs and traces. */
export const operationSettings = {
  keyOverlapHours: {
    variable: 'WAYPOST_KEY_OVERLAP_HOURS',
    default: '24',
    meaning: 'hours for which a replaced key or secret stays valid',
    parse: wholeNumber(0, longestOverlapHours),
  },
  serverUrl: {
    variable: 'WAYPOST_URL',
    meaning: 'server that "waypost emit" and "waypost listen" talk to; without it, the one of the data folder',
    parse: addressWith('http', 'https'),
  },
  privateKey: {
    variable: 'WAYPOST_PRIVATE_KEY',
    meaning: 'key with which they do; without it, that of the demo partner',
    secret: true,
    parse: anyText,
  },
  datapointCheckSeconds: {
    variable: 'WAYPOST_DATAPOINT_CHECK_INTERVAL',
    default: '30m',
    meaning: 'how often reviews and other datapoints of a listing are looked for',
    parse: duration('s', '1m', '30d'),
  },
  logLevel: {
    variable: 'WAYPOST_LOG_LEVEL',
    default: 'info',
    // The address and the credentials of the demo stay in sight on a terminal.
    ...(process.stdout.isTTY && { demoDefault: 'warn' }),
    meaning: 'least severe log lines to write; warn by default for the demo on a terminal',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  logFormat: {
    variable: 'WAYPOST_LOG_FORMAT',
    default: process.stdout.isTTY ? 'pretty' : 'json',
    meaning: 'pretty for people, json for programs; pretty by default on a terminal',
    parse: oneOf('pretty', 'json'),
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'OpenTelemetry collector to send traces to; without it none are made',
    parse: addressWith('http', 'https'),
  },
} satisfies Record<string, Setting>;
