import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useApiWrite } from '../../api/use-api.ts';
import { t } from '../../texts/t.ts';
import type { Datapoint, Reply } from './inbox-values.ts';
import { isTooLong, ReplyText } from './reply-text.tsx';

interface Props {
  datapoint: Datapoint;
  reply: Reply;
  onClose: () => void;
}

export function ReplyEdit({ datapoint: { id, replyMaxLength }, reply, onClose }: Props) {
  const [text, setText] = useState(reply.data);
  const save = useApiWrite('PATCH /api/data-points/{id}/replies/{replyId}', {
    changes: ['GET /api/data-points/{id}', 'GET /api/data-points'],
    onSuccess: onClose,
  });
  return (
    <Stack gap="xs" mt="xs">
      <ReplyText
        aria-label={t('inbox.reply')}
        value={text}
        onChange={setText}
        max={replyMaxLength}
        error={save.error?.fields[0]?.message ?? save.error?.message}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="compact-sm" variant="default" onClick={onClose}>
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
