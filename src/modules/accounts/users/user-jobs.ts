import { defineJob } from '../../../jobs/job.ts';
import { deleteOldLoginAttempts } from './login-attempts.ts';
import { deleteExpiredSessions } from './session-store.ts';

export const userJobs = [
  defineJob('users.forget-expired-sessions', { schedule: '17 * * * *' }).implement(async (_, { database, log }) => {
    const deleted = await deleteExpiredSessions(database.pool);
    await deleteOldLoginAttempts(database.pool);
    if (deleted > 0) log.info({ event: 'sessions.forgotten', forgotten: deleted });
  }),
];
