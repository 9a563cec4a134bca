import { addAbortSignal } from 'node:stream';
import { isDatabaseAway } from '../../database/faults.ts';
import type { JobContext } from '../../platform/platform-job.ts';
import {
  beginTask,
  failTask,
  finishTask,
  giveBackTask,
  reportStanding,
  type TaskUnderWay,
  takeStep,
} from '../../platform/tasks/task-store.ts';
import { newFileName } from '../../storage/file-name.ts';
import { announceFiles, keepFiles, releaseFiles } from '../../storage/unsettled-files.ts';
import { exportJob, requestOf } from './export.ts';
import { exportContent } from './export-content.ts';
import { ExportProgress } from './export-progress.ts';
import { setFile } from './export-store.ts';

const reportEveryMs = 500;
/** Somebody who has not said anything for so long has died: he would have twenty times by now. */
const quietSeconds = 10;

/** Why the making of a file was broken off. */
type Ending = 'STOPPED' | 'NOT_OURS';

/**
 * Makes the file of an export from the beginning. Whoever does it says so twice a second; when it was cancelled, or
 * another process does it, what was written is dropped.
 */
export async function makeExport(taskId: number, context: JobContext): Promise<void> {
  const { database, log } = context;
  const task = await beginTask(database.pool, taskId, quietSeconds);
  if (!task) return;
  const startedAt = Date.now();
  const progress = new ExportProgress();
  const watch = new Watch(task, progress, context);
  const fileName = newFileName('exports');
  await announceFiles(database.pool, [fileName]);
  try {
    const content = exportContent(database, requestOf(task), { now: new Date(), progress });
    const { sizeBytes } = await context.files.put(fileName, addAbortSignal(watch.signal, content));
    const isFinished = await finish(context, task, { fileName, sizeBytes, progress });
    if (!isFinished) await releaseFiles(database.pool, [fileName]);
    const tookMs = Date.now() - startedAt;
    log.info({ event: isFinished ? 'export.finished' : 'export.dropped', taskId, type: task.type, sizeBytes, tookMs });
  } catch (error) {
    // A database that is away comes back, and the job is tried again.
    if (isDatabaseAway(error)) throw error;
    await releaseFiles(database.pool, [fileName]);
    if (watch.ending === 'STOPPED') await database.transaction((sql) => giveBackTask(sql, task, exportJob));
    else if (watch.ending !== 'NOT_OURS') await fail(context, task, error);
  } finally {
    watch.end();
  }
}

/** The file, and that the export is finished, at one moment; not when it was cancelled or done by another meanwhile. */
async function finish(
  { database, config }: JobContext,
  task: TaskUnderWay,
  { fileName, sizeBytes, progress }: { fileName: string; sizeBytes: number; progress: ExportProgress },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await takeStep(transaction, task.id, task.step))) return false;
    await keepFiles(transaction, [fileName]);
    await setFile(transaction, task.id, { fileName, sizeBytes, keptSeconds: config.exportSeconds });
    // The last report is up to 500 ms old, and a short export has none.
    await reportStanding(transaction, task, progress);
    return finishTask(transaction, task.id, { rows: progress.rows, sizeBytes });
  });
}

async function fail({ database, log }: JobContext, task: TaskUnderWay, error: unknown): Promise<void> {
  log.error({ event: 'export.failed', taskId: task.id, type: task.type, err: error });
  await database.transaction(async (transaction) => {
    if (await takeStep(transaction, task.id, task.step)) await failTask(transaction, task.id, reasonOf(error));
  });
}

/** In words for whoever asked for it. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'There is no room for the file. Tell whoever runs Waypost, then start it again.';
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || message.startsWith('The S3 store')) {
    return 'The file could not be stored. Tell whoever runs Waypost, then start it again.';
  }
  return 'It stopped because of a fault on our side. Start it again; if it fails again, tell whoever runs Waypost.';
}

/** Writes down how far the work is, and breaks it off when there is no use in going on. */
class Watch {
  readonly #ended = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  readonly #signal: AbortSignal;
  ending: Ending | undefined;

  constructor(task: TaskUnderWay, progress: ExportProgress, { database, signal }: JobContext) {
    this.#signal = signal;
    this.#stop = () => this.#breakOff('STOPPED');
    signal.addEventListener('abort', this.#stop);
    let isReporting = false;
    this.#timer = setInterval(async () => {
      if (isReporting) return;
      isReporting = true;
      // A database that is away shows in the work itself.
      const isOurs = await reportStanding(database.pool, task, progress).catch(() => true);
      isReporting = false;
      if (!isOurs) this.#breakOff('NOT_OURS');
    }, reportEveryMs);
    if (signal.aborted) this.#stop();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  #breakOff(ending: Ending): void {
    this.ending ??= ending;
    this.#ended.abort();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#signal.removeEventListener('abort', this.#stop);
  }
}
