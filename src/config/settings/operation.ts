import { anyText, duration, oneOf, type Setting, smtpUrl, urlWithScheme, wholeNumber } from '../parse.ts';

/** Maximum validity of a replaced key or secret. */
export const maxOverlapHours = 720;

/** Settings of keys, the command line, logs and traces. */
export const operationSettings = {
  keyOverlapHours: {
    variable: 'WAYPOST_KEY_OVERLAP_HOURS',
    default: '24',
    meaning: 'hours for which a replaced key or secret stays valid',
    parse: wholeNumber(0, maxOverlapHours),
  },
  serverUrl: {
    variable: 'WAYPOST_URL',
    meaning:
      'server URL for the commands that use the API, such as "waypost emit"; default: the demo server, or this machine',
    parse: urlWithScheme('http', 'https'),
  },
  privateKey: {
    variable: 'WAYPOST_PRIVATE_KEY',
    meaning: 'private key for these commands; default: the key of the demo partner',
    secret: true,
    parse: anyText,
  },
  smtpUrl: {
    variable: 'WAYPOST_SMTP_URL',
    meaning:
      'mail server for alerts, smtp://user:password@host:587?from=waypost@example.com, or smtps:// for TLS from the start; without it, no e-mail is sent',
    secret: true,
    parse: smtpUrl,
  },
  datapointCheckSeconds: {
    variable: 'WAYPOST_DATAPOINT_CHECK_INTERVAL',
    default: '30m',
    meaning: 'how often a listing is checked for reviews and other datapoints',
    parse: duration('s', '1m', '30d'),
  },
  logLevel: {
    variable: 'WAYPOST_LOG_LEVEL',
    default: 'info',
    // Keeps the address and the credentials of the demo visible on a terminal.
    ...(process.stdout.isTTY && { demoDefault: 'warn' }),
    meaning: 'minimum level of log lines; warn by default for the demo on a terminal',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  logFormat: {
    variable: 'WAYPOST_LOG_FORMAT',
    default: process.stdout.isTTY ? 'pretty' : 'json',
    meaning: 'log format; default on a terminal: pretty',
    parse: oneOf('pretty', 'json'),
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'URL of an OpenTelemetry collector for traces and metrics; without it, tracing is disabled',
    parse: urlWithScheme('http', 'https'),
  },
  otlpMetrics: {
    variable: 'OTEL_METRICS_EXPORTER',
    default: 'otlp',
    meaning: 'none sends no metrics to the collector',
    parse: oneOf('otlp', 'none'),
  },
  otlpLogs: {
    variable: 'OTEL_LOGS_EXPORTER',
    meaning: 'otlp sends log lines to the collector too; default: only if OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is set',
    parse: oneOf('otlp', 'none'),
  },
  otlpLogsEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
    meaning: 'complete URL for log lines; default: OTEL_EXPORTER_OTLP_ENDPOINT with /v1/logs',
    parse: urlWithScheme('http', 'https'),
  },
} satisfies Record<string, Setting>;
