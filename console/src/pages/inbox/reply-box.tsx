import { Button, Group, Stack, Text } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { Send } from 'lucide-react';
import { useHasPermission, useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t, tn } from '../../texts/t.ts';
import { type Datapoint, hasMaxReplies, maxReplies } from './inbox-values.ts';
import { useReplyDraft } from './reply-drafts.tsx';
import { isTooLong, ReplyText } from './reply-text.tsx';

export function ReplyBox({ datapoint }: { datapoint: Datapoint }) {
  const mayWrite = useHasPermission('INBOX_WRITE');
  const nameOf = useDirectoryName();
  const { user } = useSession();
  const { id, supportsReply, replyMaxLength, directoryType, status, type } = datapoint;
  const [text = '', setText] = useReplyDraft(`new ${id}`);
  const send = useApiWrite('POST /api/data-points/{id}/replies', {
    changes: ['GET /api/data-points/{id}', 'GET /api/data-points'],
    onSuccess: (reply) => {
      setText(undefined);
      notifyDone(t(reply.status === 'PENDING_APPROVAL' ? 'inbox.sentForApproval' : 'inbox.sent'));
    },
  });
  const directory = nameOf(directoryType);
  if (status === 'INVALID') return null;
  if (!supportsReply) return <Reason text={t('inbox.noReplies', { directory })} />;
  if (!mayWrite) return <Reason text={t('inbox.noPermission')} />;
  const limit = hasMaxReplies(datapoint) && !send.isPending ? tn('inbox.maxReplies', maxReplies(type)) : undefined;
  if (limit && text === '') return <Reason text={limit} />;
  const canSend = !limit && text.trim() !== '' && !isTooLong(text, replyMaxLength) && !send.isPending;
  const submit = () => {
    if (canSend) send.mutate({ path: { id }, body: { data: text.trim() } });
  };
  const waits = user.role === 'LOCATION_MANAGER';
  return (
    <Stack gap="xs">
      <ReplyText
        id="reply-text"
        label={t('inbox.reply')}
        description={waits ? t('inbox.waitsForApproval') : t('inbox.goesTo', { directory })}
        value={text}
        onChange={(typed) => setText(typed || undefined)}
        max={replyMaxLength}
        error={limit ?? send.error?.fields[0]?.message ?? send.error?.message}
        onKeyDown={getHotkeyHandler([
          ['mod+Enter', submit],
          ['Escape', (event) => (event.target as HTMLElement).blur()],
        ])}
      />
      <Group justify="flex-end">
        <Button
          leftSection={<Send size={16} aria-hidden />}
          onClick={submit}
          loading={send.isPending}
          disabled={!canSend && !send.isPending}
        >
          {t('inbox.send')}
        </Button>
      </Group>
    </Stack>
  );
}

const Reason = ({ text }: { text: string }) => (
  <Text size="sm" c="dimmed">
    {text}
  </Text>
);
