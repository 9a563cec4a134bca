import { defineJob, type JobImplementation } from '../job.ts';
import { claimStalledTasks, deleteEndedTasks, failTask } from './task-store.ts';

// Steps take seconds. If one takes longer, the row lock and the step number prevent a second commit.
const stalledSeconds = 120;
const keptDays = 90;
// A task that crashes its process repeatedly must not crash the next one as well.
const maxRestarts = 10;
const crashLimitMessage =
  'The task failed: its worker crashed 10 times. Start a smaller task. If that fails too, contact your administrator.';

/** Restarts tasks whose process died. */
const restartStalledTasks = defineJob('tasks.take-up', { schedule: '* * * * *' }).implement(
  async (_, { database, log }) => {
    for (const { id, job, restarts } of await claimStalledTasks(database.pool, stalledSeconds)) {
      if (restarts > maxRestarts) {
        await failTask(database.pool, id, crashLimitMessage);
        log.error({ event: 'task.given-up', taskId: id, job: job.name });
      } else log.info({ event: 'task.taken-up', taskId: id, job: job.name });
      // The job cleans up after a failed task.
      await job.enqueue(database.pool, { taskId: id });
    }
  },
);

const deleteOldTasks = defineJob('tasks.forget', { schedule: '23 3 * * *' }).implement(async (_, { database, log }) => {
  const deleted = await deleteEndedTasks(database.pool, keptDays);
  log.info({ event: 'tasks.forgotten', deleted });
});

export const taskJobs: readonly JobImplementation[] = [restartStalledTasks, deleteOldTasks];
