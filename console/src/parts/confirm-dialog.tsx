import { Button, Group, List, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';
import { Dialog } from './dialog.tsx';
import { FormProblem } from './form-problems.tsx';

interface Props {
  isOpen: boolean;
  title: string;
  text?: ReactNode;
  /** Consequences, one per line. */
  losses?: readonly ReactNode[];
  /** Label of the button: "Delete webhook". It can depend on the error of the last attempt. */
  confirmLabel: string | ((problem: ApiProblem | undefined) => string);
  isDangerous?: boolean;
  /** Shown instead of the message of an error, if defined. */
  describe?: (problem: ApiProblem) => ReactNode;
  /** `problem` is the error that the user has seen. */
  onConfirm: (problem: ApiProblem | undefined) => Promise<unknown>;
  onClose: () => void;
}

/** Confirms a destructive action. Stays open and shows the error when the action fails. */
export function ConfirmDialog(props: Props) {
  return (
    <Dialog opened={props.isOpen} onClose={props.onClose} title={props.title}>
      <Question {...props} />
    </Dialog>
  );
}

function Question(props: Props) {
  const { text, losses = [], confirmLabel, isDangerous = true, describe, onConfirm, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const confirm = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm(problem);
      onClose();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack>
      {text && <Text size="sm">{text}</Text>}
      {losses.length > 0 && (
        <List size="sm" spacing={4}>
          {losses.map((loss, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while shown
            <List.Item key={index}>{loss}</List.Item>
          ))}
        </List>
      )}
      {problem && (describe?.(problem) ?? <FormProblem message={problem.message} />)}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('parts.form.cancel')}
        </Button>
        <Button color={isDangerous ? 'red.9' : undefined} onClick={confirm} loading={isBusy}>
          {typeof confirmLabel === 'string' ? confirmLabel : confirmLabel(problem)}
        </Button>
      </Group>
    </Stack>
  );
}
