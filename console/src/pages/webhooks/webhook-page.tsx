import { Alert, Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { FileText, KeyRound, List, Pencil, RotateCcw, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { durationText } from '../../parts/time-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { PageLoading } from '../../shell/page-loading.tsx';
import { inWords, t, textOrWords } from '../../texts/t.ts';
import { certificateText } from './certificate-values.ts';
import { Deliveries } from './deliveries.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { queueText } from './queue.ts';
import { Replays } from './replays.tsx';
import { SignatureChecker } from './signature/signature-checker.tsx';
import { targetOf } from './target.ts';
import { TypeChips } from './type-chips.tsx';
import { TypeDrawer } from './type-drawer.tsx';
import { useResume } from './use-resume.ts';
import { WebhookCharts } from './webhook-charts.tsx';
import { type WebhookAction, WebhookDialog } from './webhook-dialog.tsx';
import { WebhookHealth } from './webhook-health.tsx';
import { WebhookMenu } from './webhook-menu.tsx';
import { healthTones, type Webhook, webhookTabs } from './webhook-values.ts';
import classes from './webhooks.module.css';

const route = getRouteApi('/shell/settings/webhooks/$id');
const icons = { deliveries: List, replays: RotateCcw, signature: KeyRound, details: FileText };

export function WebhookPage() {
  const id = Number(route.useParams().id);
  const webhook = useApi('GET /api/sales-partners/webhooks/{id}', { path: { id } }, { refetchInterval: 10_000 });
  if (webhook.error && !webhook.data) throw webhook.error;
  if (!webhook.data) return <PageLoading />;
  return <Loaded key={id} webhook={webhook.data} />;
}

function Loaded({ webhook }: { webhook: Webhook }) {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const navigate = useNavigate();
  const { pushUrl, salesPartnerId } = webhook;
  const destinations = useApi('GET /api/sales-partners/webhooks/destinations', { query: { salesPartnerId } });
  const others = destinations.data
    ?.find((destination) => destination.pushUrl === pushUrl)
    ?.webhooks.filter(({ id }) => id !== webhook.id);
  const target = targetOf(webhook);
  const [action, setAction] = useState<WebhookAction>();
  const resuming = useResume(webhook.id);
  const { tab = 'deliveries', range = '24h' } = search;
  const name = inWords(webhook.type);
  return (
    <>
      <PageHeader
        title={name}
        pageTitle={`${name} · ${t('webhooks.title')}`}
        trail={[{ label: t('webhooks.title'), to: '/settings/webhooks' }]}
        text={
          <>
            {t('webhook.destination')}{' '}
            <Anchor
              component={Link}
              to="/settings/webhooks"
              search={{ query: pushUrl } as never}
              className={classes.url}
              underline="always"
            >
              {pushUrl}
            </Anchor>
            {webhook.description && ` · ${webhook.description}`}
          </>
        }
        aside={
          <StatusBadge tone={healthTones[webhook.health.state]}>
            {textOrWords('webhooks.states', webhook.health.state)}
          </StatusBadge>
        }
        actions={
          <>
            <Button variant="light" leftSection={<Send size={16} aria-hidden />} onClick={() => setAction('test')}>
              {t('webhooks.actions.test')}
            </Button>
            <Button variant="default" leftSection={<Pencil size={16} aria-hidden />} onClick={() => setAction('edit')}>
              {t('webhooks.actions.edit')}
            </Button>
            <WebhookMenu target={target} onAction={setAction} />
          </>
        }
      />
      <Stack gap="lg">
        {others && others.length > 0 && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {t('webhook.otherTypes')}
            </Text>
            <TypeChips webhooks={others} />
          </Group>
        )}
        <WebhookHealth
          webhook={webhook}
          resuming={resuming}
          onEnable={() => setAction('enable')}
          onSeeFailed={() => change({ tab: undefined, state: ['RETRYING', 'DISCARDED'], statusCode: undefined })}
        />
        {webhook.clientCertificate?.warning && <Alert color="yellow">{webhook.clientCertificate.warning}</Alert>}
        <Tabs
          value={tab}
          onChange={(value) => change({ tab: webhookTabs.find((known) => known === value) })}
          keepMounted={false}
        >
          <Tabs.List aria-label={t('webhook.tabs.label')} mb="md">
            {webhookTabs.map((value) => {
              const Icon = icons[value];
              return (
                <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} aria-hidden />}>
                  {t(`webhook.tabs.${value}`)}
                </Tabs.Tab>
              );
            })}
          </Tabs.List>
          <Tabs.Panel value="deliveries">
            <Stack gap="lg">
              <WebhookCharts webhookId={webhook.id} range={range} onRange={(value) => change({ range: value })} />
              <Deliveries
                webhookId={webhook.id}
                search={search}
                change={change}
                resuming={webhook.enabled ? resuming : undefined}
              />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="replays">
            <Replays webhook={webhook} />
          </Tabs.Panel>
          <Tabs.Panel value="signature">
            <SignatureChecker webhookId={webhook.id} />
          </Tabs.Panel>
          <Tabs.Panel value="details">
            <WebhookDetails webhook={webhook} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
      <DeliveryDrawer
        id={search.delivery}
        onClose={() => change({ delivery: undefined })}
        onCheckSignature={() => change({ delivery: undefined, tab: 'signature' })}
      />
      <WebhookDialog
        target={target}
        action={action}
        onClose={() => setAction(undefined)}
        onDeleted={() => void navigate({ to: '/settings/webhooks' })}
      />
    </>
  );
}

