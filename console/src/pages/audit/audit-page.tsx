import { Drawer, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useInfiniteList } from '../../api/use-api.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, textOrWords } from '../../texts/t.ts';
import { actorText, auditFilters } from './audit-filters.ts';
import classes from './audit-page.module.css';

type Entry = ResponseOf<'GET /api/audit-trail'>['entries'][number];

const route = getRouteApi('/shell/settings/audit');

export function AuditPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { order } = search;
  const [opened, setOpened] = useState<Entry>();
  const source = useInfiniteList('GET /api/audit-trail', 'entries', {
    query: { ...auditFilters.query(search), order },
  });
  return (
    <>
      <DataList
        label={t('audit.title')}
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        open={{ run: setOpened }}
        filters={
          <Group gap="sm" align="end">
            <FilterControls filters={auditFilters} search={search} onChange={change} />
          </Group>
        }
        isFiltered={auditFilters.isFiltered(search)}
        onClearFilters={() => change(auditFilters.none)}
        sort={{ by: 'happenedAt', isDescending: order !== 'ASC' }}
        onSort={({ isDescending }) => change({ order: isDescending ? undefined : 'ASC' })}
        empty={{ title: t('audit.none'), text: t('audit.noneText'), icon: <ScrollText aria-hidden /> }}
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened && t('audit.entry', { id: opened.id })}
      >
        {opened && <EntryDetails entry={opened} />}
      </Drawer>
    </>
  );
}

const columns: Column<Entry>[] = [
  { key: 'action', title: t('audit.action'), width: 160, render: ({ action }) => textOrWords('audit.actions', action) },
  { key: 'subject', title: t('audit.subject'), width: 150, render: subjectText },
  { key: 'actor', title: t('audit.user'), width: 230, render: ({ actor }) => actorText(actor) },
  {
    key: 'details',
    title: t('audit.details'),
    onCard: 'hidden',
    render: ({ details }) => (
      <Text size="sm" c="dimmed" className={classes.details}>
        {inShort(details)}
      </Text>
    ),
  },
  {
    key: 'happenedAt',
    title: t('audit.time'),
    isSortable: true,
    width: 160,
    render: ({ happenedAt }) => <TimeAgo at={happenedAt} />,
  },
];

function EntryDetails({ entry }: { entry: Entry }) {
  const facts = [
    [t('audit.time'), absoluteTime(new Date(entry.happenedAt))],
    [t('audit.user'), actorText(entry.actor)],
    [t('audit.action'), textOrWords('audit.actions', entry.action)],
    [t('audit.subject'), subjectText(entry)],
  ] as const;
  return (
    <Stack>
      <Facts facts={facts} />
      <JsonView value={entry.details} label={t('audit.details')} />
    </Stack>
  );
}

function subjectText({ subject, subjectId }: Entry): string {
  const name = textOrWords('audit.subjects', subject);
  return subjectId === undefined ? name : `${name} ${subjectId}`;
}

const inShort = (details: Entry['details']) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
