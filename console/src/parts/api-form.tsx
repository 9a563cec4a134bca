import { Stack, type StackProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiProblem } from '../api/api-problem.ts';
import { FormProblem, showInForm } from './form-problems.tsx';

type Send<Values> = (values: Values) => Promise<unknown>;

interface Props<Values extends object> {
  form: UseFormReturnType<Values>;
  onSubmit: Send<Values>;
  gap?: StackProps['gap'];
  children: ReactNode;
}

/** A form that is sent to the API. Errors are shown at their fields, or above the fields. */
export function ApiForm<Values extends object>({ form, onSubmit, gap, children }: Props<Values>) {
  const { problem, ...props } = useApiForm(form, onSubmit);
  return (
    <form {...props}>
      <Stack gap={gap}>
        <FormProblem message={problem} />
        {children}
      </Stack>
    </form>
  );
}

/** Returns the message of errors without a visible field, and the properties of the form element. */
export function useApiForm<Values extends object>(form: UseFormReturnType<Values>, send: Send<Values>) {
  const [problem, setProblem] = useState<string>();
  const ref = useRef<HTMLFormElement>(null);
  const submit = form.onSubmit(
    async (values) => {
      setProblem(undefined);
      try {
        await send(values);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        showFirstError(ref.current, () => setProblem(showInForm(form, error)));
      }
    },
    () => showFirstError(ref.current, () => form.setSubmitting(false)),
  );
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    // React events bubble from a drawer to the form that opened it.
    event.stopPropagation();
    submit(event);
  };
  return { problem, ref, onSubmit, noValidate: true };
}

/** Shows the errors of a form and focuses the first invalid field, or the message of the form. */
function showFirstError(form: HTMLElement | null, say: () => void = () => {}): void {
  // The errors must be rendered before the focus can move.
  flushSync(say);
  const wrong = form?.querySelector('.mantine-InputWrapper-error');
  const field = wrong
    ?.closest('.mantine-InputWrapper-root, .mantine-CheckboxGroup-root')
    ?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea');
  const said = form?.querySelector<HTMLElement>('[role="alert"]');
  (wrong ?? said)?.scrollIntoView({ block: 'center' });
  if (!field) said?.setAttribute('tabindex', '-1');
  (field ?? said)?.focus({ preventScroll: true });
}
