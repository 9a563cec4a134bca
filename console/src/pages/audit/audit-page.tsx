import { Anchor, Drawer, Group, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { useInfiniteList } from '../../api/use-api.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, textOrWords } from '../../texts/t.ts';
import { detailsText, type Entry, pageOf } from './audit-details.ts';
import { actorText, auditFilters } from './audit-filters.ts';
import classes from './audit-page.module.css';

const route = getRouteApi('/shell/settings/audit');

export function AuditPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { order } = search;
  const [opened, setOpened] = useState<Entry>();
  const source = useInfiniteList('GET /api/audit-trail', 'entries', {
    query: { ...auditFilters.query(search), order },
  });
  const nameOf = useLocationNames((source.rows ?? []).map(locationIdOf));
  return (
    <>
      <DataList
        label={t('audit.title')}
        source={source}
        columns={columnsFor(nameOf)}
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
        {opened && <EntryDetails entry={opened} subject={subjectText(opened, nameOf)} />}
      </Drawer>
    </>
  );
}

const columnsFor = (nameOf: NameOf): Column<Entry>[] => [
  { key: 'action', title: t('audit.action'), width: 160, render: ({ action }) => textOrWords('audit.actions', action) },
  { key: 'subject', title: t('audit.subject'), width: 190, render: (entry) => subjectText(entry, nameOf) },
  { key: 'actor', title: t('audit.user'), width: 230, render: ({ actor }) => actorText(actor) },
  {
    key: 'details',
    title: t('audit.details'),
    onCard: 'hidden',
    render: (entry) => (
      <Text size="sm" c="dimmed" className={classes.details}>
        {detailsText(entry)}
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

function EntryDetails({ entry, subject }: { entry: Entry; subject: string }) {
  const page = pageOf(entry);
  const object = page ? (
    <Anchor inherit component={Link} {...page}>
      {subject}
    </Anchor>
  ) : (
    subject
  );
  const facts = [
    [t('audit.time'), absoluteTime(new Date(entry.happenedAt))],
    [t('audit.user'), actorText(entry.actor)],
    [t('audit.action'), textOrWords('audit.actions', entry.action)],
    [t('audit.subject'), object],
  ] as const;
  return (
    <Stack>
      <Facts facts={facts} />
      <JsonView value={entry.details} label={t('audit.details')} />
    </Stack>
  );
}

type NameOf = (id: number | undefined) => string | undefined;

const locationIdOf = ({ subject, subjectId }: Entry) => (subject === 'LOCATION' ? subjectId : undefined);

function subjectText(entry: Entry, nameOf: NameOf): string {
  const { subject, subjectId } = entry;
  const object = textOrWords('audit.subjects', subject);
  const name = nameOf(locationIdOf(entry));
  if (name) return `${object} ${name}`;
  return subjectId === undefined || name === undefined ? object : `${object} ${subjectId}`;
}
