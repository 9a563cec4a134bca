import { addAbortSignal } from 'node:stream';
import { isDatabaseUnavailable } from '../../../database/faults.ts';
import type { JobContext } from '../../../jobs/job.ts';
import {
  beginTask,
  claimStep,
  failTask,
  finishTask,
  type RunningTask,
  releaseTask,
  setProgress,
} from '../../../jobs/tasks/task-store.ts';
import { newFileName } from '../../../storage/file-store.ts';
import { confirmFiles, registerFiles, releaseFiles } from '../../../storage/pending-files.ts';
import { ExportProgress, exportJob, requestOf } from './export.ts';
import { exportContent } from './export-content.ts';
import { setFile } from './export-store.ts';

const heartbeatMs = 500;
/** A worker without a heartbeat for this time is considered dead: 20 missed heartbeats. */
const deadAfterSeconds = 10;

/** Why the export was aborted. */
type AbortReason = 'STOPPED' | 'NOT_OURS';

/**
 * Writes the file from the beginning with two heartbeats per second. The file is dropped if the task was cancelled or
 * taken over.
 */
export async function runExport(taskId: number, context: JobContext): Promise<void> {
  const { database, log } = context;
  const task = await beginTask(database.pool, taskId, deadAfterSeconds);
  if (!task) return;
  const startedAt = Date.now();
  const progress = new ExportProgress();
  const heartbeat = new Heartbeat(task, progress, context);
  const fileName = newFileName('exports');
  await registerFiles(database.pool, [fileName]);
  try {
    const content = exportContent(database, requestOf(task), { now: new Date(), progress });
    const { sizeBytes } = await context.files.put(fileName, addAbortSignal(heartbeat.signal, content));
    const isFinished = await finish(context, task, { fileName, sizeBytes, progress });
    if (!isFinished) await releaseFiles(database.pool, [fileName]);
    const tookMs = Date.now() - startedAt;
    log.info({ event: isFinished ? 'export.finished' : 'export.dropped', taskId, type: task.type, sizeBytes, tookMs });
  } catch (error) {
    // The job is retried when the database is back.
    if (isDatabaseUnavailable(error)) throw error;
    await releaseFiles(database.pool, [fileName]);
    if (heartbeat.abortReason === 'STOPPED') await database.transaction((sql) => releaseTask(sql, task, exportJob));
    else if (heartbeat.abortReason !== 'NOT_OURS') await fail(context, task, error);
  } finally {
    heartbeat.end();
  }
}

/** Attaches the file and finishes the task atomically, unless it was cancelled or finished by another worker. */
async function finish(
  { database, config }: JobContext,
  task: RunningTask,
  { fileName, sizeBytes, progress }: { fileName: string; sizeBytes: number; progress: ExportProgress },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await claimStep(transaction, task.id, task.step))) return false;
    await confirmFiles(transaction, [fileName]);
    await setFile(transaction, task.id, { fileName, sizeBytes, keptSeconds: config.exportSeconds });
    // The last heartbeat is up to 500 ms old, and short exports have none.
    await setProgress(transaction, task, progress);
    return finishTask(transaction, task.id, { rows: progress.rows, sizeBytes });
  });
}

async function fail({ database, log }: JobContext, task: RunningTask, error: unknown): Promise<void> {
  log.error({ event: 'export.failed', taskId: task.id, type: task.type, err: error });
  await database.transaction(async (transaction) => {
    if (await claimStep(transaction, task.id, task.step)) await failTask(transaction, task.id, reasonOf(error));
  });
}

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

/** Reports the progress and aborts the work when it is no longer needed. */
class Heartbeat {
  readonly #ended = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  readonly #signal: AbortSignal;
  abortReason: AbortReason | undefined;

  constructor(task: RunningTask, progress: ExportProgress, { database, signal }: JobContext) {
    this.#signal = signal;
    this.#stop = () => this.#abort('STOPPED');
    signal.addEventListener('abort', this.#stop);
    let isReporting = false;
    this.#timer = setInterval(async () => {
      if (isReporting) return;
      isReporting = true;
      // Database failures surface in the export itself.
      const isOurs = await setProgress(database.pool, task, progress).catch(() => true);
      isReporting = false;
      if (!isOurs) this.#abort('NOT_OURS');
    }, heartbeatMs);
    if (signal.aborted) this.#stop();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  #abort(abortReason: AbortReason): void {
    this.abortReason ??= abortReason;
    this.#ended.abort();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#signal.removeEventListener('abort', this.#stop);
  }
}
