import { Group, Text } from '@mantine/core';
import { Star } from 'lucide-react';
import type { Location } from '../../api/api-types.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { decimalText, numberText, percentText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t } from '../../texts/t.ts';
import { LocationStatusBadge } from './location-status.tsx';
import { addressText, countryName } from './location-values.ts';

export const locationColumns: Column<Location>[] = [
  {
    key: 'name',
    title: t('locations.name'),
    isSortable: true,
    width: '28%',
    render: (location) => <TwoLines below={addressText(location)}>{location.name}</TwoLines>,
  },
  {
    key: 'city',
    title: t('locations.city'),
    isSortable: true,
    onCard: 'hidden',
    render: ({ city, country }) => <TwoLines below={countryName(country)}>{city}</TwoLines>,
  },
  {
    key: 'status',
    title: t('locations.status'),
    onCard: 'aside',
    render: ({ status }) => <LocationStatusBadge status={status} />,
  },
  {
    key: 'profileCompleteness',
    title: t('locations.profile'),
    width: 130,
    render: ({ name, profileCompleteness = 0 }) => (
      <Group gap={8} wrap="nowrap">
        <PercentBar
          size="sm"
          flex={1}
          miw={40}
          percent={profileCompleteness}
          color={profileCompleteness >= 90 ? 'teal' : profileCompleteness >= 60 ? 'harbour' : 'orange'}
          label={t('locations.completenessOf', { name: name ?? '' })}
        />
        <Text size="sm" w={44} ta="end">
          {percentText(profileCompleteness / 100)}
        </Text>
      </Group>
    ),
  },
  {
    key: 'listings',
    title: t('locations.inSync'),
    align: 'right',
    render: ({ listings = 0, listingsInSync = 0 }) =>
      listings === 0 ? '–' : t('locations.ofListings', { inSync: listingsInSync, listings }),
  },
  {
    key: 'averageRating',
    title: t('locations.rating'),
    align: 'right',
    render: ({ averageRating, dataPoints = 0 }) =>
      averageRating === undefined ? (
        '–'
      ) : (
        <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
          <Star size={14} fill="currentColor" color="var(--mantine-color-yellow-6)" aria-hidden />
          {decimalText(averageRating)}
          <Text size="xs" c="dimmed">
            ({numberText(dataPoints)})
          </Text>
        </Group>
      ),
  },
  {
    key: 'lastUpdated',
    title: t('locations.updated'),
    isSortable: true,
    render: ({ lastUpdated }) => <TimeAgo at={lastUpdated} />,
  },
];
