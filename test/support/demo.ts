import type { Database } from '../../src/database/connection.ts';
import { hasEnded, type Task } from '../../src/jobs/tasks/task.ts';
import { findTaskById } from '../../src/jobs/tasks/task-store.ts';
import { type DemoRequest, requestDemoData } from '../../src/modules/demo/demo-task.ts';
import type { Directories } from '../../src/modules/directories/open-directories.ts';
import { runJobs } from './jobs.ts';

/** Requests demo data and runs jobs until the task has ended. */
export async function createDemoData(
  database: Database,
  directories: Directories,
  partner: { id: number; identifier: string },
  request: Partial<DemoRequest> = {},
): Promise<Task> {
  const { task } = await database.transaction((transaction) =>
    requestDemoData(transaction, partner, { locations: 10, seed: '1', ...request }),
  );
  return runUntilTaskEnds(database, directories, task.id);
}

/** Runs all jobs, including scheduled ones, until the task has ended. */
async function runUntilTaskEnds(database: Database, directories: Directories, taskId: number): Promise<Task> {
  for (;;) {
    await runJobs(database, { directories, early: true });
    const task = await findTaskById(database.pool, taskId);
    if (!task) throw new Error(`Task ${taskId} not found.`);
    if (hasEnded(task)) return task;
  }
}
