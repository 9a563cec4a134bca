import { notifications } from '@mantine/notifications';
import { Check, TriangleAlert } from 'lucide-react';
import { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';
import { fieldProblemText } from './field-problem-text.ts';

/** Says in passing that something was done; screen readers say it too. */
export function notifyDone(message: string): void {
  notifications.show({
    message,
    color: 'teal',
    icon: <Check size={16} aria-hidden />,
    role: 'status',
    closeButtonProps,
  });
}

/** Says what went wrong with something that has no form of its own to say it in. */
export function notifyProblem(problem: unknown): void {
  const message = problem instanceof ApiProblem ? problemText(problem) : t('errors.title');
  notifications.show({
    title: t('errors.title'),
    message,
    color: 'red',
    icon: <TriangleAlert size={16} aria-hidden />,
    autoClose: 10_000,
    closeButtonProps,
  });
}

/** Fields by the names that people see, not by their paths in the API. */
const problemText = ({ fields, message }: ApiProblem): string =>
  fields.length > 0 ? fields.map((one) => fieldProblemText(one)).join(' ') : message;

const closeButtonProps = { 'aria-label': t('parts.notice.close') };
