import { Button, Center, Group, Image, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import type { SocialPost } from '../../api/api-types.ts';
import { useHasPermission } from '../../api/session.ts';
import { useInfiniteList } from '../../api/use-api.ts';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { minuteText } from '../../parts/time-text.ts';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t, tn } from '../../texts/t.ts';
import type { PostFilter } from './post-filters.ts';
import { PostStatus } from './post-status.tsx';
import { nameOf } from './post-values.ts';

interface Props {
  filter: PostFilter;
  order: 'ASC' | undefined;
  onOrder: (order: 'ASC' | undefined) => void;
  isFiltered: boolean;
  onClearFilters: () => void;
}

export function PostList({ filter, order, onOrder, isFiltered, onClearFilters }: Props) {
  const mayWrite = useHasPermission('SOCIAL_POST_WRITE');
  const directoryName = useDirectoryName();
  const found = useInfiniteList('GET /api/social-posts', 'socialPosts', { query: { ...filter, order } });
  return (
    <DataList
      label={t('posts.title')}
      source={found}
      columns={columnsWith(directoryName)}
      rowKey={({ id }) => id}
      open={{ to: ({ id }) => `/posts/${id}` }}
      isFiltered={isFiltered}
      onClearFilters={onClearFilters}
      sort={{ by: 'publicationDate', isDescending: order === undefined }}
      onSort={({ isDescending }) => onOrder(isDescending ? undefined : 'ASC')}
      empty={{
        title: t('posts.none'),
        text: t('posts.noneText'),
        icon: <Megaphone aria-hidden />,
        action: mayWrite && (
          <Button component={Link} to="/posts/new">
            {t('posts.write')}
          </Button>
        ),
      }}
    />
  );
}

/** Keeps the same width without a photo, so titles align. */
function Thumbnail({ photo }: { photo: string | undefined }) {
  if (photo) return <Image src={photo} alt="" w={40} h={40} radius="sm" fit="cover" flex="none" />;
  return (
    <Center w={40} h={40} flex="none" bdrs="sm" bg="var(--mantine-color-default-hover)" c="dimmed">
      <Megaphone size={18} aria-hidden />
    </Center>
  );
}

const columnsWith = (directoryName: (type: string) => string): Column<SocialPost>[] => [
  {
    key: 'title',
    title: t('posts.post'),
    render: (post) => (
      <Group gap="sm" wrap="nowrap">
        <Thumbnail photo={post.photos[0]?.photo} />
        <Stack gap={0} miw={0}>
          <Text fw={550} lineClamp={2}>
            {nameOf(post) || t('posts.withoutText')}
          </Text>
          <Text size="xs" c="dimmed" fw={400}>
            {t(`posts.types.${post.type}`)}
          </Text>
        </Stack>
      </Group>
    ),
  },
  { key: 'status', title: t('posts.status'), onCard: 'aside', render: ({ status }) => <PostStatus status={status} /> },
  {
    key: 'directories',
    title: t('posts.directories'),
    render: ({ directories }) => directories.map(directoryName).join(', '),
  },
  {
    key: 'where',
    title: t('posts.where'),
    render: ({ locationIds, businessIds, labels }) => (
      <Text inherit style={{ whiteSpace: 'nowrap' }}>
        {tn('posts.targets', locationIds.length + businessIds.length + labels.length)}
      </Text>
    ),
  },
  {
    key: 'publicationDate',
    title: t('posts.date'),
    isSortable: true,
    render: ({ publicationDate }) => minuteText(publicationDate),
  },
];
