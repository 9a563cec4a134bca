import { Button, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Activity, ArrowRight, RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { InputOf, ResponseOf } from '../../api/call.ts';
import { useApi, useInfiniteList } from '../../api/use-api.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { periodOf } from '../../parts/periods.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { inWords, t } from '../../texts/t.ts';
import { type Names, summaryOf } from './event-summary.ts';
import classes from './events.module.css';

type RecordedEvent = ResponseOf<'GET /api/events'>['events'][number];
type Types = NonNullable<InputOf<'GET /api/events'>['query']>['type'];

const route = getRouteApi('/shell/events');
const noFilters = { type: undefined, period: undefined, since: undefined, until: undefined, children: undefined };

export function EventsPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { type, period, since, until, children = false, order } = search;
  const types = useApi('GET /api/event-types', {}, { staleTime: Number.POSITIVE_INFINITY });
  const query = useMemo(
    () => ({
      type: type as Types,
      ...periodOf({ period, since, until }, Date.now()),
      includeChildren: children || undefined,
      withSummary: true,
      order,
    }),
    [type, period, since, until, children, order],
  );
  const source = useInfiniteList('GET /api/events', 'events', { query });
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
            <MultiSelect
              aria-label={t('events.type')}
              placeholder={type ? undefined : t('events.allTypes')}
              data={(types.data?.eventTypes ?? []).map((known) => ({ value: known.type, label: inWords(known.type) }))}
              value={type ?? []}
              onChange={(values) => change({ type: values.length > 0 ? values : undefined })}
              searchable
              clearable
              flex="1 1 16rem"
            />
            <PeriodFilter search={search} change={change} />
            <Switch
              label={t('events.children')}
              checked={children}
              onChange={(event) => change({ children: event.currentTarget.checked || undefined })}
            />
            <GoTo />
          </Group>
        }
        isFiltered={[type, period, search.children].some((value) => value !== undefined)}
        onClearFilters={() => change(noFilters)}
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
        if (/^\d{1,15}$/.test(id)) void navigate({ to: `/events/${id}` });
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

const locationOf = ({ location }: RecordedEvent['event']): number | undefined =>
  typeof location === 'number' ? location : undefined;

const columnsWith = (names: Names): Column<RecordedEvent>[] => [
  {
    key: 'type',
    width: 240,
    title: t('events.event'),
    render: ({ id, type }) => (
      <Stack gap={0}>
        {inWords(type)}
        <Text span size="xs" c="dimmed" fw={400}>
          {t('events.id', { id })}
        </Text>
      </Stack>
    ),
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
