import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../api/api-problem.ts';
import { useSignIn } from '../api/session.ts';
import { PasswordField } from '../parts/password-field.tsx';
import { t } from '../texts/t.ts';

interface Props {
  /** Set after a session expired: the email is prefilled and read-only. */
  email?: string;
  submitLabel: string;
  onSignedIn: () => void | Promise<void>;
}

export function SignInForm({ email, submitLabel, onSignedIn }: Props) {
  const { signIn } = useSignIn();
  const [problem, setProblem] = useState<string>();
  const [failures, setFailures] = useState(0);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  // Also after a failure: the emptied password field is a new element, which does not have the focus.
  useEffect(() => {
    const field = email === undefined && failures === 0 ? emailField : passwordField;
    field.current?.focus();
  }, [email, failures]);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: email ?? '', password: '' },
    validate: {
      email: (value) => (value.trim() ? null : t('signIn.emailNeeded')),
      password: (value) => (value ? null : t('signIn.passwordNeeded')),
    },
  });
  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(values.email.trim(), values.password);
      await onSignedIn();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error.isLimited ? t('signIn.wait', { seconds: error.retryAfterSeconds ?? 60 }) : error.message);
      form.setFieldValue('password', '');
      setFailures((count) => count + 1);
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
          label={t('signIn.email')}
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={email !== undefined}
          ref={emailField}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={t('signIn.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          ref={passwordField}
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
