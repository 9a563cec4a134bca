import { Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { LogOut } from 'lucide-react';
import { useSession, useSignIn } from '../api/session.ts';
import { useApiWrite } from '../api/use-api.ts';
import { ApiForm } from '../parts/api-form.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { FormDrawer, useDirty } from '../parts/form-drawer.tsx';
import { useLeaveQuestion } from '../parts/leave-guard.tsx';
import { notifyDone, notifyProblem } from '../parts/notify.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { t, textOrWords } from '../texts/t.ts';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** The menu item that had the focus is unmounted by then. */
  onClosed: () => void;
}

export default function AccountDrawer({ isOpen, onClose, onClosed }: Props) {
  const { user, partner } = useSession();
  return (
    <FormDrawer opened={isOpen} onClose={onClose} onExitTransitionEnd={onClosed} title={t('account.title')}>
      {() => (
        <Stack gap="lg">
          <Text size="sm" c="dimmed">
            {t('account.lead', {
              email: user.email,
              role: textOrWords('users.roles', user.role),
              partner: partner.name,
            })}
          </Text>
          <Details />
          <Divider />
          <NewPassword />
          <Divider />
          <Sessions />
        </Stack>
      )}
    </FormDrawer>
  );
}

function Details() {
  const { user } = useSession();
  const { refresh } = useSignIn();
  const form = useForm({ initialValues: { name: user.name ?? '', language: user.language ?? '' } });
  useDirty(form.isDirty());
  const update = useApiWrite('PATCH /api/users/{id}', {
    changes: ['GET /api/users'],
    onSuccess: () => {
      notifyDone(t('account.saved'));
      form.resetDirty();
      void refresh();
    },
  });
  const submit = (values: typeof form.values) => {
    const body = {
      ...(form.isDirty('name') && { name: values.name.trim() }),
      ...(form.isDirty('language') && { language: values.language.trim() }),
    };
    return update.mutateAsync({ path: { id: user.id }, body });
  };
  return (
    <ApiForm form={form} onSubmit={submit}>
      <TextInput label={t('users.name')} autoComplete="name" {...form.getInputProps('name')} data-autofocus />
      <TextInput
        label={t('users.language')}
        description={t('users.languageHint')}
        {...form.getInputProps('language')}
      />
      <FormButtons loading={form.submitting} disabled={!form.isDirty()}>
        {t('parts.form.save')}
      </FormButtons>
    </ApiForm>
  );
}

function NewPassword() {
  const { user } = useSession();
  const form = useForm({
    initialValues: { currentPassword: '', password: '' },
    validate: {
      currentPassword: (value) => (value ? null : t('account.currentNeeded')),
      password: (value) => (value ? null : t('account.newNeeded')),
    },
  });
  useDirty(form.isDirty());
  const update = useApiWrite('PATCH /api/users/{id}', {
    onSuccess: () => {
      notifyDone(t('account.passwordChanged'));
      form.reset();
    },
  });
  return (
    <ApiForm form={form} onSubmit={(body) => update.mutateAsync({ path: { id: user.id }, body })}>
      {/* Username for password managers. */}
      <input type="email" name="email" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordField
        label={t('account.currentPassword')}
        autoComplete="current-password"
        {...form.getInputProps('currentPassword')}
      />
      <PasswordField
        label={t('users.newPassword')}
        description={t('account.newHint')}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <FormButtons variant="default" loading={form.submitting}>
        {t('account.changePassword')}
      </FormButtons>
    </ApiForm>
  );
}

function Sessions() {
  const { user } = useSession();
  const { clearSession } = useSignIn();
  const [ask, question] = useLeaveQuestion();
  const end = useApiWrite('DELETE /api/users/{id}/all-sessions', { onSuccess: () => void clearSession() });
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" flex="1 1 12rem">
        {t('account.sessionsText')}
      </Text>
      <Button
        variant="default"
        leftSection={<LogOut size={16} aria-hidden />}
        loading={end.isPending}
        onClick={() => ask(() => end.mutate({ path: { id: user.id } }, { onError: notifyProblem }))}
      >
        {t('users.endSessions')}
      </Button>
      {question}
    </Group>
  );
}
