import { addressRanges, anyText, duration, onOrOff, type Setting, urlWithScheme, wholeNumber } from '../parse.ts';

/** Settings of the console, the demo, the directories and reports. */
export const productSettings = {
  console: {
    variable: 'WAYPOST_CONSOLE',
    default: 'on',
    meaning: 'build the web console if its sources changed, and serve it under /console',
    parse: onOrOff,
  },
  demo: {
    variable: 'WAYPOST_DEMO',
    default: 'on',
    meaning:
      'create a demo partner and demo data, and use the demo defaults: sandbox directories, example events, webhooks to this machine and without HTTPS',
    parse: onOrOff,
  },
  demoLocations: {
    variable: 'WAYPOST_DEMO_LOCATIONS',
    default: '120',
    meaning: 'demo locations to create on the first start; 0 for none',
    parse: wholeNumber(0, 100_000),
  },
  allowTargets: {
    variable: 'WAYPOST_ALLOW_TARGETS',
    default: 'none',
    demoDefault: '127.0.0.0/8,::1/128',
    meaning: 'private address ranges that webhooks may reach',
    parse: addressRanges,
  },
  requireHttps: {
    variable: 'WAYPOST_REQUIRE_HTTPS',
    default: 'on',
    demoDefault: 'off',
    meaning: 'reject webhooks without HTTPS, except in the allowed ranges',
    parse: onOrOff,
  },
  emitExamples: {
    variable: 'WAYPOST_EMIT_EXAMPLES',
    default: 'off',
    demoDefault: 'on',
    meaning: 'allow partners to record example events ("waypost emit")',
    parse: onOrOff,
  },
  sandbox: {
    variable: 'WAYPOST_SANDBOX',
    default: 'off',
    demoDefault: 'on',
    meaning: 'use the sandbox directories; without them, no directory is available',
    parse: onOrOff,
  },
  sandboxUrl: {
    variable: 'WAYPOST_SANDBOX_URL',
    meaning: 'URL of the sandbox network; default: a local one that the worker runs, with its state in the data folder',
    parse: urlWithScheme('http', 'https'),
  },
  sandboxKey: {
    variable: 'WAYPOST_SANDBOX_KEY',
    meaning: 'key for WAYPOST_SANDBOX_URL; the key of a local sandbox is in sandbox.json in the data folder',
    secret: true,
    parse: anyText,
  },
  sandboxLife: {
    variable: 'WAYPOST_SANDBOX_LIFE',
    default: 'off',
    demoDefault: 'on',
    meaning: 'simulate reviews and changes in a new sandbox network; "waypost sandbox life" changes it later',
    parse: onOrOff,
  },
  directoryTimeoutMs: {
    variable: 'WAYPOST_DIRECTORY_TIMEOUT',
    default: '10s',
    meaning: 'timeout of one request to a directory',
    parse: duration('ms', '10ms', '10m'),
  },
  aiUrl: {
    variable: 'WAYPOST_AI_URL',
    meaning:
      'OpenAI-compatible model server for social posts, such as http://127.0.0.1:11434/v1; default: the built-in text generator',
    parse: urlWithScheme('http', 'https'),
  },
  aiModel: {
    variable: 'WAYPOST_AI_MODEL',
    meaning: 'name of the model; required with WAYPOST_AI_URL',
    parse: anyText,
  },
  aiKey: {
    variable: 'WAYPOST_AI_KEY',
    meaning: 'API key of the model server, if required',
    secret: true,
    parse: anyText,
  },
  aiTimeoutMs: {
    variable: 'WAYPOST_AI_TIMEOUT',
    default: '30s',
    meaning: 'timeout of the model server for all texts of one request',
    parse: duration('ms', '10ms', '10m'),
  },
  aiTextsPerHour: {
    variable: 'WAYPOST_AI_TEXTS_PER_HOUR',
    default: '300',
    meaning: 'generated texts per partner and hour',
    parse: wholeNumber(1, 1_000_000),
  },
  nearMeReportsPerHour: {
    variable: 'WAYPOST_NEAR_ME_REPORTS_PER_HOUR',
    default: '500',
    meaning: 'near-me reports per public key and hour',
    parse: wholeNumber(1, 1_000_000),
  },
  nearMeReportsPerVisitor: {
    variable: 'WAYPOST_NEAR_ME_REPORTS_PER_VISITOR',
    default: '20',
    meaning: 'near-me reports per IP address and hour',
    parse: wholeNumber(1, 1_000_000),
  },
  nearMeRetentionDays: {
    variable: 'WAYPOST_NEAR_ME_DAYS',
    default: '14',
    meaning: 'days until a near-me report expires',
    parse: wholeNumber(1, 3_650),
  },
  exportThreshold: {
    variable: 'WAYPOST_EXPORT_THRESHOLD',
    default: '20000',
    meaning: 'maximum rows of an insights export that is created immediately; larger exports become tasks',
    parse: wholeNumber(0, 1_000_000_000),
  },
  exportLimit: {
    variable: 'WAYPOST_EXPORT_LIMIT',
    default: '10000000',
    meaning: 'maximum rows of an export',
    parse: wholeNumber(1, 1_000_000_000),
  },
  exportRetentionSeconds: {
    variable: 'WAYPOST_EXPORT_RETENTION',
    default: '7d',
    meaning: 'how long an export file can be downloaded',
    parse: duration('s', '1m', '60d'),
  },
} satisfies Record<string, Setting>;
