import { Group, Select, Stack, Text } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { numberText, shortDecimalText } from '../../parts/number-text.ts';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import { useLocationLink } from './destinations.ts';
import { type HomeScope, rankedBy, rankOrders } from './home-values.ts';

const pageSize = 8;

type RankBy = (typeof rankedBy)[number];
type Order = (typeof rankOrders)[number];

interface Props {
  scope: HomeScope;
  rankBy: RankBy;
  order: Order;
  offset: number;
  onChange: (change: { rankBy?: RankBy; order?: Order; offset?: number }) => void;
}

export function RankSection({ scope, rankBy, order, offset, onChange }: Props) {
  const found = useApi(
    'GET /api/home/locations/ranks',
    { query: { ...scope, rankBy, order, page: Math.floor(offset / pageSize), size: pageSize } },
    { keepPrevious: true },
  );
  const locationLink = useLocationLink();
  type Ranked = NonNullable<typeof found.data>['locations'][number];
  const columns: Column<Ranked>[] = [
    {
      key: 'name',
      title: t('home.ranks.location'),
      onCard: 'heading',
      render: ({ name, city, rank }) => (
        <Stack gap={0}>
          {name}
          <Text size="xs" c="dimmed" fw={400}>
            {city}
            <Text inherit span hiddenFrom="sm">
              {t('home.ranks.rankOnCard', { rank: numberText(rank) })}
            </Text>
          </Text>
        </Stack>
      ),
    },
    {
      key: 'rank',
      title: t('home.ranks.rank'),
      align: 'right',
      width: 80,
      onCard: 'hidden',
      render: ({ rank }) => numberText(rank),
    },
    {
      key: 'value',
      title: t(`home.ranks.rankedBy.${rankBy}`),
      align: 'right',
      onCard: 'aside',
      render: ({ value }) => valueText(rankBy, value),
    },
  ];
  return (
    <Section
      title={t('home.ranks.title')}
      actions={
        <Group gap="xs" wrap="nowrap">
          <Select
            size="xs"
            aria-label={t('home.ranks.by')}
            data={rankedBy.map((value) => ({ value, label: t(`home.ranks.rankedBy.${value}`) }))}
            value={rankBy}
            onChange={(value) => value && onChange({ rankBy: value as RankBy })}
            w={160}
          />
          <Select
            size="xs"
            aria-label={t('home.ranks.order')}
            data={rankOrders.map((value) => ({ value, label: t(`home.ranks.${value}`) }))}
            value={order}
            onChange={(value) => value && onChange({ order: value as Order })}
            w={116}
          />
        </Group>
      }
    >
      <DataList
        label={t('home.ranks.title')}
        source={listOf(found, (page) => page.locations)}
        columns={columns}
        rowKey={({ locationId }) => locationId}
        {...(locationLink && { open: { to: ({ locationId }: Ranked) => locationLink(locationId) } })}
        paging={{ offset, max: pageSize, onChange: (next) => onChange({ offset: next }) }}
        withCount={false}
        empty={{ title: t('home.ranks.none'), text: t('home.ranks.noneText') }}
      />
    </Section>
  );
}

const valueText = (rankBy: RankBy, value: number) =>
  rankBy === 'PROFILE_COMPLETENESS' ? `${shortDecimalText(value)}%` : shortDecimalText(value);
