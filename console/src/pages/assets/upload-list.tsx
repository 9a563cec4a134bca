import { ActionIcon, Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { bytesText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';
import type { Upload } from './uploads.ts';

interface Props {
  uploads: readonly Upload[];
  onCancel: (key: number) => void;
  onRetry: (key: number) => void;
  onClear: () => void;
}

export function UploadList({ uploads, onCancel, onRetry, onClear }: Props) {
  if (uploads.length === 0) return null;
  const isBusy = uploads.some(({ status }) => status === 'waiting' || status === 'sending');
  return (
    <Card component="section" aria-labelledby="uploads" padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="uploads">
          {t('assets.uploads.title')}
        </Title>
        {!isBusy && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={onClear}>
            {t('assets.uploads.clear')}
          </Button>
        )}
      </Group>
      <Stack gap="xs" role="status">
        {uploads.map((upload) => (
          <Entry
            key={upload.key}
            upload={upload}
            onCancel={() => onCancel(upload.key)}
            onRetry={() => onRetry(upload.key)}
          />
        ))}
      </Stack>
    </Card>
  );
}

interface EntryProps {
  upload: Upload;
  onCancel: () => void;
  onRetry: () => void;
}

function Entry({ upload: { file, status, progress, problem }, onCancel, onRetry }: EntryProps) {
  const { name, size } = file;
  const isOpen = status === 'waiting' || status === 'sending';
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" truncate title={name}>
          {name}{' '}
          <Text span size="xs" c="dimmed">
            {bytesText(size)}
          </Text>
        </Text>
        <Group gap={6} wrap="nowrap">
          {status === 'done' && <CircleCheck size={16} color="var(--mantine-color-teal-6)" aria-hidden />}
          {status === 'failed' && <CircleAlert size={16} color="var(--mantine-color-red-6)" aria-hidden />}
          <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
            {status === 'sending' ? <span aria-live="off">{`${progress}%`}</span> : t(`assets.uploads.${status}`)}
          </Text>
          {status === 'failed' && (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={t('assets.uploads.retryOf', { name })}
              onClick={onRetry}
            >
              {t('assets.uploads.retry')}
            </Button>
          )}
          {isOpen && (
            <ActionIcon size="sm" aria-label={t('assets.uploads.cancel', { name })} onClick={onCancel}>
              <X size={14} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {isOpen && (
        <Progress.Root size="sm" mt={4}>
          <Progress.Section value={progress} aria-label={t('assets.uploads.progress', { name })} />
        </Progress.Root>
      )}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
    </div>
  );
}
