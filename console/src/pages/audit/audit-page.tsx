import { Drawer, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useInfiniteList } from '../../api/use-api.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { audit } from '../../texts/en/audit.ts';
import { t, textOrWords } from '../../texts/t.ts';
import classes from './audit-page.module.css';

type Entry = ResponseOf<'GET /api/audit-trail'>['entries'][number];

const route = getRouteApi('/shell/settings/audit');

export function AuditPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { subject, subjectId, actor, since, until, order } = search;
  const [opened, setOpened] = useState<Entry>();
  const source = useInfiniteList('GET /api/audit-trail', 'entries', {
    query: {
      subject,
      subjectId,
      actor,
      order,
      ...(since && { since: startOf(since) }),
      // The end date is inclusive.
      ...(until && { until: startOf(dayAfter(until)) }),
    },
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
            <SearchField
              label={t('audit.actor')}
              value={actor}
              onChange={(value) => change({ actor: value })}
              flex="1 1 16rem"
            />
            <Select
              aria-label={t('audit.subject')}
              placeholder={t('audit.allObjects')}
              data={Object.entries(audit.subjects).map(([value, label]) => ({ value, label }))}
              value={subject ?? null}
              onChange={(value) => change({ subject: value ?? undefined, subjectId: undefined })}
              clearable
              searchable
              flex="0 1 12rem"
            />
            <DayInput label={t('audit.since')} value={since} onChange={(value) => change({ since: value })} />
            <DayInput label={t('audit.until')} value={until} onChange={(value) => change({ until: value })} />
          </Group>
        }
        isFiltered={[subject, subjectId, actor, since, until].some((value) => value !== undefined)}
        onClearFilters={() =>
          change({ subject: undefined, subjectId: undefined, actor: undefined, since: undefined, until: undefined })
        }
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
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <JsonView value={entry.details} label={t('audit.details')} />
    </Stack>
  );
}

interface DayInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function DayInput({ label, value, onChange }: DayInputProps) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      leftSection={
        <Text size="xs" c="dimmed" aria-hidden>
          {label}
        </Text>
      }
      leftSectionWidth={48}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      flex="0 1 12rem"
    />
  );
}

function subjectText({ subject, subjectId }: Entry): string {
  const name = textOrWords('audit.subjects', subject);
  return subjectId === undefined ? name : `${name} ${subjectId}`;
}

function actorText(actor: string): string {
  if (actor === 'PRIVATE_TOKEN') return t('audit.byKey');
  return actor === 'SYSTEM' ? t('audit.bySystem') : actor;
}

const inShort = (details: Entry['details']) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');

const startOf = (day: string) => new Date(`${day}T00:00:00`).toISOString();

function dayAfter(day: string): string {
  const next = new Date(`${day}T12:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}
