import { Button, Group, Stack, Text } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { Send } from 'lucide-react';
import { useHasPermission, useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import type { Datapoint } from './inbox-values.ts';
import { useReplyDraft } from './reply-drafts.tsx';
import { isTooLong, ReplyText } from './reply-text.tsx';

export function ReplyBox({ datapoint }: { datapoint: Datapoint }) {
  const mayWrite = useHasPermission('INBOX_WRITE');
  const nameOf = useDirectoryName();
  const { user } = useSession();
  const { id, supportsReply, replyMaxLength, directoryType, status } = datapoint;
  const [text = '', setText] = useReplyDraft(`new ${id}`);
  const send = useApiWrite('POST /api/data-points/{id}/replies', {
    changes: ['GET /api/data-points/{id}', 'GET /api/data-points'],
    onSuccess: (reply) => {
      setText(undefined);
      notifyDone(t(reply.status === 'PENDING_APPROVAL' ? 'inbox.sentForApproval' : 'inbox.sent'));
    },
  });
  const directory = nameOf(directoryType);
  if (!supportsReply || status === 'INVALID') {
    return (
      <Text size="sm" c="dimmed">
        {t('inbox.noReplies', { directory })}
      </Text>
    );
  }
  if (!mayWrite) {
    return (
      <Text size="sm" c="dimmed">
        {t('inbox.noPermission')}
      </Text>
    );
  }
  const canSend = text.trim() !== '' && !isTooLong(text, replyMaxLength) && !send.isPending;
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
        error={send.error?.fields[0]?.message ?? send.error?.message}
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
