import { Badge, Box, Group, Paper, Text } from '@mantine/core';
import { Flag, Heart, Inbox, Reply } from 'lucide-react';
import type { Source } from '../../parts/data-list/column.ts';
import { ListEnd } from '../../parts/data-list/list-end.tsx';
import { ListState, ReloadError } from '../../parts/data-list/list-state.tsx';
import { numberText } from '../../parts/number-text.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import classes from './inbox.module.css';
import { type InboxSearch, inboxFilters } from './inbox-filters.ts';
import type { ListedDatapoint } from './inbox-values.ts';
import { Stars } from './stars.tsx';

interface Props {
  source: Source<ListedDatapoint>;
  openId: number | undefined;
  onOpen: (id: number) => void;
  nameOf: (id: number | undefined) => string;
  search: InboxSearch;
  onClearFilters: () => void;
}

export function DatapointList({ source, openId, onOpen, nameOf, search, onClearFilters }: Props) {
  const rows = source.rows ?? [];
  if (rows.length === 0) {
    return (
      <Box className={classes.list}>
        <ListState
          source={source}
          isNarrow
          isFiltered={inboxFilters.isFiltered(search)}
          onClearFilters={onClearFilters}
          empty={{ title: t('inbox.none'), text: t('inbox.noneText'), icon: <Inbox aria-hidden /> }}
        />
      </Box>
    );
  }
  const { count = 0, countIsExact = true } = source;
  return (
    <Paper withBorder className={classes.list} aria-busy={source.isFetching ?? false}>
      <Text size="sm" c="dimmed" px="md" py={8} role="status" className={classes.count}>
        {countIsExact ? tn('inbox.count', count) : t('inbox.countAtMost', { count: numberText(count) })}
      </Text>
      <ReloadError source={source} />
      <ul className={classes.rows} aria-label={t('inbox.title')}>
        {rows.map((row) => (
          <li key={row.id} id={`datapoint-${row.id}`} className={classes.item}>
            <Row row={row} isOpen={row.id === openId} onOpen={() => onOpen(row.id)} place={nameOf(row.locationId)} />
          </li>
        ))}
      </ul>
      <ListEnd source={source} />
    </Paper>
  );
}

interface RowProps {
  row: ListedDatapoint;
  isOpen: boolean;
  onOpen: () => void;
  place: string;
}

function Row({ row, isOpen, onOpen, place }: RowProps) {
  const nameOf = useDirectoryName();
  const { author, data, rating, read, flagged, liked, replies = [], type = 'REVIEW', directoryType = '' } = row;
  const isReplied = replies.some(({ ownerReply, status }) => ownerReply && status !== 'DELETED');
  const isWaiting = replies.some(({ status }) => status === 'PENDING_APPROVAL');
  return (
    <button
      type="button"
      className={classes.row}
      data-unread={read === false || undefined}
      aria-current={isOpen || undefined}
      onClick={onOpen}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={read === false ? 700 : 500} truncate>
          {author ?? t('inbox.anonymous')}
        </Text>
        <Text size="xs" c="dimmed" className={classes.noWrap}>
          {row.threadActionDate !== row.actionDate && `${t('inbox.lastActivity')} `}
          <TimeAgo at={row.threadActionDate} />
        </Text>
      </Group>
      <Group gap={8} wrap="nowrap" my={2}>
        {rating === undefined ? <Text size="xs">{textOrWords('inbox.types', type)}</Text> : <Stars rating={rating} />}
        <Text size="xs" c="dimmed" truncate>
          {[nameOf(directoryType), place].filter(Boolean).join(' · ')}
        </Text>
      </Group>
      <Text size="sm" lineClamp={2} className={classes.excerpt}>
        {data ?? t('inbox.noText')}
      </Text>
      {(isReplied || flagged || liked || isWaiting || read === false) && (
        <Group gap={8} mt={4}>
          {read === false && <Badge size="sm">{t('inbox.unread')}</Badge>}
          {isWaiting && (
            <Badge size="sm" color="orange">
              {t('inbox.replyStatuses.PENDING_APPROVAL')}
            </Badge>
          )}
          {isReplied && !isWaiting && <Reply size={14} role="img" aria-label={t('inbox.hasReply.yes')} />}
          {flagged && <Flag size={14} role="img" aria-label={t('inbox.flagged.yes')} />}
          {liked && <Heart size={14} role="img" aria-label={t('inbox.liked')} />}
        </Group>
      )}
    </button>
  );
}
