import { Alert, Anchor, Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { bytesText } from '../../parts/number-text.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { AttemptLine } from './attempt-line.tsx';
import { curlCommand, headersOf } from './curl-command.ts';
import { DeliveryStatus } from './delivery-status.tsx';
import { HeaderTable } from './header-table.tsx';
import { isQueue } from './queue.ts';
import { type DeliveryStory, deliveryReads, deliveryTones, webhookReads } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface Props {
  /** Event id and webhook id; undefined if closed. */
  id: string | undefined;
  onClose: () => void;
  onCheckSignature?: () => void;
}

export function DeliveryDrawer({ id, onClose, onCheckSignature }: Props) {
  return (
    <FormDrawer
      opened={id !== undefined}
      onClose={onClose}
      title={t('webhook.delivery.title', { id: id?.split('-')[0] ?? '' })}
      size="xl"
    >
      {() => id !== undefined && <Story id={id} onCheckSignature={onCheckSignature} />}
    </FormDrawer>
  );
}

function Story({ id, onCheckSignature }: { id: string; onCheckSignature: (() => void) | undefined }) {
  const found = useApi(
    'GET /api/deliveries/{id}',
    { path: { id } },
    // No polling for finished deliveries; each request would create new headers.
    { refetchInterval: ({ state }) => (!state.data || isPending(state.data)) && 1500 },
  );
  const { data, error } = found;
  if (error && !data) return <TryAgain error={error} onRetry={found.refetch} />;
  if (!data) return <Skeleton height={420} />;
  return (
    <Stack>
      <Head story={data} />
      <DeliveryStatus story={data} />
      <Tabs defaultValue="attempts">
        <Tabs.List mb="md">
          <Tabs.Tab value="attempts">
            {t('webhook.delivery.attempts')} ({data.history.length})
          </Tabs.Tab>
          <Tabs.Tab value="request">
            {t(isQueue(data.pushUrl) ? 'webhook.delivery.message' : 'webhook.delivery.request')}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="attempts">
          <AttemptLine attempts={data.history} body={data.body} />
        </Tabs.Panel>
        <Tabs.Panel value="request">
          <Request story={data} onCheckSignature={onCheckSignature} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

const isPending = ({ state }: DeliveryStory) => state === 'WAITING' || state === 'RETRYING';

function Head({ story: { id, eventId, state, heldUp, recordedAt, pushUrl } }: { story: DeliveryStory }) {
  const retry = useApiWrite('POST /api/deliveries/{id}/retry', {
    changes: [...deliveryReads, ...webhookReads],
    onSuccess: () => notifyDone(t('webhook.delivery.retried')),
  });
  const isOver = state === 'DELIVERED' || state === 'DISCARDED';
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <StatusBadge tone={deliveryTones[state] ?? 'neutral'} size="lg">
            {textOrWords('webhook.deliveries.states', state)}
          </StatusBadge>
          <Text size="sm" c="dimmed">
            {t('webhook.delivery.recorded')} <TimeAgo at={recordedAt} />
          </Text>
        </Group>
        {state !== 'CANCELLED' && heldUp?.reason !== 'WAITING_FOR_EVENT' && (
          <Group gap="sm">
            {state === 'RETRYING' && <DiscardButton id={id} eventId={eventId} />}
            <Button
              leftSection={<RotateCcw size={16} aria-hidden />}
              variant={state === 'DELIVERED' ? 'default' : 'filled'}
              loading={retry.isPending}
              onClick={() => retry.mutate({ path: { id } }, { onError: notifyProblem })}
              data-autofocus
            >
              {t(state === 'DELIVERED' ? 'webhook.delivery.sendAgain' : 'webhook.delivery.retry')}
            </Button>
          </Group>
        )}
      </Group>
      <Text size="sm">
        {!isOver && `${t('webhook.delivery.to')} `}
        <span className={classes.url}>{pushUrl}</span>
        {' · '}
        <Anchor component={Link} to={`/events/${eventId}`} size="sm">
          {t('webhook.delivery.openEvent')}
        </Anchor>
      </Text>
    </Stack>
  );
}

function DiscardButton({ id, eventId }: { id: string; eventId: number }) {
  const [isOpen, setOpen] = useState(false);
  const discard = useApiWrite('POST /api/deliveries/{id}/discard', { changes: [...deliveryReads, ...webhookReads] });
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('webhook.delivery.discard')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={t('webhook.delivery.discardTitle', { id: eventId })}
        text={t('webhook.delivery.discardText')}
        confirmLabel={t('webhook.delivery.discardLabel')}
        onConfirm={async () => {
          await discard.mutateAsync({ path: { id } });
          notifyDone(t('webhook.delivery.wasDiscarded'));
        }}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

interface RequestProps {
  story: DeliveryStory;
  onCheckSignature: (() => void) | undefined;
}

function Request({ story: { body, headers, pushUrl }, onCheckSignature }: RequestProps) {
  if (body === undefined) return <Alert color="orange">{t('webhook.delivery.noKey')}</Alert>;
  const size = bytesText(new TextEncoder().encode(body).length);
  return (
    <Stack>
      <div>
        <Text size="sm" fw={550}>
          {t('webhook.delivery.body')}
        </Text>
        <Text size="xs" c="dimmed" mb={4}>
          {t('webhook.delivery.bodyText', { size })}
        </Text>
        <JsonView text={body} label={t('webhook.delivery.body')} />
      </div>
      {headers && (
        <div>
          <HeaderTable label={t('webhook.delivery.headers')} headers={headersOf(headers)} />
          <Text size="xs" c="dimmed" mt={4}>
            {t('webhook.delivery.headersText')}
          </Text>
        </div>
      )}
      <Group justify="flex-end">
        {headers && !isQueue(pushUrl) && (
          <CopyButton
            value={curlCommand(pushUrl, headersOf(headers), body)}
            name={t('webhook.delivery.curl')}
            label={t('webhook.delivery.copyCurl')}
          />
        )}
        {onCheckSignature && (
          <Button variant="subtle" onClick={onCheckSignature}>
            {t('webhook.delivery.checkSignature')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
