import { type PlatformJob, platformJob } from '../../../jobs/job.ts';
import { forgetOldLoginAttempts } from './login-attempts.ts';
import { forgetExpiredSessions } from './session-store.ts';

export const userJobs: readonly PlatformJob[] = [
  platformJob({
    task: 'users.forget-expired-sessions',
    schedule: '17 * * * *',
    run: async (_payload, { database, log }) => {
      const forgotten = await forgetExpiredSessions(database.pool);
      await forgetOldLoginAttempts(database.pool);
      if (forgotten > 0) log.info({ event: 'sessions.forgotten', forgotten });
    },
  }),
];
