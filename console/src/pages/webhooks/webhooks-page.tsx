import { Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import type { Source } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { numberText, percentText } from '../../parts/number-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, tn } from '../../texts/t.ts';
import { AddWebhook } from './add-webhook.tsx';
import { TypeCatalogue } from './type-catalogue.tsx';
import { TypeDrawer } from './type-drawer.tsx';
import { columnsOf, matches, type WebhookRow } from './webhook-columns.tsx';
import { webhookFilters } from './webhook-filters.ts';
import { type EventTypeName, sortKeys } from './webhook-values.ts';

const route = getRouteApi('/shell/settings/webhooks');
const beatMs = 15_000;

export function WebhooksPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { query, health, sort, descending = false } = search;
  const webhooks = useApi('GET /api/sales-partners/webhooks', {}, { refetchInterval: beatMs });
  const activity = useApi('GET /api/sales-partners/webhooks/activity', {}, { refetchInterval: beatMs });
  const rows = useMemo(() => {
    const known = new Map(activity.data?.webhooks.map((entry) => [entry.webhookId, entry]));
    return webhooks.data?.map((webhook): WebhookRow => ({ webhook, activity: known.get(webhook.id) }));
  }, [webhooks.data, activity.data]);
  const shown = rows?.filter((row) => matches(row, { query, health }));
  const source: Source<WebhookRow> = {
    rows: shown,
    count: shown?.length,
    error: webhooks.error,
    isPending: webhooks.isPending,
    refetch: webhooks.refetch,
  };
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => change({ add: 'any' })}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <Stack gap="xl">
      {rows && rows.length > 0 && <WebhookFigures rows={rows} />}
      <DataList
        label={t('webhooks.title')}
        source={source}
        columns={columnsOf()}
        rowKey={({ webhook }) => webhook.id}
        open={{ to: ({ webhook }) => `/settings/webhooks/${webhook.id}` }}
        sort={sort && { by: sort, isDescending: descending }}
        onSort={({ by, isDescending }) =>
          change({ sort: sortKeys.find((key) => key === by), descending: isDescending || undefined })
        }
        filters={
          rows &&
          rows.length > 0 && (
            <Group gap="sm">
              <FilterControls filters={webhookFilters} search={search} onChange={change} />
              {add}
            </Group>
          )
        }
        isFiltered={rows !== undefined && rows.length > 0 && webhookFilters.isFiltered(search)}
        onClearFilters={() => change(webhookFilters.none)}
        empty={{
          title: t('webhooks.none'),
          text: t('webhooks.noneText'),
          icon: <WebhookIcon aria-hidden />,
          action: add,
        }}
      />
      <TypeCatalogue
        webhooks={webhooks.data ?? []}
        query={search.search}
        onQuery={(value) => change({ search: value })}
        onOpen={(type) => change({ type })}
      />
      <TypeDrawer
        type={search.type}
        onClose={() => change({ type: undefined })}
        onAdd={(type) => change({ type: undefined, add: type })}
      />
      <AddWebhook
        isOpen={search.add !== undefined}
        type={search.add === 'any' ? undefined : (search.add as EventTypeName | undefined)}
        onClose={() => change({ add: undefined })}
      />
    </Stack>
  );
}

function WebhookFigures({ rows }: { rows: readonly WebhookRow[] }) {
  const healthy = rows.filter(({ webhook }) => webhook.health.state === 'HEALTHY').length;
  const troubled = rows.filter(({ webhook }) => ['FAILING', 'PAUSED'].includes(webhook.health.state)).length;
  const sum = (kind: 'delivered' | 'failed' | 'waiting') =>
    rows.reduce((total, { activity }) => total + (activity?.[kind] ?? 0), 0);
  const attempts = sum('delivered') + sum('failed');
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <FigureTile
        label={t('webhooks.figures.webhooks')}
        value={numberText(rows.length)}
        text={t('webhooks.figures.healthy', { count: healthy })}
      />
      <FigureTile
        label={t('webhooks.figures.needCare')}
        value={numberText(troubled)}
        tone={troubled > 0 ? 'bad' : undefined}
        text={t(troubled === 0 ? 'webhooks.figures.allHealthy' : 'webhooks.figures.careText')}
      />
      <FigureTile
        label={t('webhooks.figures.rate')}
        value={attempts > 0 ? percentText(sum('delivered') / attempts) : '–'}
        text={tn('webhooks.figures.attempts', attempts)}
      />
      <FigureTile label={t('webhooks.figures.waiting')} value={numberText(sum('waiting'))} />
    </SimpleGrid>
  );
}

interface Props {
  label: string;
  value: ReactNode;
  text?: ReactNode;
  tone?: 'bad' | undefined;
}

function FigureTile({ label, value, text, tone }: Props) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={26} fw={650} lh={1.3} c={tone === 'bad' ? 'var(--mantine-color-error)' : undefined}>
        {value}
      </Text>
      {text && (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
    </Paper>
  );
}
