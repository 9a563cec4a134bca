import { useApi } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { Delta } from '../../parts/delta.tsx';
import { Section } from '../../parts/section.tsx';
import { t, tn } from '../../texts/t.ts';
import type { DashboardQuery } from './dashboard-query.ts';
import { pointsText, ratingText, shareText } from './figure-text.ts';

const most = 10;

export function KeywordSection({ query: { scope, span } }: { query: DashboardQuery }) {
  const found = useApi(
    'GET /api/dashboard/customer-feedback-keywords',
    { query: { ...scope, ...span } },
    { keepPrevious: true },
  );
  type Keyword = NonNullable<typeof found.data>['keywords'][number];
  const columns: Column<Keyword>[] = [
    {
      key: 'keyword',
      title: t('dashboard.keywords.keyword'),
      sortValue: ({ keyword }) => keyword,
      render: ({ keyword, aggregatedWords }) => <span title={aggregatedWords.join(', ')}>{keyword}</span>,
    },
    {
      key: 'share',
      title: t('dashboard.keywords.share'),
      align: 'right',
      sortValue: ({ percentage }) => percentage.current,
      onCard: 'aside',
      render: ({ percentage }) => shareText(percentage.current),
    },
    {
      key: 'change',
      title: t('dashboard.change'),
      render: ({ percentage }) => (
        <Delta
          now={percentage.current}
          before={percentage.previous}
          format={shareText}
          formatChange={pointsText}
          better="neither"
          isFocusable={false}
        />
      ),
    },
    {
      key: 'rating',
      title: t('dashboard.keywords.rating'),
      align: 'right',
      sortValue: ({ rating }) => rating.current ?? 0,
      render: ({ rating }) => ratingText(rating.current),
    },
  ];
  return (
    <Section
      title={t('dashboard.keywords.title')}
      text={found.data && tn('dashboard.keywords.text', found.data.totalFeedbacksAnalyzed)}
    >
      <DataList
        label={t('dashboard.keywords.title')}
        source={listOf(found, ({ keywords }) => keywords.slice(0, most))}
        columns={columns}
        rowKey={({ keyword }) => keyword}
        withCount={false}
        empty={{ title: t('dashboard.keywords.none'), text: t('dashboard.keywords.noneText') }}
      />
    </Section>
  );
}
