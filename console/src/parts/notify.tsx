import { notifications } from '@mantine/notifications';
import { Check, TriangleAlert } from 'lucide-react';
import { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';
import { fieldProblemText } from './field-problem-text.ts';

/** Success toast, announced by screen readers. */
export function notifyDone(message: string): void {
  notifications.show({
    message,
    color: 'teal',
    icon: <Check size={16} aria-hidden />,
    role: 'status',
    closeButtonProps,
  });
}

/** Error toast for actions without a form. */
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

const problemText = ({ fields, message }: ApiProblem): string =>
  fields.length > 0 ? fields.map((one) => fieldProblemText(one)).join(' ') : message;

const closeButtonProps = { 'aria-label': t('parts.notice.close') };
