import { Alert, Anchor, Badge, Button, Center, EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ExternalLink, Flag, Heart, Mail, MailOpen, MousePointerClick } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { isHttpUrl } from '../../parts/http-url.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t, textOrWords } from '../../texts/t.ts';
import classes from './inbox.module.css';
import type { Datapoint, ListedDatapoint } from './inbox-values.ts';
import { Replies } from './replies.tsx';
import { ReplyBox } from './reply-box.tsx';
import { Stars } from './stars.tsx';
import { useMarks } from './use-marks.ts';

interface Props {
  id: number | undefined;
  /** The list entry, shown until the details are loaded. */
  listed: ListedDatapoint | undefined;
  nameOf: (id: number | undefined) => string;
  onBack: (() => void) | undefined;
}

export function DatapointPane({ id, listed, nameOf, onBack }: Props) {
  const found = useApi(
    'GET /api/data-points/{id}',
    { path: { id: id ?? 0 } },
    { enabled: id !== undefined, refetchInterval: 3000 },
  );
  if (id === undefined) {
    return (
      <Center mih={320}>
        <EmptyState
          icon={<MousePointerClick aria-hidden />}
          variant="light"
          title={t('inbox.choose')}
          description={t('inbox.chooseText')}
        />
      </Center>
    );
  }
  // Both were requested without a field mask, so no field is missing.
  const datapoint = (found.data ?? listed) as Datapoint | undefined;
  return (
    <Stack p={{ base: 'md', sm: 'lg' }}>
      {onBack && (
        <Button
          variant="subtle"
          size="compact-md"
          leftSection={<ArrowLeft size={16} aria-hidden />}
          onClick={onBack}
          ml={-8}
          style={{ alignSelf: 'start' }}
        >
          {t('inbox.back')}
        </Button>
      )}
      {found.error && <TryAgain error={found.error} onRetry={found.refetch} />}
      {!datapoint && !found.error && <Skeleton height={220} />}
      {datapoint && <Reading datapoint={datapoint} nameOf={nameOf} />}
    </Stack>
  );
}

function Reading({ datapoint, nameOf }: { datapoint: Datapoint; nameOf: Props['nameOf'] }) {
  const directoryName = useDirectoryName();
  const { author, data, rating, type, directoryType, locationId, directLink, photo } = datapoint;
  return (
    <>
      <Stack gap="xs">
        <Group justify="space-between" align="start" gap="xs">
          <Title order={2}>{author ?? t('inbox.anonymous')}</Title>
          <Marks datapoint={datapoint} />
        </Group>
        <Group gap="sm">
          {rating !== undefined && <Stars rating={rating} />}
          <Badge color="gray">{textOrWords('inbox.types', type)}</Badge>
          <Text size="sm">{directoryName(directoryType)}</Text>
          <Text size="sm" c="dimmed">
            <TimeAgo at={datapoint.actionDate} />
          </Text>
          {datapoint.threadActionDate !== datapoint.actionDate && (
            <Text size="sm" c="dimmed">
              {t('inbox.lastActivity')} <TimeAgo at={datapoint.threadActionDate} />
            </Text>
          )}
        </Group>
        <Group gap="4px 16px">
          {locationId !== undefined && (
            <Anchor component={Link} to={`/locations/${locationId}`} size="sm">
              {nameOf(locationId) || t('inbox.openLocation')}
            </Anchor>
          )}
          {isHttpUrl(directLink) && (
            <Anchor href={directLink} target="_blank" rel="noopener noreferrer" size="sm">
              <Group gap={4} component="span" display="inline-flex">
                {t('inbox.openThere', { directory: directoryName(directoryType) })}
                <ExternalLink size={14} aria-hidden />
              </Group>
            </Anchor>
          )}
        </Group>
      </Stack>
      {datapoint.status === 'INVALID' && <Alert color="gray">{t('inbox.removed')}</Alert>}
      <Text className={classes.text} {...(datapoint.language && { lang: datapoint.language })}>
        {data ?? t('inbox.noText')}
      </Text>
      {isHttpUrl(photo) && (
        <img
          src={photo}
          alt={t('inbox.photoOf', { author: author ?? '' })}
          className={classes.photo}
          referrerPolicy="no-referrer"
        />
      )}
      <Replies datapoint={datapoint} />
      <ReplyBox datapoint={datapoint} />
    </>
  );
}

function Marks({ datapoint: { id, read, flagged, liked } }: { datapoint: Datapoint }) {
  const { mayWrite, mark } = useMarks();
  if (!mayWrite) return null;
  return (
    <Group gap={4}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={read ? <Mail size={14} aria-hidden /> : <MailOpen size={14} aria-hidden />}
        onClick={() => mark(id, { read: !read })}
      >
        {t(read ? 'inbox.markUnread' : 'inbox.markRead')}
      </Button>
      <Button
        size="compact-sm"
        variant={flagged ? 'filled' : 'default'}
        aria-pressed={flagged}
        leftSection={<Flag size={14} aria-hidden />}
        onClick={() => mark(id, { flagged: !flagged })}
      >
        {t('inbox.flag')}
      </Button>
      <Button
        size="compact-sm"
        variant={liked ? 'filled' : 'default'}
        aria-pressed={liked}
        leftSection={<Heart size={14} aria-hidden />}
        onClick={() => mark(id, { liked: !liked })}
      >
        {t('inbox.like')}
      </Button>
    </Group>
  );
}
