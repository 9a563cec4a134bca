import { Text } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { inWords, t, tn } from '../../texts/t.ts';
import type { Webhook } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface Props {
  webhooks: readonly Webhook[];
  query: string | undefined;
  onQuery: (query: string | undefined) => void;
  onOpen: (type: string) => void;
}

export function TypeCatalogue({ webhooks, query, onQuery, onOpen }: Props) {
  const types = useApi('GET /api/event-types', {}, { staleTime: Number.POSITIVE_INFINITY });
  const wanted = query?.toLowerCase() ?? '';
  const subscribed = (type: string) => webhooks.filter((webhook) => webhook.type === type).length;
  return (
    <Section title={t('webhooks.catalogue.title')} text={t('webhooks.catalogue.text')}>
      <DataList
        label={t('webhooks.catalogue.title')}
        source={listOf(types, ({ eventTypes }) =>
          eventTypes.filter(({ type, description }) =>
            `${type} ${inWords(type)} ${description}`.toLowerCase().includes(wanted),
          ),
        )}
        rowKey={({ type }) => type}
        open={{ run: ({ type }) => onOpen(type) }}
        columns={[
          {
            key: 'type',
            title: t('webhooks.type'),
            sortValue: ({ type }) => type,
            render: ({ type }) => <EventTypeName type={type} />,
          },
          {
            key: 'description',
            title: t('webhooks.catalogue.about'),
            onCard: 'text',
            render: ({ description }) => <Text size="sm">{description}</Text>,
          },
          {
            key: 'use',
            title: t('webhooks.catalogue.use'),
            sortValue: ({ type }) => subscribed(type),
            onCard: 'aside',
            width: 160,
            render: ({ type }) =>
              subscribed(type) > 0 ? (
                <StatusBadge tone="good">{tn('webhooks.catalogue.subscribed', subscribed(type))}</StatusBadge>
              ) : (
                <StatusBadge tone="neutral">{t('webhooks.catalogue.notSubscribed')}</StatusBadge>
              ),
          },
        ]}
        filters={<SearchField label={t('webhooks.catalogue.search')} value={query} onChange={onQuery} maw={420} />}
        isFiltered={query !== undefined}
        onClearFilters={() => onQuery(undefined)}
        empty={{ title: t('webhooks.catalogue.none') }}
        withCount={false}
      />
    </Section>
  );
}

function EventTypeName({ type }: { type: string }) {
  return (
    <span className={classes.typeName}>
      {inWords(type)}
      <Text span size="xs" c="dimmed" fw={400} className={classes.code}>
        {type}
      </Text>
    </span>
  );
}
