import { Anchor, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { AttemptCountdown } from '../../parts/attempt-countdown.tsx';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { PageLoading } from '../../shell/page-loading.tsx';
import { inWords, t, textOrWords, tn } from '../../texts/t.ts';
import { DeliveryDrawer } from '../webhooks/delivery-drawer.tsx';
import { deliveryTones, heldUpLine } from '../webhooks/webhook-values.ts';
import webhookClasses from '../webhooks/webhooks.module.css';

type EventStory = ResponseOf<'GET /api/events/{id}'>;
type Encounter = EventStory['deliveries'][number];

const route = getRouteApi('/shell/events/$id');

export function EventPage() {
  const id = Number(route.useParams().id);
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const [isAllShown, setAllShown] = useState(false);
  const story = useApi('GET /api/events/{id}', { path: { id } }, { refetchInterval: 5000 });
  if (story.error && !story.data) throw story.error;
  if (!story.data) return <PageLoading />;
  const { type, summary, recordedAt, event } = story.data;
  const isOther = ({ reason }: Encounter) => reason === 'OTHER_TYPE';
  const others = story.data.deliveries.filter(isOther).length;
  return (
    <>
      <PageHeader
        title={inWords(type)}
        pageTitle={t('events.id', { id })}
        trail={[{ label: t('events.title'), to: '/events' }]}
        aside={<Text c="dimmed">{t('events.id', { id })}</Text>}
        text={
          <>
            {t('events.recorded')} <TimeAgo at={recordedAt} />
          </>
        }
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Section title={t('events.where')} text={summary}>
          <Stack gap="sm">
            <DataList
              label={t('events.where')}
              source={listOf(story, ({ deliveries }) =>
                deliveries.filter((encounter) => isAllShown || !isOther(encounter)),
              )}
              columns={columns}
              rowKey={({ webhookId }) => webhookId}
              open={{
                run: ({ deliveryId }) => change({ delivery: deliveryId }),
                isOpenable: ({ deliveryId }) => deliveryId !== undefined,
              }}
              empty={{
                title: t(others > 0 ? 'events.notDelivered' : 'events.noWebhooks'),
                text: t('events.noWebhooksText'),
                icon: <Webhook aria-hidden />,
                action: (
                  <Button
                    component={Link}
                    to="/settings/webhooks"
                    search={{ add: type } as never}
                    leftSection={<Plus size={16} aria-hidden />}
                  >
                    {t('events.addWebhook')}
                  </Button>
                ),
              }}
              withCount={false}
            />
            {others > 0 && (
              <Anchor component="button" type="button" size="sm" onClick={() => setAllShown(!isAllShown)}>
                {isAllShown ? t('events.hideOthers') : tn('events.others', others)}
              </Anchor>
            )}
          </Stack>
        </Section>
        <Section title={t('events.body')} text={t('events.bodyText')}>
          <JsonView value={event} label={t('events.body')} maxHeight={640} />
        </Section>
      </SimpleGrid>
      <DeliveryDrawer id={search.delivery} onClose={() => change({ delivery: undefined })} />
    </>
  );
}

const columns: Column<Encounter>[] = [
  {
    key: 'webhook',
    title: t('events.webhook'),
    render: ({ webhookId, pushUrl }) => (
      <TwoLines below={<span className={webhookClasses.url}>{pushUrl}</span>}>
        {t('events.webhookId', { id: webhookId })}
      </TwoLines>
    ),
  },
  {
    key: 'state',
    title: t('events.state'),
    onCard: 'aside',
    render: ({ state }) => (
      <StatusBadge tone={deliveryTones[state] ?? 'neutral'}>
        {textOrWords('webhook.deliveries.states', state)}
      </StatusBadge>
    ),
  },
  { key: 'reason', title: t('events.reason'), render: Reason },
];

function Reason({ state, message, lastAttempt, heldUp, nextTry, attempts = 0 }: Encounter) {
  const heldUpText = heldUp && heldUpLine(heldUp);
  const words =
    message ??
    (state === 'DELIVERED'
      ? t('events.deliveredAt', { number: attempts })
      : (lastAttempt?.error ??
        heldUpText ??
        (state === 'CANCELLED' ? t('webhook.delivery.cancelledText') : undefined)));
  return (
    <Stack gap={0}>
      <Text span size="sm">
        {words ?? t('webhook.delivery.waitingText')}
      </Text>
      {heldUpText && heldUpText !== words && (
        <Text span size="xs" c="dimmed">
          {heldUpText}
        </Text>
      )}
      {nextTry && (
        <Text span size="xs" c="dimmed">
          <AttemptCountdown at={nextTry} />
        </Text>
      )}
    </Stack>
  );
}
