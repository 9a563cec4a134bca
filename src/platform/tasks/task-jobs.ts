import { type PlatformJob, platformJob } from '../platform-job.ts';
import { deleteEndedTasks, enqueueTask, listStalledTasks } from './task-store.ts';

// A piece takes seconds. The row lock and the step keep two processes from doing one piece if it does take longer.
const stalledSeconds = 120;
const keptDays = 90;

/** Tasks whose process has died go on in another one. */
const takeUpTasks = platformJob({
  task: 'tasks.take-up',
  schedule: '* * * * *',
  async run(_payload, { database, log }) {
    for (const { id, job } of await listStalledTasks(database.pool, stalledSeconds)) {
      await enqueueTask(database.pool, id, job);
      log.info({ event: 'task.taken-up', taskId: id, job });
    }
  },
});

const forgetTasks = platformJob({
  task: 'tasks.forget',
  schedule: '23 3 * * *',
  async run(_payload, { database, log }) {
    const deleted = await deleteEndedTasks(database.pool, keptDays);
    log.info({ event: 'tasks.forgotten', deleted });
  },
});

export const taskJobs: readonly PlatformJob[] = [takeUpTasks, forgetTasks];
