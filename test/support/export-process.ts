/**
 * Usage: `node export-process.ts DATABASE_URL TASK_ID`. Runs an export, prints a line after the first chunk of the file,
 * then stalls until it is killed.
 */
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { runExport } from '../../src/modules/analytics/exports/export-jobs.ts';
import { openFileStore } from '../../src/storage/open-file-store.ts';
import { stallingFiles } from './stalling-files.ts';

const [url = '', taskId = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const files = stallingFiles(openFileStore(config));
void files.started.then(() => process.stdout.write('started\n'));
await runExport.run(
  { taskId: Number(taskId) },
  {
    database: new Database(url, { connections: 3, name: 'waypost export' }),
    config,
    files,
    directories: { list: [], connector: (type) => Promise.reject(new Error(type)) as never },
    log: pino({ level: 'silent' }),
    sealer: new Sealer(Buffer.alloc(32)),
    signal: new AbortController().signal,
  },
);
