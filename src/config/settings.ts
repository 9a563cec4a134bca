import {
  addressRanges,
  addressWith,
  anyText,
  databaseAddress,
  duration,
  fraction,
  key32,
  oneOf,
  onOrOff,
  readableFile,
  retrySchedule,
  wholeNumber,
} from './parse.ts';

export interface Setting<T = unknown> {
  variable: string;
  meaning: string;
  /** Without one, the setting is undefined unless it is given. */
  default?: string;
  /** Takes the place of the default in demo mode. */
  demoDefault?: string;
  /** The value is never shown. */
  secret?: true;
  parse: (text: string) => T;
}

/** For which a replaced key or secret stays valid, whoever says so. */
export const longestOverlapHours = 720;

/** Every setting of Waypost. To add one, add it here. */
export const settings = {
  port: {
    variable: 'PORT',
    default: '8080',
    meaning: 'port of the API',
    parse: wholeNumber(0, 65_535),
  },
  host: {
    variable: 'HOST',
    default: '127.0.0.1',
    meaning: 'address to listen on; beyond loopback only with a certificate or a trusted proxy',
    parse: anyText,
  },
  shutdownDelayMs: {
    variable: 'WAYPOST_SHUTDOWN_DELAY',
    default: '5s',
    demoDefault: '0s',
    meaning:
      'after SIGTERM, how long the API still accepts requests while /health/ready says 503, so that load balancers notice',
    parse: duration('ms', '0s', '5m'),
  },
  tlsCert: {
    variable: 'WAYPOST_TLS_CERT',
    meaning: 'certificate file (PEM) for HTTPS, TLS 1.2 and 1.3',
    parse: readableFile,
  },
  tlsKey: {
    variable: 'WAYPOST_TLS_KEY',
    meaning: 'private key file (PEM) of the certificate',
    parse: readableFile,
  },
  trustedProxy: {
    variable: 'WAYPOST_TRUSTED_PROXY',
    default: 'none',
    meaning: 'address ranges of proxies that speak HTTPS for Waypost and name the client',
    parse: addressRanges,
  },
  metricsPort: {
    variable: 'WAYPOST_METRICS_PORT',
    meaning: 'port for /metrics and health of every process; without it none is opened',
    parse: wholeNumber(0, 65_535),
  },
  metricsHost: {
    variable: 'WAYPOST_METRICS_HOST',
    default: '127.0.0.1',
    meaning: 'address of that port; metrics need no key, so open it to the monitoring network only',
    parse: anyText,
  },
  rateLimitPerMinute: {
    variable: 'WAYPOST_RATE_LIMIT',
    default: '600',
    meaning: 'requests per minute that one key may make',
    parse: wholeNumber(1, 10_000_000),
  },
  sessionSeconds: {
    variable: 'WAYPOST_SESSION_LIFETIME',
    default: '12h',
    meaning: 'how long a user who does nothing stays logged in; 30 days in all',
    parse: duration('s', '1m', '30d'),
  },
  dataDir: {
    variable: 'WAYPOST_DATA_DIR',
    default: '.data',
    meaning: 'folder of the embedded database, files, the master key and the demo credentials',
    parse: anyText,
  },
  uploadLimitMiB: {
    variable: 'WAYPOST_UPLOAD_LIMIT',
    default: '25',
    meaning: 'largest file that can be uploaded, in MiB',
    parse: wholeNumber(1, 10_000),
  },
  storageLimitMiB: {
    variable: 'WAYPOST_STORAGE_LIMIT',
    default: '10240',
    meaning: 'storage for the digital assets of one partner, in MiB',
    parse: wholeNumber(1, 1_000_000_000),
  },
  publicUrl: {
    variable: 'WAYPOST_PUBLIC_URL',
    meaning:
      'URL under which browsers and directories reach the API, for links to files; without it, the IP address that a request was sent to',
    parse: addressWith('http', 'https'),
  },
  s3BucketUrl: {
    variable: 'WAYPOST_S3_BUCKET_URL',
    meaning:
      'S3-compatible bucket for files, as https://bucket.host or https://host/bucket; without it, the data folder',
    parse: addressWith('http', 'https'),
  },
  s3Region: {
    variable: 'WAYPOST_S3_REGION',
    default: 'us-east-1',
    meaning: 'region of that bucket',
    parse: anyText,
  },
  s3KeyId: {
    variable: 'WAYPOST_S3_KEY_ID',
    meaning: 'access key id for that bucket',
    parse: anyText,
  },
  s3Secret: {
    variable: 'WAYPOST_S3_SECRET',
    meaning: 'secret access key for that bucket',
    secret: true,
    parse: anyText,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning:
      'PostgreSQL to use, as postgres://user:password@host/database or, by its socket, postgres://user:password@/database?host=/folder; without it, an embedded server under the data folder',
    secret: true,
    parse: databaseAddress,
  },
  databaseConnections: {
    variable: 'WAYPOST_DATABASE_CONNECTIONS',
    default: '20',
    meaning: 'most connections that one process opens to the database',
    parse: wholeNumber(2, 1_000),
  },
  masterKey: {
    variable: 'WAYPOST_MASTER_KEY',
    meaning:
      'seals keys and secrets, 32 bytes in base64; without it, master.key in the data folder, made on first start',
    secret: true,
    parse: key32,
  },
  console: {
    variable: 'WAYPOST_CONSOLE',
    default: 'on',
    meaning: 'build the web console when its sources have changed, and serve it under /console',
    parse: onOrOff,
  },
  demo: {
    variable: 'WAYPOST_DEMO',
    default: 'on',
    meaning: 'create a demo partner, and let webhooks reach this machine',
    parse: onOrOff,
  },
  demoLocations: {
    variable: 'WAYPOST_DEMO_LOCATIONS',
    default: '120',
    meaning: 'locations that the first start makes for the demo partner; 0 for none',
    parse: wholeNumber(0, 100_000),
  },
  allowTargets: {
    variable: 'WAYPOST_ALLOW_TARGETS',
    default: 'none',
    demoDefault: '127.0.0.0/8,::1/128',
    meaning: 'private address ranges that webhooks may reach all the same',
    parse: addressRanges,
  },
  requireHttps: {
    variable: 'WAYPOST_REQUIRE_HTTPS',
    default: 'on',
    demoDefault: 'off',
    meaning: 'refuse webhooks that are not HTTPS, except in allowed ranges',
    parse: onOrOff,
  },
  emitExamples: {
    variable: 'WAYPOST_EMIT_EXAMPLES',
    default: 'off',
    demoDefault: 'on',
    meaning: 'let partners record example events for trying things out ("waypost emit")',
    parse: onOrOff,
  },
  sandbox: {
    variable: 'WAYPOST_SANDBOX',
    default: 'off',
    demoDefault: 'on',
    meaning: 'work with the sandbox network of directories; off leaves the platform without any directory',
    parse: onOrOff,
  },
  sandboxUrl: {
    variable: 'WAYPOST_SANDBOX_URL',
    meaning: 'where the sandbox network is; without it, one runs beside the worker, with its state in the data folder',
    parse: addressWith('http', 'https'),
  },
  sandboxKey: {
    variable: 'WAYPOST_SANDBOX_KEY',
    meaning:
      'key of this installation at that address; of one that runs beside, it is in sandbox.json in the data folder',
    secret: true,
    parse: anyText,
  },
  sandboxLife: {
    variable: 'WAYPOST_SANDBOX_LIFE',
    default: 'off',
    demoDefault: 'on',
    meaning:
      'whether in a new sandbox network reviews arrive and pages change by themselves; "waypost sandbox life" later',
    parse: onOrOff,
  },
  directoryTimeoutMs: {
    variable: 'WAYPOST_DIRECTORY_TIMEOUT',
    default: '10s',
    meaning: 'time that a directory has for one answer',
    parse: duration('ms', '10ms', '10m'),
  },
  aiUrl: {
    variable: 'WAYPOST_AI_URL',
    meaning:
      'model server for social posts that speaks the protocol of OpenAI, such as http://127.0.0.1:11434/v1; without it, a built-in writer answers',
    parse: addressWith('http', 'https'),
  },
  aiModel: {
    variable: 'WAYPOST_AI_MODEL',
    meaning: 'name of the model to ask there',
    parse: anyText,
  },
  aiKey: {
    variable: 'WAYPOST_AI_KEY',
    meaning: 'key of this installation at the model server, if it asks for one',
    secret: true,
    parse: anyText,
  },
  aiTimeoutMs: {
    variable: 'WAYPOST_AI_TIMEOUT',
    default: '30s',
    meaning: 'time that the model server has for all texts of one request, to the last letter',
    parse: duration('ms', '10ms', '10m'),
  },
  aiTextsPerHour: {
    variable: 'WAYPOST_AI_TEXTS_PER_HOUR',
    default: '300',
    meaning: 'texts of social posts that one partner may have written within an hour',
    parse: wholeNumber(1, 1_000_000),
  },
  nearMeReportsPerHour: {
    variable: 'WAYPOST_NEAR_ME_REPORTS_PER_HOUR',
    default: '500',
    meaning: 'near-me reports that may be asked for with one public key within an hour',
    parse: wholeNumber(1, 1_000_000),
  },
  nearMeReportsPerVisitor: {
    variable: 'WAYPOST_NEAR_ME_REPORTS_PER_VISITOR',
    default: '20',
    meaning: 'near-me reports that may be asked for from one address within an hour',
    parse: wholeNumber(1, 1_000_000),
  },
  nearMeDays: {
    variable: 'WAYPOST_NEAR_ME_DAYS',
    default: '14',
    meaning: 'days for which a near-me report can be read',
    parse: wholeNumber(1, 3_650),
  },
  exportThreshold: {
    variable: 'WAYPOST_EXPORT_THRESHOLD',
    default: '20000',
    meaning:
      'rows up to which an export of insights is answered with the address of its file; a larger one becomes a job',
    parse: wholeNumber(0, 1_000_000_000),
  },
  exportLimit: {
    variable: 'WAYPOST_EXPORT_LIMIT',
    default: '10000000',
    meaning: 'most rows that an export may have',
    parse: wholeNumber(1, 1_000_000_000),
  },
  exportSeconds: {
    variable: 'WAYPOST_EXPORT_RETENTION',
    default: '7d',
    meaning: 'how long the file of a finished export can be downloaded',
    parse: duration('s', '1m', '60d'),
  },
  retrySchedule: {
    variable: 'WAYPOST_RETRY_SCHEDULE',
    default: '5s,1m,5m,30m,2h',
    meaning: 'waits before each further try of a delivery; after the last it is discarded',
    parse: retrySchedule,
  },
  retryJitter: {
    variable: 'WAYPOST_RETRY_JITTER',
    default: '0.2',
    meaning: 'how far a wait may differ from the schedule, as a part of it',
    parse: fraction,
  },
  retryAfterMax: {
    variable: 'WAYPOST_RETRY_AFTER_MAX',
    default: '4h',
    meaning: 'longest wait that a receiver can ask for',
    parse: duration('s', '1s', '7d'),
  },
  deliveryTimeoutMs: {
    variable: 'WAYPOST_DELIVERY_TIMEOUT',
    default: '15s',
    meaning: 'time that one try may take, from name look-up to the end of the answer',
    parse: duration('ms', '10ms', '10m'),
  },
  webhookConcurrency: {
    variable: 'WAYPOST_WEBHOOK_CONCURRENCY',
    default: '64',
    meaning: 'most requests under way for one webhook, over all workers',
    parse: wholeNumber(1, 10_000),
  },
  hostConcurrency: {
    variable: 'WAYPOST_HOST_CONCURRENCY',
    default: '128',
    meaning: 'most requests under way to one host, per worker',
    parse: wholeNumber(1, 10_000),
  },
  workerConcurrency: {
    variable: 'WAYPOST_WORKER_CONCURRENCY',
    default: '1024',
    meaning: 'most requests under way in one worker',
    parse: wholeNumber(1, 100_000),
  },
  leaseSeconds: {
    variable: 'WAYPOST_LEASE',
    default: '15s',
    meaning: 'time after which the webhooks of a worker that does not stir pass to another',
    parse: duration('s', '3s', '1h'),
  },
  pollMs: {
    variable: 'WAYPOST_POLL_INTERVAL',
    default: '1s',
    meaning: 'how often a worker looks for due deliveries without being called',
    parse: duration('ms', '10ms', '1h'),
  },
  breakerThreshold: {
    variable: 'WAYPOST_BREAKER_THRESHOLD',
    default: '10',
    meaning: 'failures in a row after which a webhook is paused',
    parse: wholeNumber(1, 1_000_000),
  },
  breakerFirstPause: {
    variable: 'WAYPOST_BREAKER_PAUSE',
    default: '30s',
    meaning: 'first pause of a failing webhook; it doubles with every failed probe',
    parse: duration('s', '1ms', '7d'),
  },
  breakerMaxPause: {
    variable: 'WAYPOST_BREAKER_MAX_PAUSE',
    default: '10m',
    meaning: 'longest pause of a failing webhook',
    parse: duration('s', '1ms', '7d'),
  },
  retentionDays: {
    variable: 'WAYPOST_RETENTION_DAYS',
    default: '30',
    meaning: 'days for which events and attempts are kept',
    parse: wholeNumber(1, 3_650),
  },
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
    meaning: 'least severe log lines to write',
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
