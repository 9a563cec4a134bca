/** Exports the daily insights of all locations to one workbook and reports its size, time and memory. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Database } from '../../src/database/connection.ts';
import { ExportProgress } from '../../src/modules/analytics/exports/export.ts';
import { exportContent } from '../../src/modules/analytics/exports/export-jobs.ts';

const { url, partnerId, span, file } = JSON.parse(process.argv[2] ?? '{}');
const database = new Database(url, { connections: 3, name: 'waypost bench export', statementLimit: 'job' });
const progress = new ExportProgress();
const start = performance.now();
const content = exportContent(
  { database, sql: database.pool },
  {
    type: 'INSIGHTS',
    format: 'xlsx',
    language: 'en',
    scope: { kind: 'partner', partnerId },
    span,
    group: 'DAY',
    directoryTypes: ['GOOGLE'],
  },
  { now: new Date(), progress },
);
let bytes = 0;
await pipeline(
  content,
  async function* (source) {
    for await (const part of source as AsyncIterable<Uint8Array>) {
      bytes += part.length;
      yield part;
    }
  },
  createWriteStream(file),
);
await database.close();
process.send?.({
  rows: progress.rows,
  fileMiB: Math.round(bytes / 2 ** 20),
  seconds: Math.round((performance.now() - start) / 1000),
  // Peak resident set size in KiB.
  peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
});
process.disconnect?.();