/** The queue in words, if the push URL names one. */
function brokerFact({ pushUrl, hasCredentials }: Webhook): [string, string][] {
  const queue = queueText(pushUrl);
  const credentials = t(hasCredentials ? 'webhook.details.withCredentials' : 'webhook.details.withoutCredentials');
  return queue ? [[t('webhook.details.broker'), `${queue}, ${credentials}`]] : [];
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  const { id, type, pushUrl, description, includeChildren, retrySchedule, dateCreated, lastUpdated } = webhook;
  const facts: [string, ReactNode][] = [
    [t('webhook.details.id'), id],
    [
      t('webhook.details.type'),
      <Group key="type" gap="0 12px">
        <span className={classes.code}>{type}</span>
        <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
          {t('webhook.details.fields')}
        </Anchor>
      </Group>,
    ],
    [
      t('webhook.details.url'),
      <Group key="url" gap={4} my={-4} wrap="nowrap">
        <span className={classes.url}>{pushUrl}</span>
        <CopyButton value={pushUrl} name={t('webhook.details.url')} />
      </Group>,
    ],
    ...brokerFact(webhook),
    [t('webhook.details.description'), description ?? '–'],
    [t('webhook.details.children'), t(includeChildren ? 'webhook.details.included' : 'webhook.details.excluded')],
    [
      t('webhook.details.retries'),
      retrySchedule
        ? t('webhook.details.own', { times: retrySchedule.map((wait) => durationText(wait * 1000)).join(', ') })
        : t('webhook.details.platform'),
    ],
    [
      t('webhook.details.timeout'),
      webhook.timeoutSeconds ? durationText(webhook.timeoutSeconds * 1000) : t('webhook.details.defaultTimeout'),
    ],
    [
      t('webhook.details.rate'),
      webhook.maxPerSecond
        ? t('webhook.details.rateText', { count: String(webhook.maxPerSecond) })
        : t('webhook.details.noRate'),
    ],
    [t('webhook.details.order'), t(webhook.ordered ? 'webhook.details.ordered' : 'webhook.details.unordered')],
    [t('webhook.details.headers'), webhook.headerNames?.join(', ') ?? t('webhook.details.noHeaders')],
    [
      t('webhook.details.oauth'),
      webhook.oauth ? t('webhook.details.oauthText', webhook.oauth) : t('webhook.details.noOauth'),
    ],
    [
      t('webhook.details.certificate'),
      webhook.clientCertificate ? certificateText(webhook.clientCertificate) : t('webhook.details.noCertificate'),
    ],
    [
      t('webhook.details.publicKeys'),
      webhook.publicKeysPath ? (
        <Anchor key="keys" href={webhook.publicKeysPath} className={classes.url}>
          {new URL(webhook.publicKeysPath, window.location.href).href}
        </Anchor>
      ) : (
        t('webhook.details.noPublicKeys')
      ),
    ],
    [
      t('webhook.details.cloudEvents'),
      t(webhook.cloudEvents ? 'webhook.details.withCloudEvents' : 'webhook.details.noCloudEvents'),
    ],
    [t('webhook.details.filter'), webhook.filterText ?? t('webhook.details.noFilter')],
    [t('webhook.details.secret'), t('webhook.details.secretText')],
    [t('webhook.details.created'), <TimeAgo key="created" at={dateCreated} />],
    [t('webhook.details.updated'), <TimeAgo key="updated" at={lastUpdated} />],
  ];
  return (
    <Section title={t('webhook.details.title')}>
      <Facts facts={facts} />
      <TypeDrawer type={isOpen ? type : undefined} onClose={() => setOpen(false)} />
    </Section>
  );
}
