import { findAlertMail, type MailAlerts, mailAlertsJob, recordAlertMail } from '../../events/alerts/alert-mail.ts';
import { defineJob, type JobContext } from '../../jobs/job.ts';
import { MailError, sendMail } from '../../mail/send-mail.ts';
import { deleteOldUses } from './deprecated-use/deprecated-use.ts';
import { deleteExpiredSessions, deleteOldLoginAttempts } from './users/session-store.ts';
import { listAlertAddresses } from './users/user-store.ts';

export const accountJobs = [
  defineJob('users.forget-expired-sessions', { schedule: '17 * * * *' }).implement(async (_, { database, log }) => {
    const deleted = await deleteExpiredSessions(database.pool);
    await deleteOldLoginAttempts(database.pool);
    if (deleted > 0) log.info({ event: 'sessions.deleted', deleted });
  }),
  defineJob('deprecated-use.forget', { schedule: '20 3 * * *' }).implement((_, { database }) =>
    deleteOldUses(database.pool),
  ),
  mailAlertsJob.implement(mailAlerts),
];

/** In seconds after the first, the second and each further failure. A server that hangs delays all partners. */
const mailRetries = [5 * 60, 15 * 60, 60 * 60];

/** The alerts are marked after the e-mail was sent or rejected: after a crash it is sent again. */
async function mailAlerts(
  { partnerId, failures = 0 }: MailAlerts,
  { database, config, log }: JobContext,
): Promise<void> {
  if (!config.smtpUrl) return;
  const consoleUrl = config.publicUrl && `${config.publicUrl.replace(/\/$/, '')}/console`;
  const mail = await findAlertMail(database.pool, config, { partnerId, consoleUrl });
  if (!mail) return;
  const to = await listAlertAddresses(database.pool, partnerId);
  if (to.length > 0) {
    const { host } = config.smtpUrl;
    try {
      const { rejected } = await sendMail(config.smtpUrl, { to, ...mail });
      if (rejected > 0) log.warn({ event: 'mail.recipients-rejected', server: host, rejected, partnerId });
      log.info({ event: 'mail.sent', server: host, recipients: to.length - rejected, partnerId });
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      log.warn({ event: 'mail.failed', server: host, partnerId, reason: error.message });
      if (!error.isPermanent) {
        const delaySeconds = mailRetries[failures] ?? mailRetries.at(-1);
        return mailAlertsJob.enqueue(database.pool, { partnerId, failures: failures + 1 }, { delaySeconds });
      }
    }
  }
  await recordAlertMail(database.pool, mail);
}
