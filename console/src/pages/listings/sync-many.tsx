import { Button, Modal, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { TaskProgress } from '../../parts/task-progress.tsx';
import { t, tn } from '../../texts/t.ts';
import { locationStatuses } from '../locations/location-values.ts';

const route = getRouteApi('/shell/listings');

/** Syncs the filtered locations, or all without filters. */
export function SyncMany() {
  const { business, location } = route.useSearch();
  const [isOpen, setOpen] = useState(false);
  const [task, setTask] = useState<number>();
  const counted = useApi(
    'GET /api/locations',
    { query: { businessIds: business, ids: location, max: 1, fieldMask: ['name'] } },
    { enabled: isOpen },
  );
  const sync = useApiWrite('POST /api/locations/sync', {
    changes: ['GET /api/listings', 'GET /api/listings/by-directory'],
    onSuccess: ({ task: started }) => setTask(started?.id),
  });
  const start = () =>
    sync.mutate({
      body: location
        ? { locationIds: location }
        : { filter: business ? { businessIds: business } : { status: [...locationStatuses] } },
    });
  const close = () => {
    setOpen(false);
    setTask(undefined);
    sync.reset();
  };
  return (
    <>
      <Button leftSection={<RefreshCw size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {t('listings.syncing.many')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('listings.syncing.many')}>
        <Stack>
          <FormProblem message={sync.error?.message} />
          {task === undefined ? (
            <>
              <Text size="sm">{tn('listings.syncing.question', counted.data?.count ?? 0)}</Text>
              <Button onClick={start} loading={sync.isPending} disabled={!counted.data?.count}>
                {t('listings.syncing.start')}
              </Button>
            </>
          ) : (
            <>
              <TaskProgress id={task} />
              <Text size="sm" c="dimmed">
                {t('listings.syncing.continues')}
              </Text>
            </>
          )}
        </Stack>
      </Modal>
    </>
  );
}
