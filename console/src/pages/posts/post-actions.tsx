import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Check, CloudOff, Send, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { SocialPost } from '../../api/api-types.ts';
import { useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { FormModal, useDirty } from '../../parts/form-drawer.tsx';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';

const changes = [
  'GET /api/social-posts',
  'GET /api/social-posts/{id}',
  'GET /api/social-posts/{id}/publications',
] as const;

export function PostActions({ post: { id, status } }: { post: SocialPost }) {
  const navigate = useNavigate();
  const { user } = useSession();
  const [asking, setAsking] = useState<'delete' | 'reject'>();
  const approve = useApiWrite('POST /api/social-posts/{id}/approve', {
    changes,
    onSuccess: () => notifyDone(t('posts.page.approved')),
  });
  const move = useApiWrite('PATCH /api/social-posts/{id}', { changes });
  const remove = useApiWrite('DELETE /api/social-posts/{id}', { changes: ['GET /api/social-posts'] });
  const become = (next: 'SCHEDULED' | 'INACTIVE', done: string) =>
    move.mutate(
      { path: { id }, body: { status: next } },
      { onSuccess: () => notifyDone(done), onError: notifyProblem },
    );
  return (
    <Group gap="xs">
      {status === 'APPROVAL_NEEDED' && user.role !== 'LOCATION_MANAGER' && (
        <>
          <Button
            leftSection={<Check size={16} aria-hidden />}
            loading={approve.isPending}
            onClick={() => approve.mutate({ path: { id } }, { onError: notifyProblem })}
          >
            {t('posts.page.approve')}
          </Button>
          <Button variant="default" leftSection={<X size={16} aria-hidden />} onClick={() => setAsking('reject')}>
            {t('posts.page.reject')}
          </Button>
        </>
      )}
      {(status === 'ACTIVE' || status === 'SCHEDULED') && (
        <Button
          variant="default"
          leftSection={<CloudOff size={16} aria-hidden />}
          loading={move.isPending}
          onClick={() => become('INACTIVE', t('posts.page.withdrawn'))}
        >
          {t('posts.page.withdraw')}
        </Button>
      )}
      {(status === 'INACTIVE' || status === 'IMPOSSIBLE' || status === 'REJECTED') && (
        <Button
          variant="default"
          leftSection={<Send size={16} aria-hidden />}
          loading={move.isPending}
          onClick={() => become('SCHEDULED', t('posts.page.publishedAgain'))}
        >
          {t('posts.page.publishAgain')}
        </Button>
      )}
      <Button
        variant="subtle"
        color="red"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={() => setAsking('delete')}
      >
        {t('posts.page.delete')}
      </Button>
      <ConfirmDialog
        isOpen={asking === 'delete'}
        title={t('posts.page.deleteTitle')}
        losses={[t('posts.page.deleteLosses.shown'), t('posts.page.deleteLosses.figures')]}
        confirmLabel={t('posts.page.delete')}
        onConfirm={async () => {
          await remove.mutateAsync({ path: { id } });
          notifyDone(t('posts.page.deleted'));
          await navigate({ to: '/posts', ignoreBlocker: true });
        }}
        onClose={() => setAsking(undefined)}
      />
      <FormModal opened={asking === 'reject'} onClose={() => setAsking(undefined)} title={t('posts.page.rejectTitle')}>
        {(cancel) => <Reason id={id} onCancel={cancel} onDone={() => setAsking(undefined)} />}
      </FormModal>
    </Group>
  );
}

interface ReasonProps {
  id: number;
  onCancel: () => void;
  onDone: () => void;
}

function Reason({ id, onCancel, onDone }: ReasonProps) {
  const [reason, setReason] = useState('');
  useDirty(reason !== '');
  const reject = useApiWrite('POST /api/social-posts/{id}/reject', {
    changes,
    onSuccess: () => {
      notifyDone(t('posts.page.rejected'));
      onDone();
    },
  });
  return (
    <Stack>
      <Textarea
        label={t('posts.page.reason')}
        required
        autosize
        minRows={3}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={reject.error && (reject.error.fields[0]?.message ?? reject.error.message)}
        data-autofocus
      />
      <FormButtons
        onCancel={onCancel}
        color="red.9"
        loading={reject.isPending}
        onClick={() => reject.mutate({ path: { id }, body: { reason } })}
      >
        {t('posts.page.reject')}
      </FormButtons>
    </Stack>
  );
}
