/** Imports one file like an upload and reports the time and memory. */
import { createReadStream } from 'node:fs';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { findTaskById } from '../../src/jobs/tasks/task-store.ts';
import { createImport } from '../../src/modules/locations/imports/location-import.ts';
import { locationImportJobs } from '../../src/modules/locations/imports/location-import-jobs.ts';
import { receiveFile } from '../../src/modules/locations/imports/uploaded-file.ts';
import { openFileStore } from '../../src/storage/open-file-store.ts';

const { url, folder, file, partner } = JSON.parse(process.argv[2] ?? '{}');
const database = new Database(url, { connections: 3, name: 'waypost bench import', statementLimit: 'job' });
await database.pool.query('select');

let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);

const start = performance.now();
const received = await receiveFile(createReadStream(file), { name: file, folder, maxBytes: 2 ** 40 });
const caller = {
  partnerId: partner.id,
  partnerIdentifier: partner.identifier,
  apiVersion: '',
  planFeatures: [],
  countedAs: 'bench',
  by: 'PRIVATE_TOKEN',
};
const { id } = await database.transaction((transaction) => createImport(transaction, caller, received, {}));
const config = readConfig({ WAYPOST_DATA_DIR: folder });
const context = {
  database,
  config,
  files: openFileStore(config),
  directories: { list: [], connector: (type: string) => Promise.reject(new Error(type)) as never },
  log: pino({ level: 'warn' }),
  sealer: new Sealer(Buffer.alloc(32)),
  signal: new AbortController().signal,
};
const [job] = locationImportJobs;
let task = await findTaskById(database.pool, id);
// Each run of the job takes at most 30 s.
while (task?.status === 'CREATED' || task?.status === 'RUNNING') {
  await job?.run({ taskId: id }, context);
  task = await findTaskById(database.pool, id);
}
const seconds = (performance.now() - start) / 1000;
clearInterval(watch);
await database.pool.query('delete from graphile_worker._private_jobs');
await database.close();

const { status, done, failed, total } = task ?? { status: 'GONE', done: 0, failed: 0, total: 0 };
if (status !== 'FINISHED' || done !== total) throw new Error(`${status}: ${done} of ${total} rows, ${failed} failed.`);
process.send?.({
  fileMiB: Number((received.file.sizeBytes / 2 ** 20).toFixed(1)),
  rowsPerSecond: Math.round(done / seconds),
  peakMiB: Math.round(peak / 2 ** 20),
});
process.disconnect?.();
