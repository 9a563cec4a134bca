import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type PlatformJob, platformJob } from '../platform-job.ts';
import { type Step, TaskFailure, taskJob } from '../tasks/task-job.ts';
import { listTasksUnderWay, type TaskUnderWay } from '../tasks/task-store.ts';
import type { FilePlace } from './csv-records.ts';
import { importRows, readBatches } from './import-batch.ts';
import { readHeader } from './location-header.ts';
import { countsOf, importActor, importJob, importType, parametersOf } from './location-import.ts';
import { insertImportErrors } from './location-import-store.ts';
import { removeAbandonedFiles, removeFile, uploadFolder } from './uploaded-file.ts';

const abandonedAfterHours = 24;

/** Takes in the rows of a file, batch by batch; each is written together with the place that was reached in the file. */
async function* steps(task: TaskUnderWay): AsyncGenerator<Step> {
  const parameters = parametersOf(task);
  const { path, delimiter, businessId } = parameters;
  await access(path).catch(() => {
    throw new TaskFailure(
      'The uploaded file is not on this machine (any more). Upload it again; processes on several machines must share WAYPOST_DATA_DIR.',
    );
  });
  const header = readHeader(parameters.header, { hasBusiness: businessId !== undefined });
  const actor = importActor(task);
  const from = (task.position as FilePlace | null) ?? parameters.firstRow;
  let counts = countsOf(task);
  for await (const { records, next } of readBatches(parameters, from)) {
    const before = counts;
    yield async (transaction) => {
      const imported = await importRows(transaction, actor, records, {
        header,
        delimiter,
        ...(businessId !== undefined && { businessId }),
      });
      await insertImportErrors(transaction, task.id, imported.errors);
      counts = {
        created: before.created + imported.counts.created,
        updated: before.updated + imported.counts.updated,
        unchanged: before.unchanged + imported.counts.unchanged,
      };
      const { failedRows } = imported;
      return { position: next, done: records.length - failedRows, failed: failedRows, result: counts };
    };
  }
}

const runImport = taskJob({
  job: importJob,
  steps,
  afterEnd: (task) => removeFile(parametersOf(task).path),
});

const sweepUploads = platformJob({
  task: 'location-imports.sweep',
  schedule: '41 * * * *',
  async run(_payload, { config, database, log }) {
    const underWay = await listTasksUnderWay(database.pool, importType);
    const needed = new Set(underWay.map((task) => resolve(parametersOf(task).path)));
    const before = new Date(Date.now() - abandonedAfterHours * 3_600_000);
    const isNeeded = (path: string) => needed.has(resolve(path));
    const removed = await removeAbandonedFiles(uploadFolder(config.dataDir), isNeeded, before);
    if (removed > 0) log.info({ event: 'uploads.swept', removed });
  },
});

export const locationImportJobs: readonly PlatformJob[] = [runImport, sweepUploads];
