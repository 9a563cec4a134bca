import { Alert, Group, Stack, Text } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Section } from '../../parts/section.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { hasEnded, WorkProgress } from '../../parts/task-progress.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { ReplayForm } from './replay-form.tsx';
import { deliveryReads, type Webhook } from './webhook-values.ts';

type Replay = ResponseOf<'GET /api/sales-partners/webhooks/{id}/replays'>['replays'][number];

const pageSize = 20;

const useReplays = ({ id }: Webhook, offset: number) =>
  useApi(
    'GET /api/sales-partners/webhooks/{id}/replays',
    { path: { id }, query: { offset, max: pageSize } },
    { refetchInterval: 1500, keepPrevious: true, staleTime: 0 },
  );

export function Replays({ webhook }: { webhook: Webhook }) {
  const [offset, setOffset] = useState(0);
  const replays = useReplays(webhook, offset);
  // Running replays are among the newest, also while another page is shown.
  const running = useReplays(webhook, 0).data?.replays.find(({ status }) => !hasEnded(status));
  return (
    <Stack gap="lg">
      <Section title={t('webhook.replays.title')} text={t('webhook.replays.text')}>
        {running ? (
          <Running replay={running} />
        ) : webhook.enabled ? (
          <ReplayForm webhookId={webhook.id} />
        ) : (
          <Alert color="orange">{t('webhook.replays.isDisabled')}</Alert>
        )}
      </Section>
      <Section title={t('webhook.replays.list')}>
        <DataList
          label={t('webhook.replays.list')}
          source={{ ...listOf(replays, (page) => page.replays), isFetching: replays.isPlaceholderData }}
          columns={columns}
          rowKey={({ id }) => id}
          paging={{ offset, max: pageSize, onChange: setOffset }}
          empty={{
            title: t('webhook.replays.none'),
            text: t('webhook.replays.noneText'),
            icon: <RotateCcw aria-hidden />,
          }}
          withCount={false}
        />
      </Section>
    </Stack>
  );
}

function Running({ replay }: { replay: Replay }) {
  const { id, webhookId, status, progress, delivered, failed, total, error } = replay;
  const cancel = useApiWrite('POST /api/sales-partners/webhooks/{id}/replays/{replayId}/cancel', {
    changes: ['GET /api/sales-partners/webhooks/{id}/replays', ...deliveryReads],
    onSuccess: () => notifyDone(t('webhook.replays.cancelled')),
  });
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('webhook.replays.replay', { id })}: {aboutText(replay)}
      </Text>
      <WorkProgress
        status={status}
        progress={progress}
        done={delivered + failed}
        total={total}
        failed={failed}
        error={error}
        onCancel={() => cancel.mutate({ path: { id: webhookId, replayId: id } }, { onError: notifyProblem })}
        isCancelling={cancel.isPending}
      />
    </Stack>
  );
}

const tones: Record<string, Tone> = {
  CREATED: 'busy',
  RUNNING: 'busy',
  FINISHED: 'good',
  CANCELLED: 'neutral',
  FAILED: 'bad',
};

const columns: Column<Replay>[] = [
  {
    key: 'replay',
    sortValue: ({ id }) => id,
    title: t('webhook.replays.column'),
    render: (replay) => <TwoLines below={aboutText(replay)}>{t('webhook.replays.replay', { id: replay.id })}</TwoLines>,
  },
  {
    key: 'status',
    sortValue: ({ status }) => status,
    title: t('webhook.replays.status'),
    onCard: 'aside',
    render: ({ status }) => (
      <StatusBadge tone={tones[status] ?? 'neutral'}>{textOrWords('parts.task', status)}</StatusBadge>
    ),
  },
  {
    key: 'result',
    title: t('webhook.replays.result'),
    render: ({ delivered, failed, total, error }) => (
      <TwoLines below={error}>
        <Group gap={4}>
          <Text span size="sm">
            {tn('webhook.replays.delivered', delivered)}
            {failed > 0 && ` · ${tn('parts.task.failed', failed)}`}
          </Text>
          <Text span size="sm" c="dimmed">
            {t('webhook.replays.of', { total: numberText(total) })}
          </Text>
        </Group>
      </TwoLines>
    ),
  },
  {
    key: 'started',
    sortValue: ({ dateCreated }) => dateCreated,
    title: t('webhook.replays.started'),
    render: ({ dateCreated }) => <TimeAgo at={dateCreated} />,
  },
];

const aboutText = ({ states, since, until, ratePerSecond }: Replay) =>
  t('webhook.replays.about', {
    states: states.map((state) => textOrWords('webhook.replays.short', state)).join(', '),
    since: absoluteTime(new Date(since)),
    until: absoluteTime(new Date(until)),
    rate: numberText(ratePerSecond),
  });
