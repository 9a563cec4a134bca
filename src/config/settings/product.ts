import { addressRanges, anyText, duration, onOrOff, urlWithScheme, wholeNumber } from '../parse.ts';
import type { Setting } from './setting.ts';

/** Settings of the console, the demo, the directories and reports. */
export const productSettings = {
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
    parse: urlWithScheme('http', 'https'),
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
    parse: urlWithScheme('http', 'https'),
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
} satisfies Record<string, Setting>;
