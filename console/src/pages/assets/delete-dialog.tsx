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

/** Confirms the deletion of an asset or folder. For assets in use, asks again with the list of uses. */
export function DeleteDialog(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title} keepMounted={false}>
      <Confirmation {...props} />
    </Modal>
  );
}

function Confirmation({ losses, label, onDelete, onClose }: Props) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const isInUse = problem?.code === 409;
  const confirm = async () => {
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
        <Button color="red.9" loading={isBusy} onClick={() => void confirm()}>
          {isInUse ? t('assets.details.deleteAnyway') : label}
        </Button>
      </Group>
    </Stack>
  );
}

/** The uses in an API message, without the instructions for API clients. */
const usesIn = (message: string) =>
  message
    .replace(/^In use: /, '')
    .replace(/asset \d+ \("(.*?)"\) by /g, '“$1”: ')
    .replace(/\. Remove it there first.*$/, '.');
