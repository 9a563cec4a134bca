import { Alert } from '@mantine/core';
import type { ApiProblem } from '../api/api-problem.ts';
import { fieldProblemText } from './field-problem-text.ts';

interface Form<Values> {
  values: Values;
  getValues(): Values;
  setFieldError(field: string, message: string): void;
}

/** Sets the API's field errors on the form. Returns the message for errors without a visible field. */
export function showInForm<Values extends object>(form: Form<Values>, problem: ApiProblem): string | undefined {
  const known = new Set(Object.keys(form.getValues()));
  const rest: string[] = [];
  for (const one of problem.fields) {
    const name = one.field.replace(/\[(\d+)\]/g, '.$1');
    if (known.has(name.split('.')[0] ?? '')) form.setFieldError(name, fieldProblemText(one));
    else rest.push(fieldProblemText(one));
  }
  if (problem.fields.length === 0) return problem.message;
  return rest.length > 0 ? rest.join(' ') : undefined;
}

export function FormProblem({ message }: { message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <Alert color="red" role="alert">
      {message}
    </Alert>
  );
}
