import { addAbortSignal } from 'node:stream';
import { databaseNow } from '../../../database/database-clock.ts';
import { isTemporary } from '../../../database/faults.ts';
import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { singleRunTaskJob } from '../../../jobs/tasks/single-run-task.ts';
import { TaskFailure } from '../../../jobs/tasks/task-job.ts';
import { newFileName } from '../../../storage/file-store.ts';
import { confirmFiles, registerFiles, releaseFiles } from '../../../storage/pending-files.ts';
import { ExportProgress, exportJob, requestOf } from './export.ts';
import { exportContent } from './export-content.ts';
import { detachExpiredFiles, setFile } from './export-store.ts';

/** Writes the file. It is dropped if the task was cancelled or taken over. */
export const runExport = singleRunTaskJob({
  job: exportJob,
  createProgress: () => new ExportProgress(),
  async run(task, { progress, signal, finish }, { config, database, files, log }) {
    const startedAt = Date.now();
    const fileName = newFileName('exports');
    await registerFiles(database.pool, [fileName]);
    try {
      const now = await databaseNow(database.pool);
      const sql = await database.upToDateReads();
      const content = exportContent({ database, sql }, requestOf(task), { now, progress });
      const { sizeBytes } = await files.put(fileName, addAbortSignal(signal, content));
      const isFinished = await finish(async (transaction) => {
        await confirmFiles(transaction, [fileName]);
        await setFile(transaction, task.id, { fileName, sizeBytes, keptSeconds: config.exportSeconds });
        return { rows: progress.rows, sizeBytes };
      });
      if (!isFinished) await releaseFiles(database.pool, [fileName]);
      const event = isFinished ? 'export.finished' : 'export.dropped';
      log.info({ event, taskId: task.id, type: task.type, sizeBytes, tookMs: Date.now() - startedAt });
    } catch (error) {
      if (isTemporary(error)) throw error;
      await releaseFiles(database.pool, [fileName]);
      throw new TaskFailure(reasonOf(error), { cause: error });
    }
  },
});

/** Message for the user. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'The storage is full. Contact the operator, then create a new export.';
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || message.startsWith('The S3 store')) {
    return 'The file could not be stored. Contact the operator, then create a new export.';
  }
  return 'The export failed because of an internal error. Create a new export. If it fails again, contact the operator.';
}

const fileBatch = 500;

export const exportJobs: readonly JobImplementation[] = [
  runExport,
  defineJob('exports.expire', { schedule: '*/10 * * * *' }).implement(async (_, { database, log }) => {
    let removed = 0;
    for (let count = fileBatch; count === fileBatch; removed += count) {
      count = await database.transaction(async (transaction) => {
        const names = await detachExpiredFiles(transaction, fileBatch);
        await releaseFiles(transaction, names);
        return names.length;
      });
    }
    if (removed > 0) log.info({ event: 'exports.expired', removed });
  }),
];
