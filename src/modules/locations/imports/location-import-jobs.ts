import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { barrier, type Step, TaskFailure, taskJob } from '../../../jobs/tasks/task-job.ts';
import { listRunningTasks, type RunningTask } from '../../../jobs/tasks/task-store.ts';
import type { FilePosition } from './csv-records.ts';
import { type BatchKeys, importRows, keysOf, mayOverlap, readBatches, readRows } from './import-batch.ts';
import { readHeader } from './location-columns.ts';
import { importActor, importJob, importType, parametersOf } from './location-import.ts';
import { insertImportErrors } from './location-import-store.ts';
import { removeAbandonedFiles, removeFile, uploadFolder } from './uploaded-file.ts';

const abandonedAfterHours = 24;

/** Imports a file in batches; each is committed with its file position. Overlapping batches run one after the other. */
async function* steps(task: RunningTask): AsyncGenerator<Step | typeof barrier> {
  const parameters = parametersOf(task);
  const { path, delimiter, businessId } = parameters;
  await access(path).catch(() => {
    throw new TaskFailure(
      'The uploaded file was not found. Upload it again. With several machines, WAYPOST_DATA_DIR must be a shared folder.',
    );
  });
  const header = readHeader(parameters.header, { hasBusiness: businessId !== undefined });
  const format = { header, delimiter, ...(businessId !== undefined && { businessId }) };
  const actor = importActor(task);
  const from = (task.position as FilePosition | null) ?? parameters.firstRow;
  let before: BatchKeys | undefined;
  for await (const { records, next } of readBatches(parameters, from)) {
    const rows = readRows(records, format);
    const keys = keysOf(rows);
    if (before && mayOverlap(before, keys)) yield barrier;
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
  // The next batch is read and validated while the database writes the current one.
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
