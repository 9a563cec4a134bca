import { Anchor, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { SocialPost } from '../../api/api-types.ts';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { AttemptCountdown } from '../../parts/attempt-countdown.tsx';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { isHttpUrl } from '../../parts/http-url.ts';
import { nameOrId } from '../../parts/name-or-id.ts';
import { Section } from '../../parts/section.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { t } from '../../texts/t.ts';

type Publication = ResponseOf<'GET /api/social-posts/{id}/publications'>['publications'][number];

const pageSize = 25;
const tones: Record<Publication['status'], Tone> = {
  PENDING: 'busy',
  PUBLISHED: 'good',
  FAILED: 'bad',
  WITHDRAWING: 'busy',
  WITHDRAWN: 'neutral',
};

export function Publications({ post: { id } }: { post: SocialPost }) {
  const [offset, setOffset] = useState(0);
  const directoryName = useDirectoryName();
  const found = useApi(
    'GET /api/social-posts/{id}/publications',
    { path: { id }, query: { offset, max: pageSize } },
    { keepPrevious: true, refetchInterval: 5000 },
  );
  const nameOf = useLocationNames((found.data?.publications ?? []).map(({ locationId }) => locationId));
  const placeName = ({ locationId }: Publication) => nameOrId(nameOf(locationId), locationId);
  const columns: Column<Publication>[] = [
    {
      key: 'location',
      sortValue: placeName,
      title: t('posts.page.location'),
      render: placeName,
    },
    {
      key: 'directory',
      sortValue: ({ directory }) => directoryName(directory),
      title: t('posts.page.directory'),
      render: ({ directory, url }) =>
        isHttpUrl(url) ? (
          <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm">
            {directoryName(directory)}
          </Anchor>
        ) : (
          directoryName(directory)
        ),
    },
    {
      key: 'status',
      sortValue: ({ status }) => status,
      title: t('posts.page.state'),
      render: ({ status, message, nextTry }) => (
        <Stack gap={2} align="start">
          <StatusBadge tone={tones[status]}>{t(`posts.page.states.${status}`)}</StatusBadge>
          {message && (
            <Text size="xs" c="dimmed">
              {message}
              {nextTry && (
                <>
                  {' '}
                  <AttemptCountdown at={nextTry} />
                </>
              )}
            </Text>
          )}
        </Stack>
      ),
    },
  ];
  return (
    <Section title={t('posts.page.publications')} text={t('posts.page.publicationsText')}>
      <DataList
        label={t('posts.page.publications')}
        source={listOf(found, ({ publications }) => publications)}
        columns={columns}
        rowKey={({ locationId, directory }) => `${locationId} ${directory}`}
        paging={{ offset, max: pageSize, onChange: setOffset }}
        empty={{ title: t('posts.page.none'), text: t('posts.page.noneText') }}
      />
    </Section>
  );
}
