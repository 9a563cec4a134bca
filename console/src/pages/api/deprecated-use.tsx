import { Code, Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Section } from '../../parts/section.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import type { DeprecatedUseEntry } from './versions.ts';

const route = getRouteApi('/shell/settings/api');
const periods = [7, 30, 90];

export function DeprecatedUse() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const days = periods.find((period) => period === search.days) ?? 30;
  const used = useApi('GET /api/deprecated-use', { query: { days } }, { keepPrevious: true });
  return (
    <Section
      title={t('api.usage')}
      text={t('api.usageText')}
      actions={
        <Select
          aria-label={t('api.days')}
          data={periods.map((period) => ({ value: String(period), label: t('api.lastDays', { days: period }) }))}
          value={String(days)}
          onChange={(value) => change({ days: value === '30' ? undefined : Number(value) })}
          w={150}
        />
      }
    >
      <DataList
        label={t('api.usage')}
        source={listOf(used, ({ uses }) => uses)}
        columns={columns}
        rowKey={({ name, version, replacedBy }) => `${name} ${version} ${replacedBy}`}
        empty={{
          title: t('api.usageNone'),
          text: t('api.usageNoneText', { days }),
          icon: <CircleCheck aria-hidden />,
        }}
        withCount={false}
      />
    </Section>
  );
}

const columns: Column<DeprecatedUseEntry>[] = [
  { key: 'name', title: t('api.usageName'), sortValue: ({ name }) => name, render: ({ name }) => <Code>{name}</Code> },
  {
    key: 'version',
    title: t('api.usageVersion'),
    sortValue: ({ version }) => version,
    render: ({ version }) => version,
  },
  { key: 'replacedBy', title: t('api.usageReplaced'), render: ({ replacedBy }) => replacedBy },
  {
    key: 'count',
    title: t('api.usageCount'),
    align: 'right',
    sortValue: ({ count }) => count,
    render: ({ count }) => numberText(count),
  },
  {
    key: 'lastUsed',
    title: t('api.usageLast'),
    sortValue: ({ lastUsed }) => lastUsed,
    render: ({ lastUsed }) => <TimeAgo at={lastUsed} />,
  },
];
