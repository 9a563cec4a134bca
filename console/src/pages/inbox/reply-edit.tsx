import { Button, Group, Stack } from '@mantine/core';
import { useApiWrite } from '../../api/use-api.ts';
import { t } from '../../texts/t.ts';
import type { Datapoint, Reply } from './inbox-values.ts';
import { useReplyDraft } from './reply-drafts.tsx';
import { isTooLong, ReplyText } from './reply-text.tsx';

interface Props {
  datapoint: Datapoint;
  reply: Reply;
  onClose: () => void;
}

export const editKey = ({ id }: Reply): string => `edit ${id}`;

export function ReplyEdit({ datapoint: { id, replyMaxLength }, reply, onClose }: Props) {
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
