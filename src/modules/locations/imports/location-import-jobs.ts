import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { barrier, type Step, TaskFailure, taskJob } from '../../../jobs/tasks/task-job.ts';
import { listRunningTasks, type RunningTask } from '../../../jobs/tasks/task-store.ts';
import type { FilePlace } from './csv-records.ts';
import { importRows, readBatches, readRows } from './import-batch.ts';
import { readHeader } from './location-header.ts';
import { importActor, importJob, importType, parametersOf } from './location-import.ts';
import { insertImportErrors } from './location-import-store.ts';
import { type BatchKeys, keysOf, mayMeanTheSame } from './same-locations.ts';
import { removeAbandonedFiles, removeFile, uploadFolder } from './uploaded-file.ts';

const abandonedAfterHours = 24;

/**
 * Takes in the rows of a file, batch by batch; each is written together with the place that was reached in the file.
 * A batch that may mean a location of the one before waits until that has been written.
 */
async function* steps(task: RunningTask): AsyncGenerator<Step | typeof barrier> {
  const parameters = parametersOf(task);
  const { path, delimiter, businessId } = parameters;
  await access(path).catch(() => {
    throw new TaskFailure(
      'The uploaded file is not on this machine (any more). Upload it again; processes on several machines must share WAYPOST_DATA_DIR.',
    );
  });
  const header = readHeader(parameters.header, { hasBusiness: businessId !== undefined });
  const format = { header, delimiter, ...(businessId !== undefined && { businessId }) };
  const actor = importActor(task);
  const from = (task.position as FilePlace | null) ?? parameters.firstRow;
  let before: BatchKeys | undefined;
  for await (const { records, next } of readBatches(parameters, from)) {
    const rows = readRows(records, format);
    const keys = keysOf(rows);
    if (before && mayMeanTheSame(before, keys)) yield barrier;
    before = keys;
    yield async (transaction) => {
      if (parameters.dryRun) await transaction.query('savepoint dry_run');
      const { errors, failedRows, counts } = await importRows(transaction, actor, records, rows);
      if (parameters.dryRun) await transaction.query('rollback to savepoint dry_run');
      await insertImportErrors(transaction, task.id, errors);
      return { position: next, done: records.length - failedRows, failed: failedRows, counts: { ...counts } };
    };
  }
}

const runImport = taskJob({
  job: importJob,
  steps,
  // While the database writes one batch, the rows of the next are read and checked.
  concurrency: 2,
  afterEnd: (task) => removeFile(parametersOf(task).path),
});

const sweepUploadsJob = defineJob('location-imports.sweep', { schedule: '41 * * * *' });

const sweepUploads = sweepUploadsJob.implement(async (_, { config, database, log }) => {
  const underWay = await listRunningTasks(database.pool, importType);
  const needed = new Set(underWay.map((task) => resolve(parametersOf(task).path)));
  const before = new Date(Date.now() - abandonedAfterHours * 3_600_000);
  const isNeeded = (path: string) => needed.has(resolve(path));
  const removed = await removeAbandonedFiles(uploadFolder(config.dataDir), isNeeded, before);
  if (removed > 0) log.info({ event: 'uploads.swept', removed });
});

export const locationImportJobs: readonly JobImplementation[] = [runImport, sweepUploads];
