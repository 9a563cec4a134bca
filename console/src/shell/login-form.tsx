import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../api/api-problem.ts';
import { useSignIn } from '../api/session.ts';
import { PasswordField } from '../parts/password-field.tsx';
import { t } from '../texts/t.ts';

interface Props {
  /** Prefilled email after a session expired. */
  email?: string;
  submitLabel: string;
  onEntered: () => void | Promise<void>;
}

export function LoginForm({ email, submitLabel, onEntered }: Props) {
  const { signIn } = useSignIn();
  const [problem, setProblem] = useState<string>();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: email ?? '', password: '' },
    validate: {
      email: (value) => (value.trim() ? null : t('login.emailNeeded')),
      password: (value) => (value ? null : t('login.passwordNeeded')),
    },
  });
  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(values.email.trim(), values.password);
      await onEntered();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error.isLimited ? t('login.wait', { seconds: error.retryAfterSeconds ?? 60 }) : error.message);
      form.setFieldValue('password', '');
    } finally {
      setBusy(false);
    }
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {problem && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        <TextInput
          type="email"
          label={t('login.email')}
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={email !== undefined}
          ref={email === undefined ? first : undefined}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={t('login.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          ref={email === undefined ? undefined : first}
          data-autofocus={email !== undefined || undefined}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={isBusy} fullWidth mt="xs">
          {submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
