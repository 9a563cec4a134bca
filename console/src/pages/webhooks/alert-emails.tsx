import { Switch, Text } from '@mantine/core';
import { useOpenAlerts } from '../../api/alerts.ts';
import { useSession, useSignIn } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';

/** Whether the user receives e-mails about alerts. */
export function AlertEmails() {
  const { user } = useSession();
  const { refresh } = useSignIn();
  const isMissing = useOpenAlerts().data?.emailEnabled === false;
  const update = useApiWrite('PATCH /api/users/{id}', {
    changes: ['GET /api/users'],
    onSuccess: ({ alertEmails }) => {
      const done = alertEmails ? (isMissing ? 'later' : 'on') : 'off';
      notifyDone(t(`alerts.email.${done}`));
      void refresh();
    },
  });
  const change = (alertEmails: boolean) =>
    update.mutate({ path: { id: user.id }, body: { alertEmails } }, { onError: notifyProblem });
  return (
    <Section title={t('alerts.title')} text={t('alerts.about')}>
      <Switch
        label={t('alerts.email.label', { email: user.email })}
        description={t('alerts.email.hint')}
        checked={user.alertEmails}
        disabled={update.isPending}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      {isMissing && (
        <Text size="sm" mt="sm">
          {t('alerts.email.missing')}
        </Text>
      )}
    </Section>
  );
}
