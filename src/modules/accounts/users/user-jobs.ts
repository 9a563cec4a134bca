import { defineJob } from '../../../jobs/job.ts';
import { forgetOldLoginAttempts } from './login-attempts.ts';
import { forgetExpiredSessions } from './session-store.ts';

export const userJobs = [
  defineJob('users.forget-expired-sessions', { schedule: '17 * * * *' }).implement(async (_, { database, log }) => {
    const forgotten = await forgetExpiredSessions(database.pool);
    await forgetOldLoginAttempts(database.pool);
    if (forgotten > 0) log.info({ event: 'sessions.forgotten', forgotten });
  }),
];
