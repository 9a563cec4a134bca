import { Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import type { Source } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { numberText, percentText } from '../../parts/number-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, tn } from '../../texts/t.ts';
import { AddWebhook } from './add-webhook.tsx';
import { AlertEmails } from './alert-emails.tsx';
import { columnsOf, matches } from './destination-columns.tsx';
import { TypeCatalogue } from './type-catalogue.tsx';
import { TypeDrawer } from './type-drawer.tsx';
import { type WebhookAction, WebhookDialog } from './webhook-dialog.tsx';
import { webhookFilters } from './webhook-filters.ts';
import { type Destination, type EventTypeName, sortKeys } from './webhook-values.ts';

const route = getRouteApi('/shell/settings/webhooks');
const beatMs = 15_000;

export function WebhooksPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { query, health, sort, descending = false } = search;
  const destinations = useApi('GET /api/sales-partners/webhooks/destinations', {}, { refetchInterval: beatMs });
  const rows = destinations.data;
  // Not in the rows: filters and narrow screens remove them, also while a dialog shows a new secret.
  const [dialog, setDialog] = useState<{ target: Destination; action?: WebhookAction }>();
  const target = rows?.find(({ pushUrl }) => pushUrl === dialog?.target.pushUrl) ?? dialog?.target ?? rows?.[0];
  const shown = rows?.filter((row) => matches(row, { query, health }));
  const source: Source<Destination> = {
    rows: shown,
    count: shown?.length,
    error: destinations.error,
    isPending: destinations.isPending,
    refetch: destinations.refetch,
  };
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => change({ add: 'any' })}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <Stack gap="xl">
      {rows && rows.length > 0 && <DestinationFigures rows={rows} />}
      <DataList
        label={t('webhooks.title')}
        source={source}
        columns={columnsOf((target, action) => setDialog({ target, action }))}
        rowKey={({ pushUrl }) => pushUrl}
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
      {target && <WebhookDialog target={target} action={dialog?.action} onClose={() => setDialog({ target })} />}
      <AlertEmails />
      <TypeCatalogue
        webhooks={rows?.flatMap(({ webhooks }) => webhooks) ?? []}
        query={search.search}
        onQuery={(value) => change({ search: value })}
        onOpen={(type) => change({ open: type })}
      />
      <TypeDrawer
        type={search.open}
        onClose={() => change({ open: undefined })}
        onAdd={(type) => change({ open: undefined, add: type })}
      />
      <AddWebhook
        isOpen={search.add !== undefined}
        type={search.add === 'any' ? undefined : (search.add as EventTypeName | undefined)}
        onClose={() => change({ add: undefined })}
      />
    </Stack>
  );
}

function DestinationFigures({ rows }: { rows: readonly Destination[] }) {
  const healthy = rows.filter(({ health }) => health.state === 'HEALTHY').length;
  const troubled = rows.filter(({ health }) => ['FAILING', 'PAUSED'].includes(health.state)).length;
  const sum = (kind: 'delivered' | 'failed' | 'waiting') => rows.reduce((total, row) => total + row[kind], 0);
  const attempts = sum('delivered') + sum('failed');
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <FigureTile
        label={t('webhooks.figures.destinations')}
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
