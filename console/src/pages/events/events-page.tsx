import { Button, Group, Text, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Activity, ArrowRight, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useInfiniteList } from '../../api/use-api.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { contentFilters } from '../../parts/event-search-filters.ts';
import { locationOf, type Names, summaryOf } from '../../parts/event-summary.ts';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { useFilterQuery } from '../../parts/filters.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { inWords, t } from '../../texts/t.ts';
import { eventFilters } from './event-filters.ts';
import classes from './events.module.css';

type RecordedEvent = ResponseOf<'GET /api/events'>['events'][number];

const route = getRouteApi('/shell/events');

export function EventsPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { order } = search;
  const filter = useFilterQuery(eventFilters, search);
  const source = useInfiniteList('GET /api/events', 'events', { query: { ...filter, withSummary: true, order } });
  const location = useLocationNames((source.rows ?? []).map(({ event }) => locationOf(event)));
  const directory = useDirectoryName();
  return (
    <>
      <PageHeader
        title={t('events.title')}
        text={t('events.lead')}
        actions={
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} aria-hidden />}
            loading={source.isFetching && !source.isLoadingMore && !source.isPending}
            onClick={() => void source.refetch()}
          >
            {t('events.refresh')}
          </Button>
        }
      />
      <DataList
        label={t('events.title')}
        source={source}
        columns={columnsWith({ location, directory })}
        rowKey={({ id }) => id}
        open={{ to: ({ id }) => `/events/${id}` }}
        filters={
          <Group gap="sm">
            <FilterControls filters={eventFilters} search={search} onChange={change} />
            <GoTo />
          </Group>
        }
        isFiltered={eventFilters.isFiltered(search)}
        isSearch={eventFilters.count(search, contentFilters) > 0}
        onClearFilters={() => change(eventFilters.none)}
        sort={{ by: 'recordedAt', isDescending: order !== 'ASC' }}
        onSort={({ isDescending }) => change({ order: isDescending ? undefined : 'ASC' })}
        empty={{ title: t('events.none'), text: t('events.noneText'), icon: <Activity aria-hidden /> }}
      />
    </>
  );
}

function GoTo() {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const id = typed.trim();
        if (/^\d{1,16}$/.test(id)) void navigate({ to: `/events/${id}` });
      }}
    >
      <Group gap={4} wrap="nowrap">
        <TextInput
          aria-label={t('events.goTo')}
          placeholder={t('events.goTo')}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          flex="1 1 8rem"
        />
        <Button type="submit" variant="default" aria-label={t('events.goToHint')} px="xs">
          <ArrowRight size={16} aria-hidden />
        </Button>
      </Group>
    </form>
  );
}

const columnsWith = (names: Names): Column<RecordedEvent>[] => [
  {
    key: 'type',
    width: 240,
    title: t('events.event'),
    render: ({ id, type }) => <TwoLines below={t('events.id', { id })}>{inWords(type)}</TwoLines>,
  },
  {
    key: 'about',
    title: t('events.about'),
    onCard: 'text',
    render: ({ event }) => (
      <Text span size="sm" className={classes.summary}>
        {summaryOf(event, names)}
      </Text>
    ),
  },
  {
    key: 'outcome',
    title: t('events.outcome'),
    render: ({ summary, webhooksCount }) => (
      <Text span size="sm" data-unheard={webhooksCount === 0 || undefined} className={classes.outcome}>
        {summary}
      </Text>
    ),
  },
  {
    key: 'recordedAt',
    title: t('events.recorded'),
    isSortable: true,
    width: 150,
    render: ({ recordedAt }) => <TimeAgo at={recordedAt} />,
  },
];
