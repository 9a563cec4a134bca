import { Button, Group } from '@mantine/core';
import { Link2, Send, Unlink } from 'lucide-react';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';
import type { Listing } from './listing-values.ts';

const read = ['GET /api/listings/{id}', 'GET /api/listings', 'GET /api/locations/{id}/listings'] as const;

export function ListingActions({ listing }: { listing: Listing }) {
  const { id, typeName, connectStatus } = listing;
  const submit = useApiWrite('POST /api/listings/{id}/submit', {
    changes: [...read, 'GET /api/listings/{id}/submissions'],
    onSuccess: () => notifyDone(t('listings.actions.submitted', { directory: typeName })),
  });
  const connect = useApiWrite('POST /api/listings/{id}/connect', { changes: read });
  const disconnect = useApiWrite('POST /api/listings/{id}/disconnect', { changes: read });
  return (
    <Group gap="xs">
      <Button
        leftSection={<Send size={16} aria-hidden />}
        loading={submit.isPending}
        onClick={() => submit.mutate({ path: { id } }, { onError: notifyProblem })}
      >
        {t('listings.actions.submit')}
      </Button>
      {connectStatus === 'NOT_CONNECTED' && (
        <Button
          variant="default"
          leftSection={<Link2 size={16} aria-hidden />}
          loading={connect.isPending}
          onClick={() => connect.mutate({ path: { id } }, { onError: notifyProblem })}
        >
          {t('listings.actions.connect')}
        </Button>
      )}
      {connectStatus === 'CONNECTED' && (
        <Button
          variant="default"
          leftSection={<Unlink size={16} aria-hidden />}
          loading={disconnect.isPending}
          onClick={() => disconnect.mutate({ path: { id } }, { onError: notifyProblem })}
        >
          {t('listings.actions.disconnect')}
        </Button>
      )}
    </Group>
  );
}
