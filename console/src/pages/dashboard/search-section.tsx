import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { Delta } from '../../parts/delta.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import { type DashboardQuery, periodText } from './dashboard-query.ts';

const step = 10;
const most = 100;

/** "Nov 2026", "Aug 2026 – Nov 2026". */
function monthsText(months: readonly string[]): string {
  const ends = new Set([months[0], months.at(-1)].filter((month) => month !== undefined));
  return [...ends].map((month) => periodText('MONTH')(`${month.slice(0, 7)}-01`)).join(' – ');
}

export function SearchSection({ query: { scope, span } }: { query: DashboardQuery }) {
  const [max, setMax] = useState(step);
  const found = useApi(
    'GET /api/dashboard/search-keywords',
    { query: { ...scope, ...span, max } },
    { keepPrevious: true },
  );
  type Keyword = NonNullable<typeof found.data>['keywords'][number];
  const columns: Column<Keyword>[] = [
    {
      key: 'keyword',
      title: t('dashboard.searches.keyword'),
      sortValue: ({ keyword }) => keyword,
      render: ({ keyword }) => keyword,
    },
    {
      key: 'impressions',
      title: t('dashboard.searches.impressions'),
      align: 'right',
      onCard: 'aside',
      sortValue: ({ impressions }) => impressions.current,
      render: ({ impressions }) => numberText(impressions.current),
    },
    {
      key: 'change',
      title: t('dashboard.change'),
      onCard: 'aside',
      render: ({ impressions }) => (
        <Delta now={impressions.current} before={impressions.previous} isFocusable={false} />
      ),
    },
  ];
  const months = found.data && monthsText(found.data.months);
  return (
    <Section title={t('dashboard.searches.title')} text={months && t('dashboard.searches.text', { months })}>
      <DataList
        label={t('dashboard.searches.title')}
        source={listOf(found, ({ keywords }) => keywords)}
        columns={columns}
        rowKey={({ keyword }) => keyword}
        withCount={false}
        empty={{ title: t('dashboard.searches.none'), text: t('dashboard.searches.noneText') }}
      />
      {found.data && found.data.keywordsCount > max && max < most && (
        <Group justify="center" mt="sm">
          <Button variant="subtle" size="compact-sm" onClick={() => setMax(max + 2 * step)}>
            {t('dashboard.searches.more')}
          </Button>
        </Group>
      )}
    </Section>
  );
}
