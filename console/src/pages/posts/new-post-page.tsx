import { Skeleton } from '@mantine/core';
import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { useHasPermission } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { t } from '../../texts/t.ts';
import { Composer } from './composer/composer.tsx';
import { blankPost, contentOf, newPostOf } from './composer/post-form.ts';

const route = getRouteApi('/shell/posts/new');

export function NewPostPage() {
  const { date, template, location } = route.useSearch();
  const navigate = useNavigate();
  const mayReadAssets = useHasPermission('ASSET_READ');
  const needsTemplate = template !== undefined && mayReadAssets;
  const asset = useApi('GET /api/dam/assets/{id}', { path: { id: template ?? 0 } }, { enabled: needsTemplate });
  const create = useApiWrite('POST /api/social-posts', {
    changes: ['GET /api/social-posts', 'GET /api/home/tasks', 'GET /api/home/suggestions'],
  });
  if (asset.error && !asset.data) throw asset.error;
  const content = asset.data?.content;
  return (
    <>
      <PageHeader title={t('posts.compose.newTitle')} trail={[{ label: t('posts.title'), to: '/posts' }]} />
      {needsTemplate && asset.isPending ? (
        <Skeleton height={480} />
      ) : (
        <Composer
          isNew
          isSaved={create.isSuccess}
          initial={{
            ...blankPost,
            ...(content && contentOf(content)),
            ...(location && { locationIds: location }),
            ...(date && { publicationDate: `${date}T09:00` }),
          }}
          onCancel={() => void navigate({ to: '/posts' })}
          onSave={async (values) => {
            await create.mutateAsync({ body: newPostOf(values) });
            notifyDone(t('posts.compose.created'));
          }}
        />
      )}
      {/* Not in onSave, which also continues after the user has left the page. */}
      {create.data && <Navigate to="/posts/$postId" params={{ postId: String(create.data.id) }} ignoreBlocker />}
    </>
  );
}
