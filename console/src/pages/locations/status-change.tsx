import { Button, Group, List, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Location } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { FormModal, useDirty } from '../../parts/form-drawer.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import type { LocationStatus } from './location-values.ts';

interface Props {
  location: Location;
  target: Exclude<LocationStatus, 'CREATED'>;
  onClose: () => void;
}

export function StatusChange(props: Props) {
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={t('locations.statusChange.title', { name: props.location.name ?? '' })}
    >
      {(cancel) => <Fields {...props} onCancel={cancel} />}
    </FormModal>
  );
}

function Fields({ location, target, onClose, onCancel }: Props & { onCancel: () => void }) {
  const navigate = useNavigate();
  const [endDate, setEndDate] = useState('');
  const [comment, setComment] = useState('');
  useDirty(endDate !== '' || comment !== '');
  const move = useApiWrite('POST /api/locations/{id}/status', {
    changes: ['GET /api/locations/{id}', 'GET /api/locations', 'GET /api/locations/{id}/history'],
  });
  const name = location.name ?? '';
  const isEnding = target === 'DELETED' || target === 'CLOSED' || target === 'CANCELLED';
  const submit = async () => {
    const body = {
      status: target,
      ...(target === 'CANCELLED' && endDate && { endDate }),
      ...(comment.trim() && { comment: comment.trim() }),
    };
    // The error is shown above the fields.
    const moved = await move.mutateAsync({ path: { id: location.id }, body }).catch(() => undefined);
    if (!moved) return;
    notifyDone(t('locations.statusChange.done', { name, status: textOrWords('locations.statuses', target) }));
    onClose();
    if (target === 'DELETED') void navigate({ to: '/locations', ignoreBlocker: true });
  };
  return (
    <Stack>
      <FormProblem message={move.error?.message} />
      <Text size="sm">{t(`locations.statusChange.meaning.${target}`)}</Text>
      {target === 'DELETED' && (
        <List size="sm">
          {location.status !== 'CREATED' && <List.Item>{t('locations.statusChange.losses.listings')}</List.Item>}
          <List.Item>{t('locations.statusChange.losses.inbox')}</List.Item>
          <List.Item>{t('locations.statusChange.losses.final')}</List.Item>
        </List>
      )}
      {target === 'CANCELLED' && (
        <TextInput
          type="date"
          label={t('locations.statusChange.endDate')}
          description={t('locations.statusChange.endDateHint')}
          value={endDate}
          onChange={(event) => setEndDate(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={t('locations.statusChange.comment')}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        autosize
        minRows={2}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel} data-autofocus>
          {t('locations.statusChange.keep')}
        </Button>
        <Button color={isEnding ? 'red.9' : undefined} onClick={submit} loading={move.isPending}>
          {textOrWords('locations.statusChange.to', target)}
        </Button>
      </Group>
    </Stack>
  );
}
