import { Badge, Group, Skeleton, Text } from '@mantine/core';
import type { Column } from '../../parts/data-list/column.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { differencesOf, type Listing, syncToneOf } from './listing-values.ts';
import classes from './listings.module.css';

export function SyncBadge({ listing }: { listing: Pick<Listing, 'syncStatus' | 'flowStatus'> }) {
  return <StatusBadge tone={syncToneOf(listing)}>{textOrWords('listings.sync', listing.syncStatus)}</StatusBadge>;
}

const directory: Column<Listing> = {
  key: 'directoryType',
  isSortable: true,
  title: t('listings.directory'),
  width: 130,
  render: ({ typeName, duplicateOf }) => (
    <Group gap={6} component="span" display="inline-flex">
      {typeName}
      {duplicateOf !== undefined && (
        <Badge color="orange" size="sm">
          {t('listings.duplicate')}
        </Badge>
      )}
    </Group>
  ),
};

const states: Column<Listing>[] = [
  {
    key: 'syncStatus',
    isSortable: true,
    title: t('listings.syncStatus'),
    onCard: 'aside',
    render: (listing) => <SyncBadge listing={listing} />,
  },
  {
    key: 'differences',
    title: t('listings.differences'),
    align: 'right',
    render: (listing) => {
      const count = differencesOf(listing);
      return listing.fields.length === 0 ? '–' : count === 0 ? t('listings.noDifferences') : count;
    },
  },
  {
    key: 'flowStatus',
    isSortable: true,
    title: t('listings.flowStatus'),
    render: ({ flowStatus }) => textOrWords('listings.flow', flowStatus),
  },
  {
    key: 'claim',
    title: t('listings.claimStatus'),
    render: ({ claimStatus }) => (
      <Text size="sm" c="dimmed">
        {textOrWords('listings.claim', claimStatus)}
      </Text>
    ),
  },
  {
    key: 'checked',
    title: t('listings.lastChecked'),
    render: ({ lastChecked }) => (
      <span className={classes.noWrap}>
        <TimeAgo at={lastChecked} />
      </span>
    ),
  },
];

const sortValues: Record<string, (listing: Listing) => string | number> = {
  directoryType: ({ typeName }) => typeName,
  syncStatus: ({ syncStatus }) => textOrWords('listings.sync', syncStatus),
  differences: (listing) => differencesOf(listing),
  flowStatus: ({ flowStatus }) => textOrWords('listings.flow', flowStatus),
  claim: ({ claimStatus }) => textOrWords('listings.claim', claimStatus),
  checked: ({ lastChecked }) => lastChecked ?? '',
};

/** Listings of one location are sorted in the browser. */
export const columnsOfLocation: Column<Listing>[] = [directory, ...states].map((column) => {
  const sortValue = sortValues[column.key];
  return sortValue ? { ...column, sortValue } : column;
});

export const columnsOfMany = (nameOf: (id: number) => string | undefined): Column<Listing>[] => [
  {
    key: 'location',
    title: t('listings.location'),
    width: '22%',
    render: ({ locationId }) => {
      const name = nameOf(locationId);
      return name === undefined ? <Skeleton height={14} width="70%" /> : name || `#${locationId}`;
    },
  },
  directory,
  ...states,
];
