import { Alert, Skeleton, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useHasPermission, useSession } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { actorText } from '../../parts/actor-text.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { minuteText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { Composer } from './composer/composer.tsx';
import { changesOf, valuesOf } from './composer/post-form.ts';
import { PostActions } from './post-actions.tsx';
import { PostStatus } from './post-status.tsx';
import { nameOf } from './post-values.ts';
import { Publications } from './publications.tsx';

const route = getRouteApi('/shell/posts/$postId');

export function PostPage() {
  const id = Number(route.useParams().postId);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { user } = useSession();
  const mayWrite = useHasPermission('SOCIAL_POST_WRITE');
  // Status updates keep the form; only saving resets it.
  const [saves, setSaves] = useState(0);
  const found = useApi('GET /api/social-posts/{id}', { path: { id } }, { refetchInterval: 10_000 });
  const update = useApiWrite('PATCH /api/social-posts/{id}', {
    changes: ['GET /api/social-posts', 'GET /api/social-posts/{id}', 'GET /api/social-posts/{id}/publications'],
    // The form shows the saved post even if the refetch fails.
    onSuccess: (saved) => queries.setQueryData(['GET /api/social-posts/{id}', { path: { id } }], saved),
  });
  // A failed status update keeps the form.
  if (found.error && !found.data) throw found.error;
  const post = found.data;
  if (!post) return <Skeleton height={480} />;
  const isOver = post.status === 'DELETED' || post.status === 'ENDED';
  const isLocked = isOver || (post.status === 'ACTIVE' && user.role === 'LOCATION_MANAGER');
  return (
    <>
      <PageHeader
        title={nameOf(post) || t('posts.withoutText')}
        trail={[{ label: t('posts.title'), to: '/posts' }]}
        aside={<PostStatus status={post.status} />}
        text={`${minuteText(post.publicationDate)} · ${t('posts.page.by', { name: actorText(post.createdBy) })}`}
        {...(mayWrite && post.status !== 'DELETED' && { actions: <PostActions post={post} /> })}
      />
      <Stack gap="lg">
        {post.rejectionReason && (
          <Alert color="red">{t('posts.page.rejectedBecause', { reason: post.rejectionReason })}</Alert>
        )}
        <Composer
          key={saves}
          isNew={false}
          isReadOnly={!mayWrite || isLocked}
          initial={valuesOf(post)}
          onCancel={() => void navigate({ to: '/posts' })}
          onSave={async (values, before) => {
            const body = changesOf(before, values);
            if (Object.keys(body).length > 0) await update.mutateAsync({ path: { id }, body });
            notifyDone(t('posts.compose.saved'));
            setSaves(saves + 1);
          }}
        />
        <Publications post={post} />
      </Stack>
    </>
  );
}
