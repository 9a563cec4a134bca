import { addAbortSignal, Readable } from 'node:stream';
import type { Sql } from '../../../database/connection.ts';
import { databaseNow } from '../../../database/database-clock.ts';
import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { singleRunTaskJob } from '../../../jobs/tasks/single-run-task.ts';
import { isTransient, TaskFailure } from '../../../jobs/tasks/task-job.ts';
import { newFileName } from '../../../storage/file-store.ts';
import { confirmFiles, registerFiles, releaseFiles, releaseUnconfirmedFiles } from '../../../storage/pending-files.ts';
import { dashboardSheets } from './dashboard-workbook.ts';
import {
  detachExpiredFiles,
  type ExportContext,
  ExportProgress,
  type ExportSource,
  exportJob,
  requestOf,
  setFile,
} from './export.ts';
import { type ExportFormat, type ExportRequest, titleOf } from './export-request.ts';
import { insightSheets } from './insights-workbook.ts';
import { workbook, xlsxType } from './xlsx/workbook.ts';

/** Writes the file, and removes it if the task was cancelled or claimed by another process. */
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
        await setFile(transaction, task.id, { fileName, sizeBytes, keptSeconds: config.exportRetentionSeconds });
        return { rows: progress.rows, sizeBytes };
      });
      if (!isFinished) await releaseUnconfirmedFiles(database.pool, [fileName]);
      const event = isFinished ? 'export.finished' : 'export.dropped';
      log.info({ event, taskId: task.id, type: task.type, sizeBytes, tookMs: Date.now() - startedAt });
    } catch (error) {
      if (isTransient(error)) {
        // The retry writes a new file. If the database is unavailable, the sweep removes this one after 24 hours.
        await releaseUnconfirmedFiles(database.pool, [fileName]).catch(() => {});
        throw error;
      }
      await releaseUnconfirmedFiles(database.pool, [fileName]);
      throw new TaskFailure(reasonOf(error), { cause: error });
    }
  },
});

/** The error that the user sees. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return 'The storage is full. Contact the operator, then create a new export.';
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || message.startsWith('The S3 store')) {
    return 'The file could not be stored. Contact the operator, then create a new export.';
  }
  return 'The export failed because of an internal error. Create a new export. If it fails again, contact the operator.';
}

const batchSize = 500;

export const exportJobs: readonly JobImplementation[] = [
  runExport,
  defineJob('exports.expire', { schedule: '*/10 * * * *' }).implement(async (_, { database, log }) => {
    let removed = 0;
    for (let count = batchSize; count === batchSize; removed += count) {
      count = await database.transaction(async (transaction) => {
        const names = await detachExpiredFiles(transaction, batchSize);
        await releaseFiles(transaction, names);
        return names.length;
      });
    }
    if (removed > 0) log.info({ event: 'exports.expired', removed });
  }),
];

export const contentTypes: Record<ExportFormat, string> = { xlsx: xlsxType, pdf: 'application/pdf' };

/** Queries the database while the stream is read. */
export function exportContent(source: ExportSource, request: ExportRequest, context: ExportContext): Readable {
  if (request.format === 'pdf') return Readable.from(pdfContent(source.sql, request, context), { objectMode: false });
  const sheets =
    request.type === 'INSIGHTS'
      ? insightSheets(source.sql, request, context)
      : dashboardSheets(source, request, context);
  return workbook(sheets, { title: titleOf(request), creator: 'Waypost', created: context.now });
}

/** Imported lazily, because the PDF library is large. */
async function* pdfContent(sql: Sql, request: ExportRequest, context: ExportContext): AsyncGenerator<Uint8Array> {
  const { reportPdf } = await import('./pdf/report-pdf.ts');
  yield* reportPdf(sql, request, context);
}
