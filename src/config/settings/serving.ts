import { addressRanges, anyText, duration, readableFile, type Setting, wholeNumber } from '../parse.ts';

/** Settings of the API and its listener. */
export const servingSettings = {
  port: {
    variable: 'PORT',
    default: '8080',
    meaning: 'port of the API',
    parse: wholeNumber(0, 65_535),
  },
  host: {
    variable: 'HOST',
    default: '127.0.0.1',
    meaning: 'address to listen on; other than loopback requires a certificate or a trusted proxy',
    parse: anyText,
  },
  shutdownDelayMs: {
    variable: 'WAYPOST_SHUTDOWN_DELAY',
    default: '5s',
    demoDefault: '0s',
    meaning:
      'after SIGTERM, how long the API still serves requests while /health/ready returns 503, for load balancers',
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
    meaning: 'address ranges of proxies that terminate TLS and forward the client address',
    parse: addressRanges,
  },
  metricsPort: {
    variable: 'WAYPOST_METRICS_PORT',
    meaning: 'port for /metrics and health; default: disabled',
    parse: wholeNumber(0, 65_535),
  },
  metricsHost: {
    variable: 'WAYPOST_METRICS_HOST',
    default: '127.0.0.1',
    meaning: 'address of the metrics port; metrics need no key, so restrict it to the monitoring network',
    parse: anyText,
  },
  rateLimitPerMinute: {
    variable: 'WAYPOST_RATE_LIMIT',
    default: '600',
    meaning: 'requests per minute and key',
    parse: wholeNumber(1, 10_000_000),
  },
  sessionSeconds: {
    variable: 'WAYPOST_SESSION_LIFETIME',
    default: '12h',
    meaning: 'idle timeout of a session; the maximum lifetime is 30 days',
    parse: duration('s', '1m', '30d'),
  },
} satisfies Record<string, Setting>;
