import { Alert, Button, Group, List, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../api/api-problem.ts';
import { t } from '../../texts/t.ts';

interface Props {
  isOpen: boolean;
  title: string;
  losses: readonly string[];
  label: string;
  onDelete: (force: boolean) => Promise<void>;
  onClose: () => void;
}

/** Deleting an asset in use needs a second confirmation that lists its uses. */
export function DeleteDialog(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title} keepMounted={false}>
      <Question {...props} />
    </Modal>
  );
}

function Question({ losses, label, onDelete, onClose }: Props) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const isInUse = problem?.code === 409;
  const run = async () => {
    setBusy(true);
    try {
      await onDelete(isInUse);
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
      <List size="sm" spacing={4}>
        {losses.map((loss) => (
          <List.Item key={loss}>{loss}</List.Item>
        ))}
      </List>
      {problem && (
        <Alert color={isInUse ? 'orange' : 'red'} role="alert" title={isInUse && t('assets.details.inUse')}>
          {isInUse ? usesIn(problem.message) : problem.message}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('parts.confirm.cancel')}
        </Button>
        <Button color="red.9" loading={isBusy} onClick={() => void run()}>
          {isInUse ? t('assets.details.deleteAnyway') : label}
        </Button>
      </Group>
    </Stack>
  );
}

/** Removes the part of the API message that is meant for API clients. */
const usesIn = (message: string) =>
  message
    .replace(/^In use: /, '')
    .replace(/asset \d+ \("(.*?)"\) by /g, '“$1”: ')
    .replace(/\. Remove it there first.*$/, '.');
