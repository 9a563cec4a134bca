import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { TaskProgress } from '../../parts/task-progress.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, tn } from '../../texts/t.ts';
import { servedStatuses } from '../locations/location-values.ts';

const route = getRouteApi('/shell/listings');

/** The messages of the first locations; the others usually have the same problem. */
const maxRefused = 5;

export function SyncMany() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { open, offset = 0 } = search;
  const set = (next: typeof open) => change({ open: next, ...(offset > 0 && { offset }) });
  return (
    <>
      <Button leftSection={<RefreshCw size={16} aria-hidden />} onClick={() => set('sync')}>
        {t('listings.syncing.many')}
      </Button>
      <Modal opened={open === 'sync'} onClose={() => set(undefined)} title={t('listings.syncing.many')}>
        <SyncForm />
      </Modal>
    </>
  );
}

/** Syncs the chosen locations, or those of the chosen businesses, or all without filters. */
function SyncForm() {
  const { business, location } = route.useSearch();
  const [task, setTask] = useState<number>();
  const counted = useApi('GET /api/locations', {
    query: {
      ...(location ? { ids: location } : { businessIds: business }),
      status: servedStatuses,
      max: 1,
      fieldMask: ['name'],
    },
  });
  const sync = useApiWrite('POST /api/locations/sync', {
    changes: ['GET /api/listings', 'GET /api/listings/by-directory'],
    onSuccess: ({ task: started }) => setTask(started?.id),
  });
  const refused = sync.data?.failed ?? [];
  const start = () =>
    sync.mutate({
      body: location
        ? { locationIds: location }
        : { filter: { status: servedStatuses, ...(business && { businessIds: business }) } },
    });
  return (
    <Stack>
      <FormProblem message={sync.error?.message} />
      {refused.length > 0 && (
        <Alert color="orange" role="alert" title={tn('listings.syncing.refused', refused.length)}>
          {refused.slice(0, maxRefused).map(({ id, message }) => (
            <Text key={id} size="sm">
              {message}
            </Text>
          ))}
        </Alert>
      )}
      {task === undefined ? (
        <Loaded query={counted} height={80}>
          {({ count }) => (
            <Stack>
              <Text size="sm">{tn('listings.syncing.question', count)}</Text>
              <Button onClick={start} loading={sync.isPending} disabled={count === 0 && !location}>
                {t('listings.syncing.start')}
              </Button>
            </Stack>
          )}
        </Loaded>
      ) : (
        <>
          <TaskProgress id={task} />
          <Text size="sm" c="dimmed">
            {t('listings.syncing.continues')}
          </Text>
        </>
      )}
    </Stack>
  );
}
