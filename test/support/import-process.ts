/**
 * Usage: `node import-process.ts DATABASE_URL TASK_ID [--step]`. Runs an import. Before each transaction it prints the
 * memory in use; with --step it then waits for a line on stdin.
 */
import { createInterface } from 'node:readline';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { locationImportJobs } from '../../src/modules/locations/imports/location-import-jobs.ts';
import { openFileStore } from '../../src/storage/open-file-store.ts';

const [url = '', taskId = '', ...flags] = process.argv.slice(2);
const database = new Database(url, { connections: 3, name: 'waypost import' });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const transaction = database.transaction.bind(database);
database.transaction = async (work) => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
  if (flags.includes('--step')) await lines.next();
  return transaction(work);
};

const config = readConfig(process.env);
const [job] = locationImportJobs;
await job?.run(
  { taskId: Number(taskId) },
  {
    database,
    config,
    files: openFileStore(config),
    directories: { list: [], connector: (type) => Promise.reject(new Error(type)) as never },
    log: pino({ level: 'silent' }),
    sealer: new Sealer(Buffer.alloc(32)),
    signal: new AbortController().signal,
  },
);
await database.close();
process.exit();
