import { duration, fraction, retrySchedule, wholeNumber } from '../parse.ts';
import type { Setting } from './setting.ts';

/** Settings of event delivery. */
export const deliverySettings = {
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
} satisfies Record<string, Setting>;
