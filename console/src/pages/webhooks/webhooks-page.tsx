import { Button, Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import type { Source } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { AddWebhook } from './add-webhook.tsx';
import { TypeCatalogue } from './type-catalogue.tsx';
import { TypeDrawer } from './type-drawer.tsx';
import { columnsOf, matches, type WebhookRow } from './webhook-columns.tsx';
import { WebhookFigures } from './webhook-figures.tsx';
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
