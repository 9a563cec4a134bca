import { duration, durationOrOff, fraction, proxyUrl, retrySchedule, type Setting, wholeNumber } from '../parse.ts';

/** Settings of event delivery. */
export const deliverySettings = {
  retrySchedule: {
    variable: 'WAYPOST_RETRY_SCHEDULE',
    default: '5s,1m,5m,30m,2h',
    meaning: 'delays before each retry of a delivery; after the last attempt it is discarded',
    parse: retrySchedule,
  },
  retryJitter: {
    variable: 'WAYPOST_RETRY_JITTER',
    default: '0.2',
    meaning: 'random deviation from the schedule, as a fraction of the delay',
    parse: fraction,
  },
  retryAfterMax: {
    variable: 'WAYPOST_RETRY_AFTER_MAX',
    default: '4h',
    meaning: 'maximum Retry-After delay that a receiver can request',
    parse: duration('s', '1s', '7d'),
  },
  deliveryTimeoutMs: {
    variable: 'WAYPOST_DELIVERY_TIMEOUT',
    default: '15s',
    meaning:
      'timeout of one request, from the DNS lookup to the end of the response; a token request before it takes at most 10s',
    parse: duration('ms', '10ms', '10m'),
  },
  egressProxy: {
    variable: 'WAYPOST_EGRESS_PROXY',
    meaning:
      'HTTP proxy (CONNECT) for deliveries and token requests, http://user:password@host:3128; ranges of WAYPOST_ALLOW_TARGETS are reached directly',
    secret: true,
    parse: proxyUrl,
  },
  webhookConcurrency: {
    variable: 'WAYPOST_WEBHOOK_CONCURRENCY',
    default: '64',
    meaning: 'maximum concurrent requests for one webhook, across all workers',
    parse: wholeNumber(1, 10_000),
  },
  hostConcurrency: {
    variable: 'WAYPOST_HOST_CONCURRENCY',
    default: '128',
    meaning: 'maximum concurrent requests to one host, per worker',
    parse: wholeNumber(1, 10_000),
  },
  workerConcurrency: {
    variable: 'WAYPOST_WORKER_CONCURRENCY',
    default: '1024',
    meaning: 'maximum concurrent requests of one worker',
    parse: wholeNumber(1, 100_000),
  },
  leaseSeconds: {
    variable: 'WAYPOST_LEASE',
    default: '15s',
    meaning: 'time after which another worker takes over the webhooks of an unresponsive worker',
    parse: duration('s', '3s', '1h'),
  },
  pollMs: {
    variable: 'WAYPOST_POLL_INTERVAL',
    default: '1s',
    meaning: 'how often a worker polls for due deliveries without a notification',
    parse: duration('ms', '10ms', '1h'),
  },
  breakerThreshold: {
    variable: 'WAYPOST_BREAKER_THRESHOLD',
    default: '10',
    meaning: 'consecutive failures after which a webhook is paused',
    parse: wholeNumber(1, 1_000_000),
  },
  breakerFirstPause: {
    variable: 'WAYPOST_BREAKER_PAUSE',
    default: '30s',
    meaning: 'first pause of a failing webhook; it doubles after each failed probe',
    parse: duration('s', '1ms', '7d'),
  },
  breakerMaxPause: {
    variable: 'WAYPOST_BREAKER_MAX_PAUSE',
    default: '10m',
    meaning: 'maximum pause of a failing webhook',
    parse: duration('s', '1ms', '7d'),
  },
  alertBacklogSeconds: {
    variable: 'WAYPOST_ALERT_BACKLOG',
    default: '1h',
    meaning: 'how long deliveries of a webhook can be due before an alert',
    parse: duration('s', '1m', '30d'),
  },
  webhookDisableSeconds: {
    variable: 'WAYPOST_WEBHOOK_DISABLE_AFTER',
    default: '5d',
    meaning: 'disable a webhook after only failures for this time, announced by alerts; off: never',
    parse: durationOrOff('s', '1h', '365d'),
  },
  retentionDays: {
    variable: 'WAYPOST_RETENTION_DAYS',
    default: '30',
    meaning: 'days until events and attempts are deleted',
    parse: wholeNumber(1, 3_650),
  },
} satisfies Record<string, Setting>;
