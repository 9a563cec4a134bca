import { defineJob } from '../../jobs/job.ts';
import { deleteOldUses } from './deprecated-use/deprecated-use.ts';
import { deleteExpiredSessions, deleteOldLoginAttempts } from './users/session-store.ts';

export const accountJobs = [
  defineJob('users.forget-expired-sessions', { schedule: '17 * * * *' }).implement(async (_, { database, log }) => {
    const deleted = await deleteExpiredSessions(database.pool);
    await deleteOldLoginAttempts(database.pool);
    if (deleted > 0) log.info({ event: 'sessions.forgotten', forgotten: deleted });
  }),
  defineJob('deprecated-use.forget', { schedule: '20 3 * * *' }).implement((_, { database }) =>
    deleteOldUses(database.pool),
  ),
];
