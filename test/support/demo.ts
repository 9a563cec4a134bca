import type { Database } from '../../src/database/connection.ts';
import { hasEnded, type Task } from '../../src/jobs/tasks/task.ts';
import { findTaskById } from '../../src/jobs/tasks/task-store.ts';
import { type DemoOrder, orderDemoData } from '../../src/modules/demo/demo-task.ts';
import type { Directories } from '../../src/modules/directories/directories.ts';
import { runJobs } from './jobs.ts';

/** Orders demo data for a partner and does the work until it has ended, and what it asked of others. */
export async function makeDemoData(
  database: Database,
  directories: Directories,
  partner: { id: number; identifier: string },
  order: Partial<DemoOrder> = {},
): Promise<Task> {
  const { task } = await database.transaction((transaction) =>
    orderDemoData(transaction, partner, { locations: 10, seed: '1', ...order }),
  );
  return workThrough(database, directories, task.id);
}

/** Does every job, also those for later, until the task has ended. */
async function workThrough(database: Database, directories: Directories, taskId: number): Promise<Task> {
  for (;;) {
    await runJobs(database, { directories, early: true });
    const task = await findTaskById(database.pool, taskId);
    if (!task) throw new Error(`Task ${taskId} has gone.`);
    if (hasEnded(task)) return task;
  }
}
