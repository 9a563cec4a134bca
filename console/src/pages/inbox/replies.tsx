import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { useHasPermission, useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import classes from './inbox.module.css';
import { type Datapoint, type Reply, replyTones } from './inbox-values.ts';
import { useReplyDraft } from './reply-drafts.tsx';
import { isTooLong, ReplyText } from './reply-text.tsx';

export function Replies({ datapoint }: { datapoint: Datapoint }) {
  const replies = datapoint.replies.filter(({ status }) => status !== 'DELETED');
  if (replies.length === 0) return null;
  return (
    <Stack gap="sm" component="ol" className={classes.replies} aria-label={t('inbox.replies')}>
      {replies.map((reply) => (
        <li key={reply.id}>
          <OneReply datapoint={datapoint} reply={reply} />
        </li>
      ))}
    </Stack>
  );
}

function OneReply({ datapoint, reply }: { datapoint: Datapoint; reply: Reply }) {
  const [draft] = useReplyDraft(editKey(reply));
  const [isEditing, setEditing] = useState(draft !== undefined);
  return (
    <Paper withBorder p="sm" radius="md" className={reply.ownerReply ? classes.ours : undefined}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {reply.ownerReply ? t('inbox.ownerReply', { author: reply.author }) : reply.author}
          </Text>
          {reply.ownerReply && (
            <StatusBadge tone={replyTones[reply.status]} size="sm">
              {textOrWords('inbox.replyStatuses', reply.status)}
            </StatusBadge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          <TimeAgo at={reply.dateCreated} />
        </Text>
      </Group>
      {isEditing ? (
        <ReplyEdit datapoint={datapoint} reply={reply} onClose={() => setEditing(false)} />
      ) : (
        <>
          <Text size="sm" mt={6} className={classes.text}>
            {reply.data}
          </Text>
          {reply.status === 'FAILED' && reply.message && (
            <Alert color="red" mt="xs">
              {reply.message}
            </Alert>
          )}
          <ReplyActions datapoint={datapoint} reply={reply} onEdit={() => setEditing(true)} />
        </>
      )}
    </Paper>
  );
}

interface ActionProps {
  datapoint: Datapoint;
  reply: Reply;
  onEdit: () => void;
}

/** Available until the reply is published. */
function ReplyActions({ datapoint: { id }, reply, onEdit }: ActionProps) {
  const mayWrite = useHasPermission('INBOX_WRITE');
  const { user } = useSession();
  const [isAsking, setAsking] = useState(false);
  const changes = ['GET /api/data-points/{id}', 'GET /api/data-points'] as const;
  const approve = useApiWrite('POST /api/data-points/{id}/replies/{replyId}/approve', {
    changes,
    onSuccess: () => notifyDone(t('inbox.approved')),
  });
  const withdraw = useApiWrite('DELETE /api/data-points/{id}/replies/{replyId}', { changes });
  const path = { id, replyId: reply.id };
  const isOpen = ['PENDING_APPROVAL', 'FAILED'].includes(reply.status);
  if (!mayWrite || !isOpen || !reply.createdBy) return null;
  return (
    <Group gap={4} mt="xs">
      {reply.status === 'PENDING_APPROVAL' && user.role !== 'LOCATION_MANAGER' && (
        <Button
          size="compact-sm"
          leftSection={<Check size={14} aria-hidden />}
          loading={approve.isPending}
          onClick={() => approve.mutate({ path }, { onError: notifyProblem })}
        >
          {t('inbox.approve')}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={onEdit}>
        {t(reply.status === 'FAILED' ? 'inbox.editAndSend' : 'inbox.edit')}
      </Button>
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsking(true)}>
        {t('inbox.withdraw')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('inbox.withdrawTitle')}
        text={t('inbox.withdrawText')}
        confirmLabel={t('inbox.withdraw')}
        onConfirm={() => withdraw.mutateAsync({ path })}
        onClose={() => setAsking(false)}
      />
    </Group>
  );
}

interface Props {
  datapoint: Datapoint;
  reply: Reply;
  onClose: () => void;
}

const editKey = ({ id }: Reply): string => `edit ${id}`;

function ReplyEdit({ datapoint: { id, replyMaxLength }, reply, onClose }: Props) {
  const [text = reply.data, setText] = useReplyDraft(editKey(reply));
  const close = () => {
    setText(undefined);
    onClose();
  };
  const save = useApiWrite('PATCH /api/data-points/{id}/replies/{replyId}', {
    changes: ['GET /api/data-points/{id}', 'GET /api/data-points'],
    onSuccess: close,
  });
  return (
    <Stack gap="xs" mt="xs">
      <ReplyText
        aria-label={t('inbox.reply')}
        value={text}
        onChange={(typed) => setText(typed === reply.data ? undefined : typed)}
        max={replyMaxLength}
        error={save.error?.fields[0]?.message ?? save.error?.message}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="compact-sm" variant="default" onClick={close}>
          {t('parts.form.cancel')}
        </Button>
        <Button
          size="compact-sm"
          loading={save.isPending}
          disabled={text.trim() === '' || isTooLong(text, replyMaxLength)}
          onClick={() => save.mutate({ path: { id, replyId: reply.id }, body: { data: text.trim() } })}
        >
          {t('parts.form.save')}
        </Button>
      </Group>
    </Stack>
  );
}
