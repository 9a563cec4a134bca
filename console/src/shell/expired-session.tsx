import { Button, Text } from '@mantine/core';
import { useSignIn } from '../api/session.ts';
import { resolveWaitingRequests, useSessionEnded } from '../api/session-state.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useLeaveQuestion } from '../parts/leave-guard.tsx';
import { t } from '../texts/t.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Shown over the current page, so unsaved changes are kept. Rejected requests are retried after sign-in. */
export function ExpiredSession({ email }: { email: string }) {
  const hasEnded = useSessionEnded();
  const { clearSession } = useSignIn();
  const [ask, question] = useLeaveQuestion(500);
  const returnToSignIn = () => {
    resolveWaitingRequests(false);
    clearSession();
  };
  return (
    <Dialog
      opened={hasEnded}
      onClose={returnToSignIn}
      title={t('expired.title')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      zIndex={400}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t('expired.lead')}
      </Text>
      <SignInForm email={email} submitLabel={t('expired.submit')} onSignedIn={() => resolveWaitingRequests(true)} />
      <Button variant="subtle" color="gray" fullWidth mt="xs" onClick={() => ask(returnToSignIn)}>
        {t('expired.leave')}
      </Button>
      {question}
    </Dialog>
  );
}
