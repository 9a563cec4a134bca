import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Check, TriangleAlert } from 'lucide-react';
import { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';
import { fieldProblemText } from './field-problem-text.ts';

const closeButtonProps = { 'aria-label': t('parts.notice.close') };

/** A success, announced by screen readers. */
const success = { color: 'teal', icon: <Check size={16} aria-hidden />, role: 'status', closeButtonProps };

export const notifyDone = (message: string): void => void notifications.show({ ...success, message });

/** Toast with an undo button. */
export function notifyUndoable(message: string, undoLabel: string, onUndo: () => void): void {
  const id = notifications.show({
    ...success,
    message: (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          flex="0 0 auto"
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          {undoLabel}
        </Button>
      </Group>
    ),
    autoClose: 10_000,
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
