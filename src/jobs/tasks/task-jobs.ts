import { type PlatformJob, platformJob } from '../job.ts';
import { deleteEndedTasks, enqueueTask, failTask, takeStalledTasks } from './task-store.ts';

// A piece takes seconds. The row lock and the step keep two processes from doing one piece if it does take longer.
const stalledSeconds = 120;
const keptDays = 90;
// Processes die by chance once or twice; a task at which they die again and again would take the next one with it.
const mostTakeUps = 10;
const deadly =
  'Whoever worked on it came to an end, ten times in a row. Ask for less at once; if that does not help, tell whoever runs Waypost.';

/** Tasks whose process has died go on in another one. */
const takeUpTasks = platformJob({
  task: 'tasks.take-up',
  schedule: '* * * * *',
  async run(_payload, { database, log }) {
    for (const { id, job, takeUps } of await takeStalledTasks(database.pool, stalledSeconds)) {
      if (takeUps > mostTakeUps) {
        await failTask(database.pool, id, deadly);
        log.error({ event: 'task.given-up', taskId: id, job });
      } else log.info({ event: 'task.taken-up', taskId: id, job });
      // One that has failed is cleaned up behind.
      await enqueueTask(database.pool, id, job);
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
