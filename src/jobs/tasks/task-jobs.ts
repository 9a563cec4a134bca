import { defineJob, type JobImplementation } from '../job.ts';
import { deleteEndedTasks, failTask, takeStalledTasks } from './task-store.ts';

// A piece takes seconds. The row lock and the step keep two processes from doing one piece if it does take longer.
const stalledSeconds = 120;
const keptDays = 90;
// Processes die by chance once or twice; a task at which they die again and again would take the next one with it.
const mostTakeUps = 10;
const deadly =
  'Whoever worked on it came to an end, ten times in a row. Ask for less at once; if that does not help, tell whoever runs Waypost.';

/** Tasks whose process has died go on in another one. */
const takeUpTasks = defineJob('tasks.take-up', { schedule: '* * * * *' }).implement(async (_, { database, log }) => {
  for (const { id, job, takeUps } of await takeStalledTasks(database.pool, stalledSeconds)) {
    if (takeUps > mostTakeUps) {
      await failTask(database.pool, id, deadly);
      log.error({ event: 'task.given-up', taskId: id, job: job.name });
    } else log.info({ event: 'task.taken-up', taskId: id, job: job.name });
    // The job cleans up after a failed task.
    await job.enqueue(database.pool, { taskId: id });
  }
});

const forgetTasks = defineJob('tasks.forget', { schedule: '23 3 * * *' }).implement(async (_, { database, log }) => {
  const deleted = await deleteEndedTasks(database.pool, keptDays);
  log.info({ event: 'tasks.forgotten', deleted });
});

export const taskJobs: readonly JobImplementation[] = [takeUpTasks, forgetTasks];
