import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useApi, useApiWrite } from '../api/use-api.ts';
import { t, textOrWords, tn } from '../texts/t.ts';
import { notifyProblem } from './notify.tsx';
import { numberText } from './number-text.ts';
import { TryAgain } from './try-again.tsx';

interface BarProps {
  status: string;
  /** 0 to 100 */
  progress: number;
  done?: number;
  total?: number | undefined;
  failed?: number | undefined;
  error?: string | undefined;
  onCancel?: (() => void) | undefined;
  isCancelling?: boolean;
}

export const hasEnded = (status: string): boolean => !['CREATED', 'RUNNING'].includes(status);

export function WorkProgress({ status, progress, done, total, failed = 0, error, onCancel, isCancelling }: BarProps) {
  const isOver = hasEnded(status);
  const color = colorOf(status, failed, total);
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={550} role="status">
          {textOrWords('parts.task', status)}
          {!isOver && <span aria-live="off">{` · ${progress}%`}</span>}
        </Text>
        {!isOver && onCancel && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onCancel} loading={isCancelling}>
            {t('parts.task.cancel')}
          </Button>
        )}
      </Group>
      <Progress.Root size="md">
        <Progress.Section
          value={progress}
          color={color}
          data-color={color}
          animated={!isOver}
          aria-label={t('parts.task.label')}
        />
      </Progress.Root>
      {done !== undefined && total !== undefined && (
        <Text size="xs" c="dimmed">
          {t('parts.task.done', { done: numberText(done), total: numberText(total) })}
          {failed > 0 && ` · ${tn('parts.task.failed', failed)}`}
        </Text>
      )}
      {error && <Alert color="red">{error}</Alert>}
    </Stack>
  );
}

/** Finished work with failures is not shown as successful. */
function colorOf(status: string, failed: number, total: number | undefined): string | undefined {
  if (status === 'CANCELLED') return 'gray';
  if (status === 'FAILED' || (status === 'FINISHED' && failed > 0 && failed >= (total ?? 0))) return 'red';
  if (status !== 'FINISHED') return undefined;
  return failed > 0 ? 'orange' : 'teal';
}

/** Polls a task every second until it ends. */
export function TaskProgress({ id }: { id: number }) {
  const { data, error, refetch } = useApi(
    'GET /api/tasks/{id}',
    { path: { id } },
    { refetchInterval: ({ state }) => !(state.data && hasEnded(state.data.status)) && 1000, staleTime: 0 },
  );
  const cancel = useApiWrite('POST /api/tasks/{id}/cancel', { changes: ['GET /api/tasks/{id}'] });
  if (!data) return error && <TryAgain error={error} onRetry={refetch} />;
  const { status, progress, done, total, failed, error: failure } = data;
  return (
    <WorkProgress
      {...{ status, progress, done, total, failed, error: failure }}
      onCancel={() => cancel.mutate({ path: { id } }, { onError: notifyProblem })}
      isCancelling={cancel.isPending}
    />
  );
}
